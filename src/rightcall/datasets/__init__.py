"""Goldens and recorded trajectories in files.

    goldens        load_goldens, save_goldens: by suffix, one item at a time; numbered_goldens with lines
    trajectories   load_trajectories, save_trajectories, numbered_trajectories
    parquet_trajectories  rows of Parquet files as JSON lines
    pairs          pair: goldens with what was recorded for them, in flat memory
    index          goldens by id on disk, for pairing files of different order
    dataset        EvaluationDataset: goldens and test cases in memory, with the names that DeepEval uses
    records        goldens from frames, Hugging Face datasets and Parquet files
    cases          goldens with recorded behaviour, as test cases
    targets        goldens written as {data, target, metadata}
    formats/       jsonl, json, yaml, csv
    deepeval/      DeepEval's files, read and written
    importers/     public benchmarks

To add a format: a file in `formats/` with `read`, `write` and `SUFFIXES`.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.datasets.cases import case_of as case_of
    from rightcall.datasets.dataset import DatasetFiles as DatasetFiles, split_goldens as split_goldens
    from rightcall.datasets.formats import FORMATS as FORMATS
    from rightcall.datasets.goldens import (
        load_goldens as load_goldens,
        numbered_goldens as numbered_goldens,
        save_goldens as save_goldens,
    )
    from rightcall.datasets.index import GoldenIndex as GoldenIndex
    from rightcall.datasets.pairs import pair as pair
    from rightcall.datasets.review import (
        PROPOSAL as PROPOSAL,
        STATES as STATES,
        accepted as accepted,
        counts as counts,
        edited as edited,
        golden_by_hand as golden_by_hand,
        refuse_unreviewed as refuse_unreviewed,
        review_of as review_of,
        reviewed as reviewed,
        unreviewed as unreviewed,
        unreviewed_problem as unreviewed_problem,
    )
    from rightcall.datasets.targets import (
        golden_of_datapoint as golden_of_datapoint,
        placed_items as placed_items,
    )
    from rightcall.datasets.trajectories import (
        lines_before as lines_before,
        load_trajectories as load_trajectories,
        numbered_trajectories as numbered_trajectories,
        save_trajectories as save_trajectories,
        trajectories_between as trajectories_between,
        trajectory_ranges as trajectory_ranges,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "cases": "case_of",
            "dataset": "DatasetFiles split_goldens",
            "formats": "FORMATS",
            "goldens": "load_goldens numbered_goldens save_goldens",
            "index": "GoldenIndex",
            "pairs": "pair",
            "review": (
                "PROPOSAL STATES accepted counts edited golden_by_hand refuse_unreviewed review_of reviewed "
                "unreviewed unreviewed_problem"
            ),
            "targets": "golden_of_datapoint placed_items",
            "trajectories": (
                "lines_before load_trajectories numbered_trajectories save_trajectories trajectories_between "
                "trajectory_ranges"
            ),
        },
    )
