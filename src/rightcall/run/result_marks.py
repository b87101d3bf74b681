"""What tools returned, as a baseline keeps it and `check` compares it: short, and without ids and times."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import msgspec

from rightcall.core.digest import hex_digest
from rightcall.core.text import one_line
from rightcall.recording.first_requests.request_digest import CHANGING
from rightcall.records.call import ToolCall

LONGEST = 60
"""Characters of a result that are kept; of a longer one with a digest of all."""
MOST_CALLS = 20
VARIES = ""
"""In place of a result that differs between trials of one version."""

GENERATED_FIELD = re.compile(
    r"(?:^|_)(?:ids?|uuid|guid|key|token|nonce|etag|hash|reference|timestamp|date|time|at|on)$"
    r"|[a-z](?:Ids?|Uuid|Key|Token|At|On|Date|Time)$"
)
GENERATED_WORD = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{6,}\b")
"""`TCK-48213`: a number of something new, unless the call named it."""

Marks = dict[str, str]
"""By tool, arguments and repetition: the mark of a result."""


def result_marks(calls: Iterable[ToolCall]) -> Marks:
    """The marks of the first results of a trial."""
    marks: Marks = {}
    times = Counter[str]()
    for call in calls:
        if call.status == "not_run" or len(marks) >= MOST_CALLS:
            continue
        named = call.raw or msgspec.json.encode(call.arguments, enc_hook=repr).decode()
        question = f"{call.name} {hex_digest(_plain(call.arguments, named), 8)}"
        times[question] += 1
        marks[f"{question}{times[question]}"] = _mark(call, named)
    return marks


def join_marks(trials: Iterable[Mapping[str, str]]) -> Marks:
    """The marks of several trials of one version; `VARIES` where they differ."""
    joined: Marks = {}
    for marks in trials:
        for key, mark in marks.items():
            joined[key] = mark if joined.get(key, mark) == mark else VARIES
    return joined


def tool_of(key: str) -> str:
    """The tool whose result a mark is."""
    return key.rpartition(" ")[0]


def mark_excerpts(before: str, now: str) -> tuple[str, str]:
    """Two marks for people: their digests only where nothing else differs."""
    texts = before.rpartition(" #")[0] or before, now.rpartition(" #")[0] or now
    return texts if texts[0] != texts[1] else (before, now)


def _mark(call: ToolCall, named: str) -> str:
    text = _plain(call.output, named)
    shown = one_line(text, LONGEST)
    failed = "error: " if call.status == "error" else ""
    return f"{failed}{shown}" if shown == text else f"{failed}{shown} #{hex_digest(text, 8)}"


def _plain(value: Any, named: str) -> str:
    """The value as text, its fields in one order; what was generated is `…`, unless the call `named` it."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        with suppress(msgspec.DecodeError, RecursionError):
            value = msgspec.json.decode(value)
    masked = _without_volatile(value, named)
    return masked if isinstance(masked, str) else msgspec.json.encode(masked, enc_hook=repr).decode()


def _without_volatile(value: Any, named: str) -> Any:
    if isinstance(value, str):
        steady = CHANGING.sub("…", value)
        return GENERATED_WORD.sub(lambda word: word[0] if word[0] in named else "…", steady)
    if isinstance(value, Mapping):
        fields = {str(name): part for name, part in value.items()}
        generated = sorted(name for name, part in fields.items() if _is_generated(name, part, named))
        steady_fields = {
            name: _without_volatile(fields[name], named) for name in sorted({*fields} - {*generated})
        }
        return steady_fields | dict.fromkeys(generated, "…")
    return [_without_volatile(part, named) for part in value] if isinstance(value, list | tuple) else value


def _is_generated(name: str, value: Any, named: str) -> bool:
    scalar = isinstance(value, str | int | float) and not isinstance(value, bool)
    return scalar and str(value) not in named and GENERATED_FIELD.search(name) is not None
