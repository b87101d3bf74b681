"""Rejects goldens whose expectations contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rightcall.errors import InputError
from rightcall.model.golden import AnyGolden, ExpectedCall, Golden

MOST_REPEATS = 1000
"""Maximum repetitions of a required call; beyond this, the comparison would take minutes."""


def refuse_unsound(golden: AnyGolden) -> None:
    """Raise `InputError` for the first contradiction."""
    for problem, hint in unsound(golden):
        raise InputError(f"golden '{golden.id}'", problem, hint)


def unsound(golden: AnyGolden) -> Iterator[tuple[str, str]]:
    """Each contradiction, and what to do about it."""
    alternatives = golden.any_of if isinstance(golden, Golden) else ()
    sets = [("expected_calls", golden.expected_calls)]
    sets += [(f"any_of[{i}]", calls) for i, calls in enumerate(alternatives)]
    if any(call.required for _, calls in sets for call in calls):
        if golden.no_calls:
            yield "no_calls is true, but calls are expected", "remove one of the two"
        if golden.category == "negative":
            yield (
                "a negative golden must not expect calls",
                "use category golden, or remove the expected calls",
            )
    for field, calls in sets:
        yield from _repeats(field, calls)


def _repeats(field: str, calls: Sequence[ExpectedCall]) -> Iterator[tuple[str, str]]:
    for i, call in enumerate(calls):
        if call.max is not None and call.max < call.min:
            hint = "list tools that must not be called in forbidden_calls" if call.max == 0 else ""
            yield f"{field}[{i}]: max {call.max} is less than min {call.min}", hint
        if call.min > MOST_REPEATS:
            yield f"{field}[{i}]: min may be at most {MOST_REPEATS:,}, got {call.min:,}", ""
