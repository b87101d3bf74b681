"""The same calls as each calling surface writes them: directly, after a search, inside a program, in transcripts."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from rightcall.metrics.matching.verdict import CaseVerdict
from rightcall.records.dialects import read_messages, trajectory_from_messages
from rightcall.records.dialects.coding_agents import read_transcript
from rightcall.records.trajectory import Trajectory

Calls = Sequence[tuple[str, dict[str, Any]]]
ANSWER = "It is done."
REQUEST = "Do it."


def of_messages(messages: list[dict[str, Any]]) -> Trajectory:
    return trajectory_from_messages(read_messages(messages, "test"))


def of_lines(lines: list[dict[str, Any]]) -> Trajectory:
    transcript = read_transcript("\n".join(map(json.dumps, lines)).encode(), "test")
    assert transcript is not None
    return transcript.trajectory


def anthropic_turns(calls: Calls, **extra: Any) -> list[dict[str, Any]]:
    """One call a message, each with its result."""
    turns = []
    for at, (name, arguments) in enumerate(calls):
        use = {"type": "tool_use", "id": f"c{at}", "name": name, "input": arguments, **extra}
        result = {"type": "tool_result", "tool_use_id": f"c{at}", "content": "ok"}
        turns += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [result]}]
    return [*turns, {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]}]


def response_items(calls: Calls, **extra: Any) -> list[dict[str, Any]]:
    items = []
    for at, (name, arguments) in enumerate(calls):
        text = json.dumps(arguments)
        items.append({"type": "function_call", "call_id": f"c{at}", "name": name, "arguments": text, **extra})
        items.append({"type": "function_call_output", "call_id": f"c{at}", "output": "ok"})
    return [
        *items,
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWER}]},
    ]


def direct(calls: Calls) -> Trajectory:
    return of_messages(anthropic_turns(calls))


def direct_responses(calls: Calls) -> Trajectory:
    return of_messages(response_items(calls))


def after_search(calls: Calls) -> Trajectory:
    found = [{"type": "tool_reference", "tool_name": name} for name, _ in calls] or [
        {"type": "tool_reference", "tool_name": "x"}
    ]
    search = {
        "type": "server_tool_use",
        "id": "s",
        "name": "tool_search_tool_bm25",
        "input": {"query": "what I need"},
    }
    result = {"type": "tool_search_tool_result", "tool_use_id": "s",
              "content": {"type": "tool_search_tool_search_result", "tool_references": found}}  # fmt: skip
    return of_messages([{"role": "assistant", "content": [search, result]}, *anthropic_turns(calls)])


def after_own_search(calls: Calls) -> Trajectory:
    """A search that the application runs: only its result shows what it is."""
    search = {"type": "tool_use", "id": "s", "name": "find_tools", "input": {"query": "what I need"}}
    result = {
        "type": "tool_result",
        "tool_use_id": "s",
        "content": [{"type": "tool_reference", "tool_name": "x"}],
    }
    turns = [{"role": "assistant", "content": [search]}, {"role": "user", "content": [result]}]
    return of_messages([*turns, *anthropic_turns(calls)])


def after_search_responses(calls: Calls) -> Trajectory:
    defined = [{"type": "function", "name": name} for name, _ in calls]
    search = {
        "type": "tool_search_call",
        "id": "ts",
        "call_id": None,
        "execution": "server",
        "arguments": {"query": "x"},
    }
    output = {"type": "tool_search_output", "id": "to", "call_id": None, "execution": "server",
              "tools": [{"type": "namespace", "name": "n", "tools": defined}]}  # fmt: skip
    return of_messages([search, output, *response_items(calls)])


def in_program(calls: Calls) -> Trajectory:
    program = {"type": "server_tool_use", "id": "p", "name": "code_execution", "input": {"code": "run()"}}
    result = {
        "type": "code_execution_tool_result",
        "tool_use_id": "p",
        "content": {"stdout": "", "return_code": 0},
    }
    inner = anthropic_turns(calls, caller={"type": "code_execution_20260120", "tool_id": "p"})
    inner[-1]["content"] = [result, *inner[-1]["content"]]
    return of_messages([{"role": "assistant", "content": [program]}, *inner])


def in_program_responses(calls: Calls) -> Trajectory:
    program = {"type": "program", "id": "pr", "call_id": "p", "code": "run()", "fingerprint": "f"}
    output = {"type": "program_output", "call_id": "p", "result": "done", "status": "completed"}
    *inner, answer = response_items(calls, caller={"type": "program", "caller_id": "p"})
    return of_messages([program, *inner, output, answer])


def claude_stream(calls: Calls) -> Trajectory:
    lines: list[dict[str, Any]] = [
        {"type": "system", "subtype": "init", "session_id": "s", "model": "m", "tools": []}
    ]
    for at, turn in enumerate(anthropic_turns(calls)):
        lines.append({"type": turn["role"], "message": {"id": f"m{at}", **turn}, "parent_tool_use_id": None})
    end = {
        "type": "result",
        "subtype": "success",
        "is_error": False,
        "result": ANSWER,
        "usage": {},
        "duration_ms": 1,
    }
    return of_lines([*lines, end])


def claude_session(calls: Calls) -> Trajectory:
    turns = [{"role": "user", "content": REQUEST}, *anthropic_turns(calls)]
    lines: list[dict[str, Any]] = [{"type": "queue-operation", "operation": "enqueue", "sessionId": "s"}]
    for at, turn in enumerate(turns):
        lines.append({"type": turn["role"], "uuid": f"u{at}", "parentUuid": f"u{at - 1}" if at else None,
                      "isSidechain": False, "sessionId": "s", "message": {"id": f"m{at}", **turn}})  # fmt: skip
    # a branch that was left: what was tried there did not happen in the conversation that went on
    left = {"type": "tool_use", "id": "left", "name": "left_branch", "input": {}}
    lines.insert(2, {"type": "assistant", "uuid": "x", "parentUuid": "u0", "isSidechain": False, "sessionId": "s",
                     "message": {"id": "mx", "role": "assistant", "content": [left]}})  # fmt: skip
    return of_lines(lines)


def codex_exec(calls: Calls) -> Trajectory:
    lines: list[dict[str, Any]] = [{"type": "thread.started", "thread_id": "t"}, {"type": "turn.started"}]
    for at, (name, arguments) in enumerate(calls):
        item = {
            "id": f"i{at}",
            "type": "mcp_tool_call",
            "server": "shop",
            "tool": name,
            "arguments": arguments,
        }
        lines.append({"type": "item.started", "item": {**item, "status": "in_progress"}})
        lines.append({"type": "item.completed", "item": {**item, "result": "ok", "status": "completed"}})
    answer = {"id": "a", "type": "agent_message", "text": ANSWER}
    usage = {"input_tokens": 1, "cached_input_tokens": 0, "output_tokens": 1}
    return of_lines(
        [*lines, {"type": "item.completed", "item": answer}, {"type": "turn.completed", "usage": usage}]
    )


def codex_rollout(calls: Calls) -> Trajectory:
    lines: list[dict[str, Any]] = [{"type": "session_meta", "payload": {"id": "s"}}]
    asked = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": REQUEST}]}
    plan = {"type": "function_call", "call_id": "plan", "name": "update_plan", "arguments": "{}"}
    lines += [{"type": "response_item", "payload": item} for item in (asked, plan, *response_items(calls))]
    return of_lines([*lines, {"type": "event_msg", "payload": {"type": "token_count", "info": None}}])


def gemini_stream(calls: Calls) -> Trajectory:
    lines: list[dict[str, Any]] = [{"type": "init", "session_id": "s", "model": "m"}]
    lines.append({"type": "message", "role": "user", "content": REQUEST})
    for at, (name, arguments) in enumerate(calls):
        lines.append({"type": "tool_use", "tool_name": name, "tool_id": f"c{at}", "parameters": arguments})
        lines.append({"type": "tool_result", "tool_id": f"c{at}", "status": "success", "output": "ok"})
    lines.append({"type": "message", "role": "assistant", "content": ANSWER, "delta": True})
    return of_lines([*lines, {"type": "result", "status": "success", "stats": {"input_tokens": 1}}])


def gemini_chat(calls: Calls) -> Trajectory:
    lines: list[dict[str, Any]] = [{"sessionId": "s", "projectHash": "h", "kind": "main"}]
    lines.append({"id": "u", "type": "user", "content": [{"text": REQUEST}]})
    for at, (name, arguments) in enumerate(calls):
        lines.append({"id": f"m{at}", "type": "gemini", "content": ""})
        call = {"id": f"c{at}", "name": name, "args": arguments, "status": "success", "result": "ok"}
        lines.append({"id": f"m{at}", "type": "gemini", "content": "", "toolCalls": [call]})
    return of_lines(
        [*lines, {"id": "a", "type": "gemini", "content": ANSWER}, {"$set": {"lastUpdated": "now"}}]
    )


SURFACES: dict[str, Callable[[Calls], Trajectory]] = {
    surface.__name__: surface
    for surface in (
        direct, direct_responses, after_search, after_own_search, after_search_responses, in_program,
        in_program_responses, claude_stream, claude_session, codex_exec, codex_rollout, gemini_stream, gemini_chat,
    )
}  # fmt: skip


def told(verdict: CaseVerdict) -> tuple[Any, ...]:
    """All that a verdict says, but for places among the calls, which other surfaces fill with more."""
    failures = sorted(
        (f.code, f.tool, f.parameter, repr(f.expected), repr(f.actual)) for f in verdict.failures
    )
    return verdict.passed, verdict.score, verdict.numbers, failures
