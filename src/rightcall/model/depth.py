"""The nesting limit of JSON: one limit for every file, reply, argument and result.

Readers, matchers and reports walk values recursively. A thousand brackets take a kilobyte to send and the whole
stack to walk, so deeper values are rejected on input: a file with an `InputError`, a model's arguments as
`bad_json`, a tool's result by keeping it as text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from rightcall.model.call import ToolCall, ToolResult
from rightcall.model.message import Message
from rightcall.model.trajectory import Trajectory

MAX_DEPTH = 100
"""Levels of nested objects and lists. Providers reject schemas beyond 5 or 10."""

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_BRACKETS = bytes.maketrans(b"{}", b"[]")
_OTHERS = bytes(set(range(256)) - set(b"[]{}"))
_CUT = b'"nested too deeply"'


def too_deep(data: bytes | memoryview, limit: int = MAX_DEPTH) -> bool:
    """Whether JSON text is nested deeper than the limit; about as fast as copying it."""
    if len(data) <= 2 * limit:  # every level takes two brackets
        return False
    data = bytes(data)
    if data.count(b"[") + data.count(b"{") <= limit:
        return False
    # Brackets in strings can only make it look deeper, so strings are removed when in doubt.
    return _left_after_peeling(data, limit) and _left_after_peeling(_STRING.sub(b"", data), limit)


def _left_after_peeling(data: bytes, limit: int) -> bool:
    """Whether brackets remain after removing the innermost pairs `limit` times."""
    brackets = data.translate(_BRACKETS, _OTHERS)
    for _ in range(limit):
        if not brackets:
            return False
        shorter = brackets.replace(b"[]", b"")
        if len(shorter) == len(brackets):
            return True  # unbalanced: removing strings, or the decoder, will show why
        brackets = shorter
    return bool(brackets)


def shallow(data: bytes | memoryview, limit: int = 2 * MAX_DEPTH) -> bytes:
    """The same JSON with everything deeper than the limit replaced by a placeholder, so that it can be read.

    Truncated values are still deeper than `MAX_DEPTH`, so `is_too_deep` detects them.
    """
    data = bytes(data)
    pieces: list[bytes] = []
    depth = kept = 0
    for token in _TOKEN.finditer(data):
        if (mark := token.group()) in b"[{":
            depth += 1
            if depth == limit + 1:
                pieces += (data[kept : token.start()], _CUT)
        elif mark in b"]}":
            if depth == limit + 1:
                kept = token.end()
            depth -= 1
    if depth > limit:
        return b"".join(pieces)  # unbalanced: the decoder reports it
    return b"".join((*pieces, data[kept:]))


def is_too_deep(value: Any, limit: int = MAX_DEPTH) -> bool:
    """Whether a plain value is nested deeper than the limit or contains itself. Walks without recursion."""
    if type(value) is not dict and type(value) is not list:
        return False
    layer, depth = [value], 0
    while layer:
        depth += 1
        if depth > limit:
            return True
        layer = [
            inner
            for outer in layer
            for inner in (outer.values() if type(outer) is dict else outer)
            if type(inner) is dict or type(inner) is list
        ]
    return False


MOST_KEPT = 2000
"""Characters kept of a value that is too deep to be kept as a value."""


def bounded_trajectory(trajectory: Trajectory) -> Trajectory:
    """The same trajectory object when nothing in it is too deep, which is nearly always."""
    calls = tuple(map(bounded_call, trajectory.calls))
    messages = tuple(map(bounded_message, trajectory.messages))
    if _same(calls, trajectory.calls) and _same(messages, trajectory.messages):
        return trajectory
    return replace(trajectory, calls=calls, messages=messages)


def bounded_message(message: Message) -> Message:
    """The same for one message."""
    calls = tuple(map(bounded_call, message.calls))
    results = tuple(map(_bounded_result, message.results))
    if _same(calls, message.calls) and _same(results, message.results):
        return message
    return replace(message, calls=calls, results=results)


def bounded_call(call: ToolCall) -> ToolCall:
    """The same for one call."""
    if is_too_deep(call.arguments):
        call = replace(call, arguments=None, raw=_text(call.arguments))
    return replace(call, output=_text(call.output)) if is_too_deep(call.output) else call


def _bounded_result(result: ToolResult) -> ToolResult:
    return replace(result, output=_text(result.output)) if is_too_deep(result.output) else result


def _same(left: Sequence[Any], right: Sequence[Any]) -> bool:
    return all(a is b for a, b in zip(left, right, strict=True))


def _text(value: Any) -> str:
    """The beginning of the value as JSON, if it can be encoded."""
    try:
        return msgspec.json.encode(value).decode()[:MOST_KEPT]
    except (RecursionError, TypeError, ValueError):
        return "nested too deeply to write down"
