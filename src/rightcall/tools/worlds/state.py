"""Compares states: what is missing or wrong, and what changed unexpectedly."""

from __future__ import annotations

from typing import Any, Literal

from rightcall.model.record import Record

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
    if isinstance(expected, dict) and isinstance(actual, dict):
        differences = []
        for name, inner in expected.items():
            here = f"{path}.{name}".lstrip(".")
            if name not in actual:
                differences.append(StateDifference(here, "missing", inner))
            else:
                differences += _differences(inner, actual[name], here, whole=whole)
        if whole:
            extra = [name for name in actual if name not in expected]
            differences += [_extra(f"{path}.{name}".lstrip("."), actual[name]) for name in extra]
        return differences
    if isinstance(expected, list) and isinstance(actual, list):
        differences = []
        for index in range(max(len(expected), len(actual))):
            here = f"{path}[{index}]"
            if index >= len(actual):
                differences.append(StateDifference(here, "missing", expected[index]))
            elif index >= len(expected):
                differences.append(_extra(here, actual[index]))
            else:
                differences += _differences(expected[index], actual[index], here, whole=whole)
        return differences
    return [] if _same(expected, actual) else [StateDifference(path, "wrong", expected, actual)]


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
