"""Compares states: what is missing or wrong, and what changed unexpectedly."""

from __future__ import annotations

from typing import Any, Literal

from rightcall.records.record import Record

Kind = Literal["missing", "unexpected", "wrong"]


class StateDifference(Record, frozen=True):
    """One place where a state is not as it should be.

    missing: it should exist · unexpected: it should not exist · wrong: it should differ.
    """

    path: str
    kind: Kind
    expected: Any = None
    actual: Any = None

    def __str__(self) -> str:
        if self.kind == "missing":
            return f"{self.path} is missing, expected {self.expected!r}"
        if self.kind == "unexpected":
            return f"{self.path} was not expected, found {self.actual!r}"
        return f"{self.path} is {self.actual!r}, expected {self.expected!r}"


def state_differences(expected: Any, actual: Any) -> list[StateDifference]:
    """Every difference between two states, by path; empty when they are the same. 1 and 1.0 are the same."""
    return _differences(expected, actual, "", whole=True)


def state_faults(before: Any, after: Any, expected: Any) -> list[StateDifference]:
    """What is wrong with the state at the end.

    `expected` is partial: what it mentions must hold, and everything else must be as it was before. A list
    it mentions is compared whole.
    """
    return _differences(expected, after, "", whole=False) + _unexpected_changes(before, after, expected, "")


def _differences(expected: Any, actual: Any, path: str, *, whole: bool) -> list[StateDifference]:
    kind = next(
        (kind for kind in (dict, list) if isinstance(expected, kind) and isinstance(actual, kind)), None
    )
    if kind is None:
        return [] if _same(expected, actual) else [StateDifference(path, "wrong", expected, actual)]
    wanted, given = (dict(v if kind is dict else enumerate(v)) for v in (expected, actual))
    differences = []
    for name, inner in wanted.items():
        if name not in given:
            differences.append(StateDifference(_inner_path(path, name, kind), "missing", inner))
        else:
            differences += _differences(inner, given[name], _inner_path(path, name, kind), whole=whole)
    extra = [name for name in given if name not in wanted] if whole or kind is list else []
    return differences + [_extra(_inner_path(path, name, kind), given[name]) for name in extra]


def _inner_path(path: str, name: Any, kind: type) -> str:
    return f"{path}[{name}]" if kind is list else f"{path}.{name}".lstrip(".")


def _unexpected_changes(before: Any, after: Any, expected: Any, path: str) -> list[StateDifference]:
    """Changes in places that the expectation does not mention."""
    if not isinstance(expected, dict):
        return []  # mentioned: already compared
    if not (isinstance(before, dict) and isinstance(after, dict)):
        return []
    differences = []
    for name in dict.fromkeys((*before, *after)):
        here = f"{path}.{name}".lstrip(".")
        if name in expected:
            differences += _unexpected_changes(before.get(name), after.get(name), expected[name], here)
        elif name not in after:
            differences.append(StateDifference(here, "missing", before[name]))
        elif name not in before:
            differences.append(_extra(here, after[name]))
        else:
            differences += _differences(before[name], after[name], here, whole=True)
    return differences


def _extra(path: str, actual: Any) -> StateDifference:
    return StateDifference(path, "unexpected", None, actual)


def _same(first: Any, other: Any) -> bool:
    if isinstance(first, bool) or isinstance(other, bool):
        return first is other
    return type(first) is type(other) and first == other if isinstance(first, str) else bool(first == other)
