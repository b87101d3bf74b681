"""Trajectories in Parquet files are scored as those in JSON Lines."""

import io
import json

import pytest

from rightcall.core.errors import InputError
from rightcall.metrics.tally import Tally
from rightcall.run.recorded_scores import score_recorded
from rightcall.show.rows import write_rows

pyarrow = pytest.importorskip("pyarrow")
N = 60


def write_files(folder):
    """Goldens and their recorded trials; many trials fail."""
    goldens = [
        {"id": f"g{i}", "input": f"Do {i}",
         "expected_calls": [{"tool": "a", "args": {"n": i, "text": "x" * (i % 7)}}]}
        for i in range(N)
    ]  # fmt: skip
    rows = [
        {"golden_id": f"g{i % N}", "trial": i // N,
         "calls": [{"name": "a", "arguments": {"n": i % N if i % 3 else 0}}]}
        for i in range(2 * N)
    ]  # fmt: skip
    (folder / "goldens.jsonl").write_text("".join(json.dumps(golden) + "\n" for golden in goldens))
    (folder / "done.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / "goldens.jsonl", folder / "done.jsonl"


def write_parquet(path, *, nested):
    """The rows of a .jsonl file as Parquet, arguments as JSON text."""
    from pyarrow import parquet

    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        calls = [{**call, "arguments": json.dumps(call["arguments"])} for call in row["calls"]]
        row["calls"] = calls if nested else json.dumps(row["calls"])
    made = path.with_suffix(".parquet")
    parquet.write_table(pyarrow.Table.from_pylist(rows), made, row_group_size=7)
    return made


def scored(goldens, trajectories):
    tally, out = Tally(), io.BytesIO()
    write_rows(tally.watch(score_recorded(goldens, trajectories)), out)
    return out.getvalue(), tally.summary()


@pytest.mark.parametrize("nested", [False, True])
def test_parquet_gives_what_jsonl_gives(tmp_path, nested):
    goldens, trajectories = write_files(tmp_path)
    assert scored(goldens, write_parquet(trajectories, nested=nested)) == scored(goldens, trajectories)


def test_what_parquet_cannot_tell_apart_is_refused(tmp_path):
    from pyarrow import parquet

    goldens, _ = write_files(tmp_path)
    calls = [[{"name": "a", "arguments": {"n": 1}}], [{"name": "a", "arguments": {"m": 1}}]]
    table = pyarrow.table({"golden_id": ["g0", "g1"], "calls": calls})
    parquet.write_table(table, tmp_path / "done.parquet")
    with pytest.raises(
        InputError, match=r"row 1: the arguments of a call are not text; write them as JSON text"
    ):
        scored(goldens, tmp_path / "done.parquet")
    (tmp_path / "other.parquet").write_text("no")
    with pytest.raises(InputError, match="is not a Parquet file"):
        scored(goldens, tmp_path / "other.parquet")


def test_a_file_without_rows_has_no_trajectories(tmp_path):
    from pyarrow import parquet

    from rightcall.datasets.trajectories import load_trajectories

    parquet.write_table(pyarrow.table({"golden_id": [], "calls": []}), tmp_path / "done.parquet")
    assert not list(load_trajectories(tmp_path / "done.parquet"))
