"""An empty list of expected calls that an author wrote means that nothing may be called; a default list means nothing."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import rightcall as rc
from rightcall.datasets.goldens import load_goldens, save_goldens
from rightcall.datasets.review import edit_golden
from rightcall.deepeval.dataset import Golden as DeepEvalGolden
from rightcall.metrics.score_case import Scorer
from rightcall.records.golden import AnyGolden, states_check

CALLS = rc.Trajectory(calls=(rc.ToolCall("look", {}),), output="Done")
ANSWERS = rc.Trajectory(output="Done")


def outcomes(golden: AnyGolden) -> tuple[str, str]:
    """Of an agent that calls a tool, and of one that calls none."""
    scored = [Scorer().stated(golden, 0, did, {}) for did in (CALLS, ANSWERS)]
    return scored[0].outcome, scored[1].outcome


def from_file(name: str, text: str) -> Callable[[Path], AnyGolden]:
    def read(folder: Path) -> AnyGolden:
        (folder / name).write_text(text)
        return next(load_goldens(folder / name))

    return read


WRITTEN: dict[str, Callable[[Path], AnyGolden]] = {
    "jsonl": from_file("g.jsonl", '{"id": "a", "input": "Hi", "expected_calls": []}\n'),
    "spaced": from_file("g.jsonl", '{"id": "a", "expected_calls" : [ ], "input": "Hi"}\n'),
    "json": from_file("g.json", '[{"id": "a", "input": "Hi", "expected_calls": []}]'),
    "yaml": from_file("g.yaml", "- {id: a, input: Hi, expected_calls: []}\n"),
    "csv": from_file("g.csv", "id,input,expected_calls\na,Hi,[]\n"),
    "python": lambda _: rc.Golden("Hi", expected_calls=[]),
    "edited": lambda _: edit_golden(rc.Golden("Hi", id="a"), '{"input": "Hi", "expected_calls": []}'),
}
OPEN: dict[str, Callable[[Path], AnyGolden]] = {
    "left out": from_file("g.jsonl", '{"id": "a", "input": "say expected_calls"}\n'),
    "in metadata": from_file("g.jsonl", '{"id": "a", "input": "Hi", "metadata": {"expected_calls": []}}\n'),
    "any call": from_file("g.jsonl", '{"input": "Hi", "expected_calls": [], "extra_calls": "allow"}\n'),
    "empty cell": from_file("g.csv", "id,input,expected_calls\na,Hi,\n"),
    "text": from_file("g.txt", "Hi\n"),
    "deepeval file": from_file("g.json", '[{"input": "Hi", "actual_output": null, "expected_tools": []}]'),
    "deepeval": lambda _: DeepEvalGolden(input="Hi", expected_tools=[]),
    "target": from_file("g.json", '[{"data": {"prompt": "Hi"}, "target": {"expectedTools": []}}]'),
    "default": lambda _: rc.Golden(**msgspec.structs.asdict(rc.Golden("Hi", id="a"))),
}


@pytest.mark.parametrize("door", WRITTEN)
def test_an_empty_list_that_was_written_forbids_calls(tmp_path, door):
    golden = WRITTEN[door](tmp_path)
    assert states_check(golden) and outcomes(golden) == ("failed", "passed")


@pytest.mark.parametrize("door", OPEN)
def test_an_empty_list_that_nobody_wrote_is_no_check(tmp_path, door):
    golden = OPEN[door](tmp_path)
    assert not states_check(golden) and outcomes(golden) == ("unchecked", "unchecked")


@pytest.mark.parametrize("suffix", ["jsonl", "json", "yaml", "csv"])
def test_the_meaning_survives_files_and_processes(tmp_path, suffix):
    goldens = [rc.Golden("Hi", id="a", expected_calls=[]), rc.Golden("Ho", id="b")]
    save_goldens(goldens, tmp_path / f"g.{suffix}")
    assert list(load_goldens(tmp_path / f"g.{suffix}")) == goldens
    assert pickle.loads(pickle.dumps(goldens)) == goldens


def test_conversations_and_other_checks():
    talk = rc.ConversationalGolden("A chat", expected_calls=[])
    assert talk.no_calls and not rc.ConversationalGolden("A chat").no_calls
    plans = rc.Golden("Hi", expected_calls=[], any_of=[[rc.ExpectedCall("look")]])
    assert plans.category is None and outcomes(plans) == ("passed", "failed")


def test_a_row_keeps_its_id(tmp_path):
    """The id of a golden without one is the same as without the list, so that earlier runs can be compared."""
    texts = [{"input": "Hi"}, {"input": "Hi", "expected_calls": []}]
    ids = []
    for fields in texts:
        (tmp_path / "g.jsonl").write_text(json.dumps(fields) + "\n")
        ids += [golden.id for golden in load_goldens(tmp_path / "g.jsonl")]
    assert ids[0] == ids[1]
