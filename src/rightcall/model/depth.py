"""Values of trajectories that are nested too deeply, kept as text."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from rightcall.core.depth import is_too_deep
from rightcall.model.call import ToolCall, ToolResult
from rightcall.model.message import Message
from rightcall.model.trajectory import Trajectory

R = TypeVar("R", Trajectory, Message)
P = TypeVar("P", ToolCall, ToolResult)

MOST_KEPT = 2000
"""Characters kept of a value that is too deep to be kept as a value."""


def limit_trajectory_depth(trajectory: Trajectory) -> Trajectory:
    """The same trajectory object when nothing in it is too deep, which is nearly always."""
    in_message = partial(_limit_parts, calls=limit_call_depth, results=_limit_output_depth)
    return _limit_parts(trajectory, calls=limit_call_depth, messages=in_message)


def limit_call_depth(call: ToolCall) -> ToolCall:
    if is_too_deep(call.arguments):
        call = replace(call, arguments=None, raw=_text(call.arguments))
    return _limit_output_depth(call)


def _limit_output_depth(part: P) -> P:
    return replace(part, output=_text(part.output)) if is_too_deep(part.output) else part


def _limit_parts(record: R, **limits: Callable[[Any], Any]) -> R:
    parts = {name: tuple(map(limit, getattr(record, name))) for name, limit in limits.items()}
    pairs = (zip(part, getattr(record, name), strict=True) for name, part in parts.items())
    return record if all(new is old for pair in pairs for new, old in pair) else replace(record, **parts)


def _text(value: Any) -> str:
    """The beginning of the value as JSON, if it can be encoded."""
    try:
        return msgspec.json.encode(value).decode()[:MOST_KEPT]
    except (RecursionError, TypeError, ValueError):
        return "nested too deeply to write down"
