"""A schema changed from the inside out, with a note of what was lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rightcall.lint.diagnostic import Path, pointer
from rightcall.model.record import Record

DEEPEST = 200

_ONE = ("items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames")
_LIST = ("anyOf", "oneOf", "allOf", "prefixItems", "items")
_NAMED = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")


class Loss(Record, frozen=True):
    """Something the target cannot say: where it stood and what became of it."""

    pointer: str
    keyword: str
    note: str


class Losses:
    """Collects losses on the way through a schema."""

    def __init__(self) -> None:
        self.found: list[Loss] = []

    def add(self, path: Path, keyword: str, note: str) -> None:
        """One more."""
        self.found.append(Loss(pointer(path), keyword, note))


Change = Callable[[dict[str, Any], Path, Losses], dict[str, Any]]


def rewritten(schema: Any, change: Change, losses: Losses, path: Path = (), depth: int = 0) -> Any:
    """The schema with `change` applied to every schema in it, inner ones first; the input is not touched."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        return schema
    inner: dict[str, Any] = {}
    for key, value in schema.items():
        at = (*path, key)
        if key in _NAMED and isinstance(value, dict):
            inner[key] = {n: rewritten(s, change, losses, (*at, n), depth + 1) for n, s in value.items()}
        elif key in _LIST and isinstance(value, list):
            inner[key] = [rewritten(s, change, losses, (*at, i), depth + 1) for i, s in enumerate(value)]
        elif key in _ONE and isinstance(value, dict):
            inner[key] = rewritten(value, change, losses, at, depth + 1)
        else:
            inner[key] = value
    return change(inner, path, losses)


def into_description(schema: dict[str, Any], text: str) -> dict[str, Any]:
    """The schema with a sentence added to its description."""
    said = schema.get("description")
    before = f"{said.rstrip()} " if isinstance(said, str) and said.strip() else ""
    return {**schema, "description": f"{before}{text}"}
