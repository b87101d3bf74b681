"""Failures as readable text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from rightcall.core.errors import InputError
from rightcall.metrics.matching.base import Scope, shown
from rightcall.metrics.matching.compile import compile_matcher, matcher_key
from rightcall.metrics.matching.matchers.references import NOT_RECORDED, OF_ANOTHER_CALL
from rightcall.model.failure import CODES, Failure

NOTHING_CALLED = "nothing was called; expected "
MOST_CLAUSES = 50
"""Maximum clauses in a reason; the codes of a case are complete."""
SINGLE_VALUE = frozenset(("exact", "text", "number", "date", "default", "semantic"))
"""Matchers that wrap one value, which is enough in a sentence."""


def sentence(failure: Failure) -> str:
    """One failure as one clause, without a full stop."""
    return CODES[failure.code].sentence.format_map(_Parts(f=failure))


def reason(failures: Iterable[Failure]) -> str:
    """All failures of a case in one line; a repeated clause is shown once."""
    return joined(map(sentence, failures))


def joined(sentences: Iterable[str]) -> str:
    """Clauses in one line; a missing call is mentioned once, with all that was expected."""
    said = list(dict.fromkeys(sentences))
    missed = [clause.removeprefix(NOTHING_CALLED) for clause in said if clause.startswith(NOTHING_CALLED)]
    if len(missed) > 1:
        others = [clause for clause in said if not clause.startswith(NOTHING_CALLED)]
        said = [NOTHING_CALLED + " and ".join(missed), *others]
    if len(said) > MOST_CLAUSES:
        said = [*said[:MOST_CLAUSES], f"and {len(said) - MOST_CLAUSES:,} more"]
    return "; ".join(said)


def call_text(tool: str, arguments: Any) -> str:
    """A call as it would be written in code: `get_weather(city="Hanoi")`."""
    if not isinstance(arguments, dict):
        return tool if arguments is None else f"{tool}({shown(arguments)})"
    return f"{tool}({', '.join(f'{name}={_spec(value)}' for name, value in arguments.items())})"


def _spec(value: Any) -> str:
    """An expected value in a call: the value itself where the matcher has one, else the matcher in words."""
    key = matcher_key(value) if isinstance(value, dict) else None
    if key is None:
        return shown(value, 60)
    inner = value[key]
    if key in SINGLE_VALUE:
        return shown(inner["value"] if isinstance(inner, dict) and "value" in inner else inner, 60)
    try:
        return f"<{compile_matcher(value, Scope()).describe()}>"
    except InputError:  # a matcher that needs more than itself, such as a reference to another call
        return f"<{shown(value, 60)}>"


def _origin(f: Failure) -> str:
    if f.detail.endswith((NOT_RECORDED, OF_ANOTHER_CALL)):
        return f"was {shown(f.actual)}"
    return f"but {shown(f.actual)} is not from any earlier result"


PARTS: dict[str, Callable[[Failure], str]] = {
    "expected": lambda f: f.detail or shown(f.expected),
    "actual": lambda f: shown(f.actual),
    "expected_call": lambda f: call_text(f.tool, f.expected),
    "actual_call": lambda f: call_text(f.tool, f.actual),
    "because": lambda f: f": {f.detail}" if f.detail else "",
    "only": lambda f: "" if f.expected is None else f", only {call_text(f.tool, f.expected)} would do",
    "instead": lambda f: "" if f.expected is None else f", instead of {f.expected}",
    "origin": _origin,
    "limit": lambda f: f.detail or f"at most {f.expected} are allowed",
    "content": lambda f: shown(f.expected),
    "world": lambda f: f.tool or "the world",
    "state": lambda f: f.detail or shown(f.actual),
    "waiting": lambda f: f.tool or "a call",
}
"""What a sentence of a code may name, besides the fields of the failure."""


class _Parts(dict[str, Any]):
    """The parts of one failure, each computed when its sentence has it."""

    def __missing__(self, name: str) -> str:
        return PARTS[name](self["f"])
