"""The nesting limit of JSON: one limit for every file, reply, argument and result.

Readers, matchers and reports walk values recursively. A thousand brackets take a kilobyte to send and the whole
stack to walk, so deeper values are rejected on input: a file with an `InputError`, a model's arguments as
`bad_json`, a tool's result by keeping it as text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

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
    return _has_brackets_after_peeling(data, limit) and _has_brackets_after_peeling(
        _STRING.sub(b"", data), limit
    )


def _has_brackets_after_peeling(data: bytes, limit: int) -> bool:
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


def values_in(value: Any) -> Iterator[Any]:
    """A plain value and everything inside it. Walks without recursion."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def is_too_deep(value: Any, limit: int = MAX_DEPTH) -> bool:
    """Whether a plain value is nested deeper than the limit or contains itself. Walks without recursion."""
    if type(value) is not dict and type(value) is not list:
        return False
    layer = [value]
    depth = 0
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
