"""Equality of JSON values, typed: true is not 1, but 1 is 1.0."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable
from typing import Any

NUMBERS = frozenset((int, float))


def same(expected: Any, actual: Any) -> bool:
    """Whether two JSON values are equal: numbers by value, text in NFC, objects in any order, lists in order."""
    kind = type(expected)
    if kind is not type(actual):
        if kind is tuple or type(actual) is tuple:
            return same(_plain(expected), _plain(actual))
        return kind in NUMBERS and type(actual) in NUMBERS and bool(expected == actual)
    if kind is str:
        return expected == actual or same_text(expected, actual)
    if kind is dict:
        return _same_objects(expected, actual)
    if kind is list or kind is tuple:
        return _same_lists(expected, actual)
    return bool(expected == actual)


def equality_key(value: Any) -> Hashable:
    """A key that two JSON values share exactly when they are the `same`: finds duplicates without comparing all pairs."""
    kind = type(value)
    if kind is str:
        return value if value.isascii() else unicodedata.normalize("NFC", value)
    if kind is dict:
        return dict, frozenset((name, equality_key(inner)) for name, inner in value.items())
    if kind is list or kind is tuple:
        return list, tuple(map(equality_key, value))
    if kind is bool or kind in NUMBERS:
        return (bool if kind is bool else float), value
    try:
        hash(value)
    except TypeError:  # a Python value that is not JSON
        return kind, repr(value)
    key: Hashable = value
    return key


def same_text(expected: str, actual: str) -> bool:
    """Equality of two texts however their accents are composed."""
    if expected.isascii() and actual.isascii():
        return expected == actual
    return unicodedata.normalize("NFC", expected) == unicodedata.normalize("NFC", actual)


def identical_arguments(expected: dict[str, Any], actual: dict[str, Any]) -> bool:
    """A fast check for plain arguments that are equal as written; False means "undecided".

    Only scalars of one type and lists of texts are decided here: anything else may be a matcher or may need
    typed comparison.
    """
    if expected != actual:
        return False
    for name, value in expected.items():
        kind = type(value)
        if kind is str:  # only a text equals a text
            continue
        if kind is dict or (kind is list and not _all_text(value)) or kind is not type(actual[name]):
            return False
    return True


def _all_text(items: list[Any]) -> bool:
    for item in items:  # noqa: SIM110  a generator costs more than the loop it replaces
        if type(item) is not str:
            return False
    return True


def _same_objects(expected: dict[str, Any], actual: dict[str, Any]) -> bool:
    if len(expected) != len(actual):
        return False
    for key, value in expected.items():  # noqa: SIM110  a loop takes half the stack of all() for nested values
        if key not in actual or not same(value, actual[key]):
            return False
    return True


def _same_lists(expected: Any, actual: Any) -> bool:
    if len(expected) != len(actual):
        return False
    for left, right in zip(expected, actual, strict=True):  # noqa: SIM110
        if not same(left, right):
            return False
    return True


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
