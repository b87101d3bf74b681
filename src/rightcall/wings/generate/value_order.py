"""Values that are two ends of one range, the smaller first."""

from __future__ import annotations

import re
from typing import Any

from rightcall.core.words import name_tokens
from rightcall.schema.types import is_number
from rightcall.wings.generate.places import coordinate_of

_PAIRS = (
    ("min", "max"), ("minimum", "maximum"), ("start", "end"), ("from", "to"), ("since", "until"), ("after", "before"),
    ("lower", "upper"), ("first", "last"), ("checkin", "checkout"), ("in", "out"),
)  # fmt: skip


def in_order(arguments: dict[str, Any]) -> dict[str, Any]:
    """The smaller of two values first, where their names are the two ends of one range."""
    ends = {frozenset(_as_end(name)): name for name in arguments}
    for name, value in list(arguments.items()):
        for low, high in _PAIRS:
            if coordinate_of(name) and low not in ("min", "minimum", "lower"):
                continue  # from one place to another, in any direction
            tokens = _as_end(name)
            other = (
                ends.get(frozenset(high if token == low else token for token in tokens))
                if low in tokens
                else None
            )
            if other is not None and other != name and _is_after(value, arguments[other]):
                arguments[name], arguments[other] = arguments[other], value
            if other is not None and other != name and "time" in _as_end(name):
                arguments[other] = _an_hour_later(arguments[name], arguments[other])
    return arguments


def _an_hour_later(start: Any, end: Any) -> Any:
    """The end of what starts then and is not a matter of days; other values as they are."""
    is_moment = all(
        isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\dT\d\d:", value) for value in (start, end)
    )
    return (
        f"{start[:11]}{int(start[11:13]) + 1:02}{start[13:]}" if is_moment and int(start[11:13]) < 23 else end
    )


def _as_end(name: str) -> tuple[str, ...]:
    return name_tokens(name.replace("check_", "check"))


def _is_after(value: Any, other: Any) -> bool:
    if is_number(value) and is_number(other):
        return bool(value > other)
    are_moments = all(
        isinstance(end, str) and re.match(r"\d{4}-\d\d|\d\d:\d\d", end) for end in (value, other)
    )
    return are_moments and value > other
