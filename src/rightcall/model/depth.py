"""Values of trajectories that are nested too deeply, kept as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from rightcall.core.depth import is_too_deep
from rightcall.model.call import ToolCall, ToolResult
from rightcall.model.message import Message
from rightcall.model.trajectory import Trajectory

MOST_KEPT = 2000
"""Characters kept of a value that is too deep to be kept as a value."""


def limit_trajectory_depth(trajectory: Trajectory) -> Trajectory:
    """The same trajectory object when nothing in it is too deep, which is nearly always."""
    calls = tuple(map(limit_call_depth, trajectory.calls))
    messages = tuple(map(limit_message_depth, trajectory.messages))
    if _same(calls, trajectory.calls) and _same(messages, trajectory.messages):
        return trajectory
    return replace(trajectory, calls=calls, messages=messages)


def limit_message_depth(message: Message) -> Message:
    calls = tuple(map(limit_call_depth, message.calls))
    results = tuple(map(_limit_result_depth, message.results))
    if _same(calls, message.calls) and _same(results, message.results):
        return message
    return replace(message, calls=calls, results=results)


def limit_call_depth(call: ToolCall) -> ToolCall:
    if is_too_deep(call.arguments):
        call = replace(call, arguments=None, raw=_text(call.arguments))
    return replace(call, output=_text(call.output)) if is_too_deep(call.output) else call


def _limit_result_depth(result: ToolResult) -> ToolResult:
    return replace(result, output=_text(result.output)) if is_too_deep(result.output) else result


def _same(left: Sequence[Any], right: Sequence[Any]) -> bool:
    return all(a is b for a, b in zip(left, right, strict=True))


def _text(value: Any) -> str:
    """The beginning of the value as JSON, if it can be encoded."""
    try:
        return msgspec.json.encode(value).decode()[:MOST_KEPT]
    except (RecursionError, TypeError, ValueError):
        return "nested too deeply to write down"
