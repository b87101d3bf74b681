"""Goldens and recorded trajectories in files.

    goldens        load_goldens, save_goldens: by suffix, one item at a time; numbered_goldens with lines
    trajectories   load_trajectories, save_trajectories, numbered_trajectories
    pairs          pair: goldens with what was recorded for them, in flat memory
    dataset        EvaluationDataset: goldens (from files, frames, Hugging Face) and test cases, with DeepEval's names
    near_duplicates  texts that repeat an earlier one
    targets        goldens written as {data, target, metadata}
    formats/       jsonl, json, yaml, csv
    deepeval/      DeepEval's files, read and written
    importers/     public benchmarks

To add a format: a file in `formats/` with `read`, `write` and `SUFFIXES`.

    review  review of drafts: the decision about each golden, stored in the golden itself
"""
