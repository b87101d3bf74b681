"""Matchers by shape: type, schema."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rightcall.metrics.matching.base import MISSING, shown
from rightcall.metrics.matching.matchers.numbers import is_number


def json_type(value: Any) -> str:
    """The JSON Schema name of a value's type; `integer` for whole numbers written as such."""
    if value is None:
        return "null"
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), type(value).__name__)


def has_type(value: Any, name: str) -> bool:
    """Whether a value has a JSON Schema type: 1.0 is an integer, true is not a number."""
    if name == "number":
        return is_number(value)
    if name == "integer":
        return is_number(value) and float(value).is_integer()
    return json_type(value) == name


@dataclass(slots=True)
class Type:
    """Any value of this type: `{"type": "integer"}` or `{"type": ["string", "null"]}`."""

    names: list[str]

    def score(self, value: Any, at: int) -> float:
        if value is MISSING:
            return 0.0
        return 1.0 if any(has_type(value, name) for name in self.names) else 0.0

    def describe(self) -> str:
        return f"of type {' or '.join(self.names)}"


@dataclass(slots=True)
class Schema:
    """Any value that a JSON Schema accepts: `{"schema": {"type": "string", "format": "email"}}`."""

    schema: Any
    accepts: Callable[[Any], bool]

    def score(self, value: Any, at: int) -> float:
        return 1.0 if value is not MISSING and self.accepts(value) else 0.0

    def describe(self) -> str:
        return f"valid for {shown(self.schema)}"
