"""Scoring in shards: the rows and the summary of one process, to the last byte and bit."""

import asyncio
import io
import json
import threading

import msgspec
import pytest
from hypothesis import Phase, given, settings, strategies as st

from rightcall.core.errors import ConfigError, InputError
from rightcall.datasets.goldens import load_goldens
from rightcall.metrics.matching.verdict import ScoringRules
from rightcall.metrics.score_case import Scorer
from rightcall.metrics.tally import Tally
from rightcall.run.floor import floor_of_recorded
from rightcall.run.recorded_scores import score_recorded
from rightcall.run.rescorer import rescore_run
from rightcall.run.runner import run_plan
from rightcall.show.rows import write_rows
from rightcall.store.address import open_store
from rightcall.wings.ray.shards import Scoring, score_shards
from tests.wings.ray.stored_runs import goldens as goldens_of, plan_of, stored

N = 60


def write_files(folder, *, trials=2, order=None):
    goldens = [
        {
            "id": f"g{i}",
            "input": f"Do {i}",
            "expected_calls": [{"tool": "a", "args": {"n": i, "text": "x" * (i % 7)}}],
            **({"tags": ["odd"]} if i % 2 else {}),
            **({"cluster": f"c{i % 5}"} if i % 3 else {}),
        }
        for i in range(N)
    ]
    rows = [
        {
            "golden_id": f"g{i}",
            "trial": t,
            "calls": [{"name": "a", "arguments": {"n": i if (i + t) % 3 else 0}}],
        }
        for i in range(N)
        for t in range(trials)
    ]
    rows = [rows[k] for k in order] if order else rows
    (folder / "goldens.jsonl").write_text("".join(json.dumps(golden) + "\n" for golden in goldens))
    (folder / "done.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder / "goldens.jsonl", folder / "done.jsonl"


def write_parquet(path, *, group=7, nested=False):
    """The rows of a .jsonl file as Parquet, arguments as JSON text."""
    import pyarrow
    from pyarrow import parquet

    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        calls = [{**call, "arguments": json.dumps(call["arguments"])} for call in row["calls"]]
        row["calls"] = calls if nested else json.dumps(row["calls"])
    made = path.with_suffix(".parquet")
    parquet.write_table(pyarrow.Table.from_pylist(rows), made, row_group_size=group)
    return made


def in_one(goldens, trajectories):
    tally, out = Tally(), io.BytesIO()
    write_rows(tally.watch(score_recorded(goldens, trajectories)), out)
    floor = floor_of_recorded(load_goldens(goldens), Scorer(), {})
    return out.getvalue(), msgspec.structs.replace(tally.summary(), floor=floor)


def parts(out):
    return b"".join(path.read_bytes() for path in sorted(out.glob("part-*.jsonl")))


@pytest.mark.parametrize("size", [10**9, 3000, 1200, 90, 1])
def test_any_number_of_shards_gives_the_rows_and_the_summary_of_one_process(tmp_path, size):
    goldens, trajectories = write_files(tmp_path)
    made = score_shards(Scoring(goldens, Scorer(), (), tmp_path / "out"), trajectories, shard_bytes=size)
    assert (parts(tmp_path / "out"), made.summary) == in_one(goldens, trajectories)


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("size", [10**9, 900, 1])
def test_parquet_in_any_number_of_shards_gives_what_jsonl_gives(tmp_path, size, nested):
    goldens, trajectories = write_files(tmp_path)
    parquet = write_parquet(trajectories, nested=nested)
    expected = in_one(goldens, trajectories)
    assert in_one(goldens, parquet) == expected
    made = score_shards(Scoring(goldens, Scorer(), (), tmp_path / "out"), parquet, shard_bytes=size)
    assert (parts(tmp_path / "out"), made.summary) == expected
    assert made.shards == {10**9: 1, 1: 18}.get(size, made.shards)


def test_single_trials_are_added_up_without_remembering_them(tmp_path):
    goldens, trajectories = write_files(tmp_path, trials=1)
    plain = [
        {k: v for k, v in json.loads(line).items() if k != "cluster"}
        for line in goldens.read_text().splitlines()
    ]
    goldens.write_text("".join(json.dumps(row) + "\n" for row in plain))
    made = score_shards(Scoring(goldens, Scorer(), (), tmp_path / "out"), trajectories, shard_bytes=500)
    assert (parts(tmp_path / "out"), made.summary) == in_one(goldens, trajectories)


def test_what_parquet_cannot_tell_apart_is_refused(tmp_path):
    import pyarrow
    from pyarrow import parquet

    goldens, _ = write_files(tmp_path)
    calls = [[{"name": "a", "arguments": {"n": 1}}], [{"name": "a", "arguments": {"m": 1}}]]
    table = pyarrow.table({"golden_id": ["g0", "g1"], "calls": calls})
    parquet.write_table(table, tmp_path / "done.parquet")
    with pytest.raises(
        InputError, match=r"row 1: the arguments of a call are not text; write them as JSON text"
    ):
        in_one(goldens, tmp_path / "done.parquet")
    (tmp_path / "other.parquet").write_text("no")
    with pytest.raises(InputError, match="is not a Parquet file"):
        in_one(goldens, tmp_path / "other.parquet")


@settings(max_examples=10, phases=[Phase.generate])
@given(st.permutations(range(2 * N)), st.integers(100, 5000))
def test_files_in_any_order_get_the_same_scores(tmp_path_factory, order, size):
    folder = tmp_path_factory.mktemp("shards")
    goldens, trajectories = write_files(folder, order=order)
    made = score_shards(Scoring(goldens, Scorer(), (), folder / "out"), trajectories, shard_bytes=size)
    assert (parts(folder / "out"), made.summary) == in_one(goldens, trajectories)


def test_a_repeated_command_does_only_what_is_left(tmp_path):
    goldens, trajectories = write_files(tmp_path)
    scoring, did = Scoring(goldens, Scorer(), (), tmp_path / "out"), []

    def counted(work, shards):
        for shard in shards:
            did.append(shard.number)
            work(shard)
            yield

    def killed(work, shards):
        work(shards[0])
        yield
        work(shards[2])
        shards[2].part(scoring.out, "tally").unlink()  # killed between its two files
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        score_shards(scoring, trajectories, shard_bytes=1000, run=killed)
    made = score_shards(scoring, trajectories, shard_bytes=1000, run=counted)
    assert 0 not in did and 2 in did and len(did) == made.shards - 1
    assert (parts(tmp_path / "out"), made.summary) == in_one(goldens, trajectories)


def test_a_folder_with_shards_of_something_else_is_refused(tmp_path):
    goldens, trajectories = write_files(tmp_path)
    score_shards(Scoring(goldens, Scorer(), (), tmp_path / "out"), trajectories)
    with pytest.raises(ConfigError, match="name an empty folder"):
        score_shards(Scoring(goldens, Scorer(), (), tmp_path / "out"), trajectories, shard_bytes=500)


def test_trials_that_only_counting_could_number_are_refused(tmp_path):
    goldens, trajectories = write_files(tmp_path)
    lines = [json.loads(line) for line in trajectories.read_text().splitlines()]
    trajectories.write_text("".join(json.dumps({**line, "trial": None}) + "\n" for line in lines))
    with pytest.raises(InputError, match="number them"):
        score_shards(Scoring(goldens, Scorer(), (), tmp_path / "out"), trajectories, shard_bytes=500)


def test_a_missing_and_an_unknown_golden_are_named(tmp_path):
    goldens, trajectories = write_files(tmp_path, order=range(2 * N - 2))
    with pytest.raises(InputError, match=r"1 golden has no trajectory in .*'g59'"):
        score_shards(Scoring(goldens, Scorer(), (), tmp_path / "out"), trajectories, shard_bytes=500)
    made = score_shards(
        Scoring(goldens, Scorer(), (), tmp_path / "out"), trajectories, shard_bytes=500, partial=True
    )
    assert made.left_out == 1
    with trajectories.open("a") as file:
        file.write('{"golden_id": "nobody", "calls": []}\n')
    with pytest.raises(InputError, match=r"done.jsonl:119: golden_id 'nobody'"):
        score_shards(Scoring(goldens, Scorer(), (), tmp_path / "new"), trajectories, shard_bytes=500)


@pytest.mark.parametrize("shard", [1, 7, 5000])
def test_a_run_rescored_in_shards_is_what_one_process_makes_of_it(tmp_path, monkeypatch, shard):
    monkeypatch.setattr("rightcall.run.rescorer.SHARD", shard)
    with open_store(tmp_path / "results.db") as store:
        asyncio.run(run_plan(plan_of(goldens_of(30, tmp_path), trials=2), store))
        rules = Scorer(rules=ScoringRules(pass_rule="score"))
        one, summary, verdict = asyncio.run(rescore_run(store, "last", rules))
        two, *same = asyncio.run(
            rescore_run(store, store.runs.get(one).run.settings["rescored"], rules, spread=in_turns)
        )
        assert same == [summary, verdict]
        assert stored(store, one) == stored(store, two)
        assert store.runs.get(two).finished and store.runs.get(two).results == 60


def in_turns(task, shards):
    """Each shard twice, as after a lost process."""
    for one in [*shards, *shards]:
        thread = threading.Thread(target=task, args=(one,))  # a task has an event loop for itself
        thread.start()
        thread.join()
        yield
