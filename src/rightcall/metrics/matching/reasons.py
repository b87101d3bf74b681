"""Failures as readable text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

from rightcall.core.errors import InputError
from rightcall.core.text import pluralize
from rightcall.metrics.matching.base import Scope, short_json
from rightcall.metrics.matching.compile import compile_matcher, matcher_key
from rightcall.metrics.matching.teamwork import LABELS, is_label
from rightcall.records.failure import CODES, Failure

MOST_CLAUSES = 50
"""Maximum clauses in a reason; the codes of a case are complete."""
SINGLE_VALUE = frozenset(("exact", "text", "number", "date", "default"))
"""Matchers that wrap one value, which is enough in a sentence."""


def sentence(failure: Failure) -> str:
    """One failure as one clause, without a full stop."""
    return CODES[failure.code].sentence.format_map(_Parts(f=failure))


def reason(failures: Collection[Failure], sentences: Iterable[str] = ()) -> str:
    """All failures of a case in one line, from their `sentences` if they are known; a repeated clause is shown once.

    Where nothing was called, that is said once, with all that was expected.
    """
    pairs = list(zip(sentences or map(sentence, failures), failures, strict=True))
    absent = list(dict.fromkeys(call_text(f.tool, f.expected) for f in failures if f.code == "no_call"))
    together = len(absent) > 1
    clauses = list(dict.fromkeys(text for text, f in pairs if not (together and f.code == "no_call")))
    if together:
        clauses.insert(0, CODES["no_call"].sentence.format(expected_call=" and ".join(absent)))
    if len(clauses) > MOST_CLAUSES:
        clauses = [*clauses[:MOST_CLAUSES], f"and {len(clauses) - MOST_CLAUSES:,} more"]
    return "; ".join(clauses)


def call_text(tool: str, arguments: Any) -> str:
    """A call as it would be written in code: `get_weather(city="Hanoi")`."""
    if arguments == {} and is_label(tool):
        return tool
    if not isinstance(arguments, dict):
        return tool if arguments is None else f"{tool}({short_json(arguments)})"
    return f"{tool}({', '.join(f'{name}={_spec(value)}' for name, value in arguments.items())})"


def _spec(value: Any) -> str:
    """An expected value in a call: the value itself where the matcher has one, else the matcher in words."""
    key = matcher_key(value) if isinstance(value, dict) else None
    if key is None:
        return short_json(value, 60)
    inner = value[key]
    if key in SINGLE_VALUE:
        return short_json(inner["value"] if isinstance(inner, dict) and "value" in inner else inner, 60)
    try:
        return f"<{compile_matcher(value, Scope()).describe()}>"
    except InputError:  # a matcher that needs more than itself, such as a reference to another call
        return f"<{short_json(value, 60)}>"


def _because(f: Failure) -> str:
    return f": {f.detail}" if f.detail else ""


def _swap(f: Failure) -> str:
    """Another tool, or another agent, than the expected one."""
    label = LABELS["handoff"]
    if f.tool.startswith(label) and str(f.actual).startswith(label):
        return f"handed off to {str(f.actual)[len(label) :]} instead of {f.tool[len(label) :]}"
    return f"called {f.actual} instead of {f.tool}"


PARTS: dict[str, Callable[[Failure], str]] = {
    "expected": lambda f: f.detail or short_json(f.expected),
    "actual": lambda f: short_json(f.actual),
    "expected_call": lambda f: call_text(f.tool, f.expected),
    "actual_call": lambda f: call_text(f.tool, f.actual),
    "because": _because,
    "only": lambda f: "" if f.expected is None else f", only {call_text(f.tool, f.expected)} would do",
    "instead": lambda f: "" if f.expected is None else f", instead of {f.expected}",
    "limit": lambda f: f.detail or f"at most {f.expected} are allowed",
    "content": lambda f: short_json(f.expected),
    "world": lambda f: f.tool or "the world",
    "state": lambda f: f.detail or short_json(f.actual),
    "waiting": lambda f: f.tool or "a call",
    "levels": lambda f: pluralize(int(f.actual), "level"),
    "swap": _swap,
    "missed": lambda f: (
        f"no {f.tool} was made" if is_label(f.tool) else f"{call_text(f.tool, f.expected)} was not called"
    ),
    "whose": lambda f: f"{f.agent}: " if f.agent else "",
    "stopped": lambda f: f.detail if f.agent else f"stopped at a limit before finishing{_because(f)}",
    "deed": lambda f: f"{f.tool} was called" if f.tool else "the answer was given",
}
"""What a sentence of a code may name, besides the fields of the failure."""


class _Parts(dict[str, Any]):
    """The parts of one failure, each computed when its sentence has it."""

    def __missing__(self, name: str) -> str:
        return PARTS[name](self["f"])
