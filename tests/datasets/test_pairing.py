"""Every trajectory meets its golden, whatever the order; what does not fit together is named."""

from __future__ import annotations

import json
import random
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.core.errors import InputError
from rightcall.datasets.pairs import pair
from rightcall.records import ConversationalGolden


def files(folder: Path, ids: list[str], recorded: list[tuple[str, int | None]]) -> tuple[Path, Path]:
    goldens = folder / "g.jsonl"
    trajectories = folder / "t.jsonl"
    goldens.write_text("".join(json.dumps({"input": f"ask {i}", "id": i}) + "\n" for i in ids), "utf-8")
    lines = [
        {"golden_id": i, "calls": [], "output": i} | ({} if n is None else {"trial": n}) for i, n in recorded
    ]
    header = "" if lines else '{"format": "rightcall/trajectories/1"}\n'
    trajectories.write_text(header + "".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return goldens, trajectories


def paired(folder: Path, ids, recorded, **options) -> list[tuple[str, int]]:
    found = list(pair(*files(folder, ids, recorded), **options))
    assert all(
        golden.id == trajectory.output and golden.input == f"ask {golden.id}"
        for golden, _, trajectory in found
    )
    return [(golden.id, trial) for golden, trial, _ in found]


def refused(folder: Path, ids, recorded, **options) -> str:
    with pytest.raises(InputError) as caught:
        paired(folder, ids, recorded, **options)
    return str(caught.value).replace(f"{folder}/", "")


def test_files_in_the_same_order_pair_line_by_line(tmp_path: Path):
    assert paired(tmp_path, "abc", [("a", None), ("b", None), ("c", None)]) == [("a", 0), ("b", 0), ("c", 0)]


def test_trials_without_number_count_up_per_golden(tmp_path: Path):
    contiguous = [("a", None), ("a", None), ("b", None), ("b", None)]
    by_trial = [("a", None), ("b", None), ("a", None), ("b", None)]
    assert paired(tmp_path, "ab", contiguous) == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    assert paired(tmp_path, "ab", by_trial) == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]


@settings(max_examples=40)
@given(count=st.integers(1, 6), trials=st.integers(1, 3), seed=st.integers(), numbered=st.booleans())
def test_any_order_gives_each_golden_all_its_trials(tmp_path_factory, count, trials, seed, numbered):
    folder = tmp_path_factory.getbasetemp()
    ids = [f"id-{n}" for n in range(count)]
    recorded = [(i, n if numbered else None) for n in range(trials) for i in ids]
    random.Random(seed).shuffle(recorded)
    assert sorted(paired(folder, ids, recorded)) == [(i, n) for i in ids for n in range(trials)]


def test_an_unknown_golden_is_named_with_a_suggestion(tmp_path: Path):
    text = refused(tmp_path, ["alpha", "beta"], [("alpha", None), ("betta", None)])
    assert text == "t.jsonl:2: golden_id 'betta' is not in g.jsonl; did you mean 'beta'?"


def test_an_attempt_that_is_not_among_the_goldens_is_called_one(tmp_path: Path):
    text = refused(tmp_path, ["alpha"], [("alpha", None), ("alpha~result.send", None)])
    assert "is not in g.jsonl; it is an attempt of an attack" in text
    assert "`rightcall attacks make" in text


@pytest.mark.parametrize("recorded", [[("a", None)], [("b", None), ("a", None)], []])
def test_goldens_without_trajectory_are_counted_unless_a_part_is_enough(tmp_path: Path, recorded):
    left = 6 - len(recorded)
    text = refused(tmp_path, "abcdef", recorded)
    assert (
        text.startswith(f"g.jsonl: {left} goldens have no trajectory in t.jsonl: '")
        and "', …; record" in text
    )
    assert len(paired(tmp_path, "abcdef", recorded, partial=True)) == len(recorded)


@pytest.mark.parametrize(
    "recorded",
    [
        [("a", 0), ("a", 0), ("b", 0)],
        [("a", 0), ("b", 0), ("a", 0)],
        [("b", 0), ("a", 0), ("a", None), ("a", 1)],
    ],
)
def test_the_same_trial_twice_is_refused_with_both_lines(tmp_path: Path, recorded):
    text = refused(tmp_path, "ab", recorded)
    assert (
        f"t.jsonl:{len(recorded) - (recorded[-1][0] == 'b')}: duplicate trial " in text
        and "first used on line" in text
    )


@pytest.mark.parametrize(
    "recorded", [[("a", 0), ("b", 0)], [("b", 0), ("a", 0)], [("a", 0), ("a", 1), ("b", 0)]]
)
@pytest.mark.parametrize("partial", [True, False])
def test_a_golden_id_twice_is_refused_with_both_lines(tmp_path: Path, recorded, partial: bool):
    text = refused(tmp_path, ["a", "b", "a"], recorded, partial=partial)
    assert text == "g.jsonl:3: duplicate id 'a', first used on line 1; give each golden its own id"


@pytest.mark.parametrize("order", ["ab", "ba"])
def test_conversations_are_paired_too(tmp_path: Path, order: str):
    (tmp_path / "g.jsonl").write_text('{"scenario": "x", "id": "a"}\n{"scenario": "y", "id": "b"}\n', "utf-8")
    lines = [f'{{"golden_id": "{golden_id}", "calls": []}}\n' for golden_id in order]
    (tmp_path / "t.jsonl").write_text("".join(lines), "utf-8")
    found = [golden for golden, _, _ in pair(tmp_path / "g.jsonl", tmp_path / "t.jsonl")]
    assert [(type(golden), golden.id) for golden in found] == [(ConversationalGolden, i) for i in order]


def test_a_missing_file_is_refused_at_once(tmp_path: Path):
    goldens, trajectories = files(tmp_path, ["a"], [("a", 0)])
    with pytest.raises(InputError, match=r"no such file; did you mean 't\.jsonl'"):
        pair(goldens, trajectories.with_name("tt.jsonl"))


def peak_bytes(folder: Path, count: int, *, reverse: bool) -> int:
    ids = [f"golden-{n:06}" for n in range(count)]
    paths = files(folder, ids, [(i, 0) for i in (reversed(ids) if reverse else ids)])
    tracemalloc.start()
    assert sum(1 for _ in pair(*paths)) == count
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.stories
@pytest.mark.parametrize("reverse", [False, True])
def test_memory_grows_by_some_bytes_a_golden_only(tmp_path: Path, reverse: bool):
    few, many = (peak_bytes(tmp_path, count, reverse=reverse) for count in (1_000, 9_000))
    assert (many - few) / 8_000 < 40


def test_trials_with_and_without_number_may_be_mixed_unless_they_meet(tmp_path: Path):
    assert paired(tmp_path, "ab", [("a", None), ("a", 5), ("b", 0)]) == [("a", 0), ("a", 5), ("b", 0)]
    message = refused(tmp_path, "ab", [("a", None), ("b", None), ("a", 0)])
    assert message.startswith("t.jsonl:3: duplicate trial 0 of golden 'a', first used on line 1; ")
