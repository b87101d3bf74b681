"""Matchers by shape: type, schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from rightcall.core.errors import InputError
from rightcall.metrics.matching.base import (
    MISSING,
    Kind,
    Matcher,
    Scope,
    are_among,
    json_type,
    short_json,
    vacuous,
    wrong,
)
from rightcall.metrics.matching.matchers.numbers import is_number
from rightcall.tools.definitions.validate import fits, validator_of


def has_type(value: Any, name: str) -> bool:
    """Whether a value has a JSON Schema type: 1.0 is an integer, true is not a number."""
    if name == "number":
        return is_number(value)
    if name == "integer":
        return is_number(value) and float(value).is_integer()
    return json_type(value) == name


class Type(msgspec.Struct):
    """Any value of this type: `{"type": "integer"}` or `{"type": ["string", "null"]}`."""

    names: list[str]

    def score(self, value: Any, at: int) -> float:
        if value is MISSING:
            return 0.0
        return 1.0 if any(has_type(value, name) for name in self.names) else 0.0

    def describe(self) -> str:
        return f"of type {' or '.join(self.names)}"


class Schema(msgspec.Struct):
    """Any value that a JSON Schema accepts: `{"schema": {"type": "string", "format": "email"}}`."""

    schema: Any
    accepts: Callable[[Any], bool]

    def score(self, value: Any, at: int) -> float:
        return 1.0 if value is not MISSING and self.accepts(value) else 0.0

    def describe(self) -> str:
        return f"valid for {short_json(self.schema)}"


def _type(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    names = [spec] if isinstance(spec, str) else spec
    json_types = {"string", "number", "integer", "boolean", "object", "array", "null"}
    if not names or not are_among(names, json_types):
        raise InputError("", f"matcher 'type' needs one of {', '.join(sorted(json_types))}, got {spec}")
    return Type(list(names))


def _schema(spec: Any, options: dict[str, Any], scope: Scope) -> Matcher:
    if not isinstance(spec, dict):
        raise wrong("schema", "a JSON Schema", spec)
    if not spec:
        raise vacuous("schema", "an empty schema", 'write {"present": true} for any value')
    validator_of(spec, "matcher 'schema'")
    return Schema(spec, lambda value: fits(spec, value, "matcher 'schema'"))


KINDS = {
    "type": Kind(_type),
    "schema": Kind(_schema),
}
