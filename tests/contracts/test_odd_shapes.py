"""Outputs of SDKs and frameworks as they are, through every door: each call is read, or the message is refused.

`tests/data/odd_shapes.json` holds the shapes, the calls in them, and the doors that read them; the others refuse.
"""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from rightcall.agents.callable_agent import as_trajectory
from rightcall.agents.remote.agent_reply import AgentFailedError, ReplyReader
from rightcall.core.errors import InputError, ProviderError
from rightcall.datasets.trajectories import load_trajectories, save_trajectories
from rightcall.limbs.traces.reader import load_traces
from rightcall.records import Message, RecordedTrajectory, ToolCall, Trajectory
from rightcall.records.dialects.unread_calls import calls_within
from tests.contracts.test_spellings import HARMLESS, generation

SHAPES: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "odd_shapes.json").read_text())
REFUSED = None
OWN = {"calls", "messages", "output"}


def by_file(document: Any, folder: Path) -> Trajectory:
    own = isinstance(document, dict) and document.keys() <= OWN
    listed = document if isinstance(document, list) else [document]
    line = {"golden_id": "g", **(document if own else {"messages": listed})}
    (folder / "done.jsonl").write_text(json.dumps(line) + "\n")
    [recorded] = load_trajectories(folder / "done.jsonl")
    return recorded.trajectory


def by_trace(document: Any, folder: Path) -> Trajectory:
    (folder / "trace.json").write_text(json.dumps(generation(document)))
    [trace] = load_traces(folder / "trace.json")
    return trace.trajectory


DOORS = {
    "result": lambda document, folder: as_trajectory(document),
    "file": by_file,
    "trace": by_trace,
    "reply": lambda document, folder: ReplyReader({}).read(json.dumps(document).encode(), ""),
}


def calls_by(door: str, document: Any, folder: Path) -> list[Any] | None:
    """The calls that a door reads; None when it refuses."""
    try:
        made = DOORS[door](json.loads(json.dumps(document)), folder)
    except (InputError, AgentFailedError, ProviderError):
        return REFUSED
    return [[call.name, call.arguments] for call in made.calls] if made.stop_reason == "done" else REFUSED


@pytest.mark.parametrize("name", SHAPES)
def test_every_call_of_a_shape_is_read_or_the_shape_is_refused(name: str, tmp_path: Path) -> None:
    shape = SHAPES[name]
    found = {door: calls_by(door, shape["document"], tmp_path) for door in DOORS}
    assert found == {door: shape["calls"] if door in shape["read_by"] else REFUSED for door in DOORS}


@pytest.mark.parametrize("seed", range(8))
def test_a_call_put_anywhere_is_read_or_refused(seed: int, tmp_path: Path) -> None:
    """A call under a name that nobody reads, at a random place of a shape that every door reads."""
    rng = random.Random(seed)
    for name, shape in SHAPES.items():
        document = json.loads(json.dumps(shape["document"]))
        places = list(places_of(document))
        if len(shape["read_by"]) < len(DOORS) or not places:
            continue
        rng.choice(places)["secret_field"] = {"later": [rng.choice(HIDDEN)]}
        for door in DOORS:
            found = calls_by(door, document, tmp_path)
            assert found is REFUSED or ["hidden", {"x": 1}] in found, (name, door, seed)


HIDDEN: list[Any] = [
    {"name": "hidden", "arguments": '{"x": 1}'},
    {"tool": "hidden", "tool_input": {"x": 1}},
    {"type": "tool_use", "id": "h", "name": "hidden", "input": {"x": 1}},
    {"function": {"name": "hidden", "arguments": '{"x": 1}'}},
    {"functionCall": {"name": "hidden", "args": {"x": 1}}},
    {"role": "assistant", "content": "", "tool_calls": [{"name": "hidden", "args": {"x": 1}}]},
]


def places_of(value: Any) -> Any:
    """The objects of a response that are the model's own: not arguments, results, settings, or what others say."""
    if isinstance(value, list):
        for inner in value:
            yield from places_of(inner)
    elif isinstance(value, dict) and value.get("role") not in ("user", "human", "USER", "tool", "TOOL"):
        answers = {
            "choices",
            "candidates",
            "messages",
            "message",
            "output",
            "outputs",
            "content",
        } & value.keys()
        if answers and "type" not in value and "part_kind" not in value:
            yield value
        for name in answers:
            if not calls_within([value.get("id"), value[name]]) or name in (
                "choices",
                "candidates",
                "messages",
            ):
                yield from places_of(value[name])


@pytest.mark.parametrize("part", [*HARMLESS, {"type": "document", "source": {"type": "text", "data": "x"}},
    {"type": "text", "text": "x", "citations": [{"type": "char_location", "cited_text": "x", "document_index": 0}],
     "cache_control": {"type": "ephemeral"}},
    {"type": "container_upload", "file_id": "f"}, {"type": "refusal", "refusal": "no"},
    {"type": "audio", "audio": {"id": "a", "transcript": "hi"}}, {"type": "citation", "document": {"name": "a"}},
    {"type": "mcp_list_tools", "tools": [{"name": "f", "input_schema": {"type": "object"}}]},
    {"type": "data-plan", "data": {"name": "f", "args": {}}},
    {"type": "output_text", "text": "x", "logprobs": [{"token": "x", "bytes": [1]}]},
], ids=lambda part: str(part.get("type", next(iter(part)))))  # fmt: skip
def test_parts_that_call_nothing_are_not_refused(part: Any) -> None:
    made = as_trajectory([{"role": "assistant", "content": [part, {"type": "text", "text": "Done."}]}])
    assert made.calls == () and "Done." in made.output


@pytest.mark.parametrize("field", [
    {"reasoning_details": [{"type": "reasoning.text", "text": "Hm."}]}, {"usage": {"input": 1, "name": "x"}},
    {"tools": [{"type": "function", "function": {"name": "f", "parameters": {"properties": {}}}}]},
    {"functions": [{"name": "f", "parameters": {"type": "object", "properties": {}}}]},
    {"metadata": {"name": "run", "input": "text"}}, {"tool_choice": {"type": "function", "function": {"name": "f"}}},
    {"context": {"citations": [{"content": "x"}]}}, {"images": [{"type": "image_url", "image_url": {"url": "x"}}]},
    {"history": [{"role": "user", "content": "x"}, {"role": "tool", "content": "{}", "name": "f"}]},
    {"parsed": {"name": "Ann", "parameters": {"a": 1}}},
], ids=lambda field: next(iter(field)))  # fmt: skip
def test_fields_that_hold_no_call_are_not_refused(field: Any, tmp_path: Path) -> None:
    message = {"role": "assistant", "content": "Hi.", **field}
    for document in (
        message,
        {"choices": [{"index": 0, "message": message}], **field},
        {"messages": [message]},
    ):
        assert {door: calls_by(door, document, tmp_path) for door in DOORS} == {door: [] for door in DOORS}


def test_calls_beside_messages_hide_none_of_theirs(tmp_path: Path) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "delete", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
    ]
    for calls in ([], [{"name": "read", "arguments": {}}]):
        with pytest.raises(InputError, match="a call of 'delete' that 'calls' does not have"):
            by_file({"calls": calls, "messages": messages}, tmp_path)
    renamed = {"calls": [{"name": "delete", "arguments": {"id": 7}}], "messages": messages}
    assert by_file(renamed, tmp_path).calls[0].arguments == {"id": 7}
    path = tmp_path / "done.jsonl"
    path.write_text(json.dumps({"golden_id": "g", "calls": [], "given": 2, "messages": messages}) + "\n")
    assert next(iter(load_trajectories(path))).trajectory.calls == ()
    path.write_text(json.dumps({"golden_id": "g", "given": 2, "messages": messages}) + "\n")
    assert next(iter(load_trajectories(path))).trajectory.calls == ()


def test_a_trajectory_with_earlier_turns_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Traces record whole conversations; the calls are those of the last turn."""
    earlier = (Message("user", "a"), Message("assistant", calls=[ToolCall("f")]), Message("assistant", "b"))
    for calls in ((), (ToolCall("g", {}, step=2),)):
        made = Trajectory(
            (*earlier, Message("user", "c"), Message("assistant", "d", calls=calls)), calls, "d"
        )
        save_trajectories([RecordedTrajectory("g", made)], tmp_path / "done.jsonl")
        assert [line.trajectory for line in load_trajectories(tmp_path / "done.jsonl")] == [made]


def test_keys_that_are_not_text_do_not_stop_the_reading() -> None:
    made = as_trajectory([{"role": "assistant", "content": "Hi.", 1: {2: [{"a": 3}]}}])
    assert (made.output, made.calls) == ("Hi.", ())
    with pytest.raises(InputError, match="a call of 'f'"):
        as_trajectory([{"role": "assistant", "content": "Hi.", 1: {2: [{"tool": "f", "args": {}}]}}])
