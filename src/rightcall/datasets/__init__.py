"""Goldens and recorded trajectories in files.

    goldens        load_goldens, save_goldens: by suffix, one item at a time; numbered_goldens with lines
    trajectories   load_trajectories, save_trajectories, numbered_trajectories
    pairing        pair: goldens with what was recorded for them, in flat memory
    index          goldens by id on disk, for pairing files of different order
    dataset        EvaluationDataset: goldens and test cases in memory, under names that DeepEval's users know
    records        goldens from frames, Hugging Face datasets and Parquet files
    cases          goldens with what was recorded beside them, as test cases
    targets        goldens written as {data, target, metadata}
    formats/       jsonl, json, yaml, csv
    deepeval/      DeepEval's files, read and written
    importers/     benchmarks of others

To add a format: a file in `formats/` with `read` and `write`, and a line in its table.
"""

from rightcall.datasets.goldens import load_goldens, numbered_goldens, save_goldens
from rightcall.datasets.pairs import pair
from rightcall.datasets.trajectories import load_trajectories, numbered_trajectories, save_trajectories

__all__ = [
    "load_goldens",
    "load_trajectories",
    "numbered_goldens",
    "numbered_trajectories",
    "pair",
    "save_goldens",
    "save_trajectories",
]
