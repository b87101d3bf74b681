"""Transcripts of coding agents: read whole, or refused with the line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rightcall.core.errors import InputError
from rightcall.records.dialects.coding_agents import CodingTranscript, claims_bytes, read_transcript

INIT = {"type": "system", "subtype": "init", "session_id": "s", "model": "m"}
END = {
    "type": "result",
    "subtype": "success",
    "result": "Done.",
    "usage": {"input_tokens": 3, "output_tokens": 2},
}
THREAD = {"type": "thread.started", "thread_id": "t"}
FIRST: dict[str, dict[str, Any]] = {
    "claude-stream": INIT,
    "claude-session": {
        "type": "user",
        "sessionId": "s",
        "uuid": "u",
        "message": {"role": "user", "content": "Hi"},
    },
    "codex-exec": THREAD,
    "codex-rollout": {"type": "session_meta", "payload": {"id": "s"}},
    "gemini-stream": {"type": "init", "session_id": "s", "model": "m"},
    "gemini-chat": {"sessionId": "s", "projectHash": "h"},
}


def said(*blocks: dict[str, Any], id_: str = "m1", **fields: Any) -> dict[str, Any]:
    return {
        "type": "assistant",
        "message": {"id": id_, "role": "assistant", "content": list(blocks)},
        **fields,
    }


def use(name: str, id_: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": name, "input": arguments}


def read(*lines: Any, tail: bytes = b"") -> CodingTranscript:
    transcript = read_transcript("\n".join(map(json.dumps, lines)).encode() + tail, "log.jsonl")
    assert transcript is not None
    return transcript


@pytest.mark.parametrize("form", FIRST)
def test_a_line_of_an_unknown_type_is_refused_with_its_place(form: str) -> None:
    unknown = {"type": "tool_launch", "id": "x", "name": "delete", "uuid": "v", "parentUuid": "u"}
    with pytest.raises(InputError) as error:
        read(FIRST[form], unknown)
    assert "line 2" in error.value.problem and "tool_launch" in error.value.problem


@pytest.mark.parametrize("form", FIRST)
def test_a_transcript_is_recognized_by_its_first_lines(form: str) -> None:
    assert claims_bytes(json.dumps(FIRST[form]).encode()) == form


@pytest.mark.parametrize(
    "text", ["", "<html>Log in</html>", "[]", '{"golden_id": "g", "calls": []}', '{"type": "x"}']
)
def test_other_text_is_no_transcript(text: str) -> None:
    assert read_transcript(text.encode(), "log.jsonl") is None


def test_a_transcript_without_its_end_is_cut() -> None:
    whole = read(INIT, said(use("Bash", "c1", command="ls")), END)
    assert not whole.cut and whole.trajectory.output == "Done." and whole.trajectory.usage.tokens == 5
    without_end = read(INIT, said(use("Bash", "c1", command="ls")))
    torn = read(INIT, said(use("Bash", "c1", command="ls")), tail=b'\n{"type": "assi')
    assert [t.trajectory.stop_reason for t in (without_end, torn)] == ["truncated", "truncated"]
    with pytest.raises(InputError, match="line 2 is not complete JSON"):
        read_transcript(
            json.dumps(INIT).encode() + b'\n{"type": "assi\n' + json.dumps(END).encode(), "log.jsonl"
        )


def test_lines_of_one_message_are_joined_and_repeated_blocks_count_once() -> None:
    first = use("search", "c1", q="x")
    lines = [said(first), said(first, use("search", "c2", q="x")), END]
    calls = read(INIT, *lines).trajectory.calls
    assert [(call.id, call.name) for call in calls] == [("c1", "search"), ("c2", "search")]


def test_calls_of_a_sub_agent_carry_its_name_and_the_call_that_started_it() -> None:
    started = use("Task", "t1", subagent_type="reviewer", prompt="look")
    inner = said(use("Read", "r1", path="a"), id_="m2", parent_tool_use_id="t1")
    task, reading = read(INIT, said(started), inner, END).trajectory.calls
    assert (task.agent, task.caller) == (None, "")
    assert (reading.agent, reading.path, reading.caller) == ("reviewer", ("", "reviewer"), "t1")


def test_a_tool_of_a_server_has_its_own_name() -> None:
    call = read(INIT, said(use("mcp__shop__refund", "c1", id=1)), END).trajectory.calls[0]
    assert (call.name, call.notes["server"], call.notes["written"]) == ("refund", "shop", "mcp__shop__refund")


def test_a_denied_call_was_asked_for_and_did_not_run() -> None:
    result = {"type": "user", "message": {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "c1", "content": "denied", "is_error": True}]}}  # fmt: skip
    end = {**END, "permission_denials": [{"tool_name": "Bash", "tool_use_id": "c1", "tool_input": {}}]}
    call = read(INIT, said(use("Bash", "c1", command="rm")), result, end).trajectory.calls[0]
    assert call.status == "not_run" and call.approval is not None and call.approval.decision == "rejected"


@pytest.mark.parametrize(
    ("end", "stop"),
    [
        ({**END, "subtype": "error_max_turns"}, "limit"),
        ({**END, "is_error": True, "subtype": "error_during_execution"}, "agent_error"),
        (END, "done"),
    ],
)
def test_how_it_ended_is_what_the_result_says(end: dict[str, Any], stop: str) -> None:
    assert read(INIT, said({"type": "text", "text": "Hm."}), end).trajectory.stop_reason == stop


def test_an_item_that_began_and_never_ended_is_a_call_without_a_result() -> None:
    item = {"id": "i1", "type": "command_execution", "command": "make", "status": "in_progress"}
    transcript = read(THREAD, {"type": "item.started", "item": item})
    assert [(call.name, call.status) for call in transcript.trajectory.calls] == [("shell", "not_run")]
    assert transcript.cut


def test_an_unknown_item_of_codex_is_refused() -> None:
    with pytest.raises(InputError, match="line 2 is of the unknown type 'browser_click'"):
        read(THREAD, {"type": "item.completed", "item": {"id": "i", "type": "browser_click"}})


def test_a_failed_turn_is_the_agents_error() -> None:
    failed = {"type": "turn.failed", "error": {"message": "no credits"}}
    trajectory = read(THREAD, failed).trajectory
    assert (trajectory.stop_reason, trajectory.error) == ("agent_error", "no credits")


def test_a_loaded_skill_or_a_search_of_the_product_is_plumbing() -> None:
    calls = read(
        INIT, said(use("ToolSearch", "c1", query="x"), use("Bash", "c2", command="ls")), END
    ).trajectory.calls
    assert [call.kind for call in calls] == ["plumbing", "direct"]
