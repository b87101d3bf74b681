"""Trajectories are read in the short form, ours, and as providers' message lists."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

import rightcall as rc
from rightcall.core.codec import encode
from rightcall.core.errors import InputError
from rightcall.datasets.trajectories import load_trajectories, save_trajectories
from rightcall.records import RecordedTrajectory, ToolCall, Trajectory, Usage
from rightcall.records.dialects import SPELLINGS, trajectory_from_messages
from rightcall.records.run import CaseResult
from rightcall.records.score import Score
from rightcall.store.sql.results import export_lines
from tests.records.dialects.strategies import conversations, objects, parsed, texts, unparsed
from tests.support.examples import examples


def loaded(folder: Path, *lines: object, name: str = "t.jsonl") -> list[RecordedTrajectory]:
    path = folder / name
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    return list(load_trajectories(path))


def test_the_short_form_holds_calls_and_numbers(tmp_path: Path):
    line = {
        "golden_id": "a",
        "trial": 2,
        "calls": [
            {"name": "f", "arguments": {"x": 1}, "status": "ok"},
            {"name": "g"},
            {"name": "h", "arguments": None},
        ],
        "output": "done",
        "latency_ms": 12,
        "usage": {"input_tokens": 5},
        "stop_reason": "limit",
    }
    calls = (ToolCall("f", {"x": 1}, status="ok"), ToolCall("g"), ToolCall("h", None))
    expected = Trajectory((), calls, "done", Usage(5), 12.0, "limit")
    assert loaded(tmp_path, line) == [RecordedTrajectory("a", expected, 2)]


ASKED = [{"role": "user", "content": "hi"}]
SPELT = {
    "native": [
        {"role": "assistant", "calls": [{"name": "f", "arguments": {"x": 1}, "id": "1"}]},
        {"role": "tool", "results": [{"call_id": "1", "output": "A"}]},
    ],
    "openai": [
        {
            "role": "assistant",
            "tool_calls": [{"id": "1", "function": {"name": "f", "arguments": '{"x": 1}'}}],
        },
        {"role": "tool", "tool_call_id": "1", "content": "A"},
    ],
    "openai_responses": [
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": '{"x": 1}'},
        {"type": "function_call_output", "call_id": "1", "output": "A"},
    ],
    "anthropic": [
        {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {"x": 1}}]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "A"}]},
    ],
}


@pytest.mark.parametrize("spelling", SPELT)
def test_messages_of_every_provider_give_the_same_calls(tmp_path: Path, spelling: str):
    messages = [*ASKED, *SPELT[spelling], {"role": "assistant", "content": "Answer."}]
    [found] = loaded(tmp_path, {"golden_id": "a", "messages": messages})
    assert found.trajectory.calls == (ToolCall("f", {"x": 1}, "1", 0, "ok", "A"),)
    assert found.trajectory.output == "Answer." and len(found.trajectory.messages) == 4


@pytest.mark.parametrize(
    "twice",
    ['"calls": [{"name": "f"}], "calls": []', '"calls": [{"name": "f", "arguments": {"a": 1, "a": 2}}]'],
)
def test_a_key_that_occurs_twice_hides_nothing(tmp_path: Path, twice: str):
    (tmp_path / "t.jsonl").write_text(f'{{"golden_id": "a", {twice}}}\n')
    with pytest.raises(InputError, match=r"t\.jsonl:1: the key '(calls|a)' occurs twice in one object"):
        list(load_trajectories(tmp_path / "t.jsonl"))


def test_a_json_file_holds_a_list_of_trajectories(tmp_path: Path):
    lines = [
        {"golden_id": "a", "calls": []},
        {"golden_id": "b", "error": "down", "stop_reason": "infra_error"},
    ]
    assert [found.golden_id for found in loaded(tmp_path, lines, name="t.json")] == ["a", "b"]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            {"golden_id": "a", "calls": [{"name": "f", "arguments": "{}"}]},
            "calls[0].arguments must be an object, got a string; was it JSON-encoded twice?",
        ),
        ({"golden_id": "a", "cals": []}, "unknown field 'cals'; did you mean 'calls'?"),
        ({"golden_id": "a"}, "missing required field 'messages' or 'calls'"),
        ({"calls": []}, "missing required field 'golden_id'"),
        ({"golden_id": 7, "calls": []}, "golden_id must be a string, got a whole number"),
        ({"golden_id": "a", "calls": [], "stop_reason": "don"}, "did you mean 'done'?"),
        ({"golden_id": "a", "calls": [], "trial": -1}, "trial must be a whole number >= 0"),
        ({"golden_id": "a", "messages": "hi"}, "messages must be a list, got a string"),
        ({"golden_id": "a", "messages": [{"role": "usr"}]}, "messages[0].role must be one of"),
        ({"golden_id": "a", "messages": []}, "messages has no message of the assistant"),
        (
            {"golden_id": "a", "messages": [{"role": "user", "content": "hi"}]},
            "messages has no message of the assistant",
        ),
        (
            {"golden_id": "a", "messages": [{"object": "response", "status": "failed", "output": []}]},
            "the response ended with failed",
        ),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: object, words: str):
    with pytest.raises(InputError) as caught:
        loaded(tmp_path, {"golden_id": "first", "calls": []}, line)
    assert str(caught.value).startswith(f"{tmp_path / 't.jsonl'}:2: ") and words in str(caught.value)


calls = st.builds(
    ToolCall,
    name=texts.filter(bool),
    arguments=st.none() | objects,
    step=st.none() | st.integers(0, 9),
    status=st.sampled_from(["not_run", "ok", "error"]),
    output=st.none() | texts,
    latency_ms=st.none() | st.floats(0, 1e6),
    raw=st.none() | texts,
)
bare = st.builds(Trajectory, calls=st.lists(calls, max_size=3).map(tuple), output=texts, error=texts)
talked = conversations(parsed | unparsed, errors=True).map(trajectory_from_messages)
spoken = st.builds(Trajectory, conversations(parsed), st.lists(calls, max_size=2).map(tuple), texts)


@pytest.mark.parametrize("suffix", [".jsonl", ".json"])
@settings(max_examples=examples(60))
@given(
    found=st.lists(
        st.builds(
            RecordedTrajectory, texts.filter(bool), bare | talked | spoken, st.none() | st.integers(0, 9)
        ),
        max_size=3,
    )
)
def test_trajectories_survive_a_round_trip_exactly(suffix: str, found: list[RecordedTrajectory]):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"t{suffix}"
        save_trajectories(found, path)
        assert list(load_trajectories(path)) == found


@settings(max_examples=examples(60))
@given(trajectory=bare | talked | spoken, error=texts)
def test_the_export_of_a_run_is_read_as_its_trajectories(trajectory: Trajectory, error: str):
    result = CaseResult("a", 2, True, 1.0, {"overall": Score(1.0, True)}, error=error, trajectory=trajectory)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.jsonl"
        path.write_bytes(b"".join(export_lines([result])))
        (recorded,) = load_trajectories(path)
    assert (recorded.golden_id, recorded.trial) == ("a", 2)
    assert recorded.trajectory.calls == trajectory.calls
    if error:
        assert (recorded.trajectory.stop_reason, recorded.trajectory.error) == ("infra_error", error)
    else:
        assert recorded.trajectory == trajectory


def test_an_export_without_trajectories_says_so(tmp_path: Path):
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"".join(export_lines([CaseResult("a", 0, True, 1.0, {})])))
    with pytest.raises(
        InputError, match=r"run\.jsonl:1: this result was exported without its trajectory; export"
    ):
        list(load_trajectories(path))


def test_scoring_the_export_of_a_run_gives_the_results_of_the_run(tmp_path: Path):
    expected = [rc.ExpectedCall("f", {"x": 1})]
    goldens = [rc.Golden(f"q{at}", id=f"g{at}", expected_calls=expected) for at in range(3)]

    def agent(golden: rc.Golden) -> list[ToolCall]:
        if golden.id == "g2":
            raise rc.RightCallError("the server is down")
        return [ToolCall("f", {"x": int(golden.id == "g0")})]

    run = rc.evaluate(agent, goldens, store=tmp_path / "runs.db")
    path = tmp_path / "run.jsonl"
    path.write_bytes(b"".join(export_lines(run.store.runs.results(run.id, trajectories=True))))
    (tmp_path / "goldens.jsonl").write_bytes(b"\n".join(map(encode, goldens)))
    scored = list(rc.score(tmp_path / "goldens.jsonl", path))
    assert [(case.golden_id, case.passed, bool(case.error)) for case in scored] == [
        (case.golden_id, case.passed, bool(case.error)) for case in run.results
    ]


def test_a_case_without_an_answer_is_an_error_also_when_its_export_is_scored(tmp_path: Path):
    golden = rc.Golden("q", id="a", expected_calls=[rc.ExpectedCall("f")])
    (tmp_path / "goldens.jsonl").write_bytes(encode(golden))
    (tmp_path / "run.jsonl").write_bytes(
        b"".join(export_lines([CaseResult("a", 0, False, 0.0, {}, error="429")]))
    )
    (case,) = rc.score(tmp_path / "goldens.jsonl", tmp_path / "run.jsonl")
    assert (case.outcome, case.error) == ("error", "429")


def test_every_spelling_with_messages_is_covered_above():
    assert set(SPELT) == {name for name, spelling in SPELLINGS.items() if hasattr(spelling, "read_messages")}
