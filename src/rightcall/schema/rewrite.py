"""A schema transformed bottom-up, with losses recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Container, Iterable
from typing import Any

from rightcall.files.documents import JsonPath, pointer
from rightcall.model.record import Record
from rightcall.schema.subschemas import with_subschemas

DEEPEST = 150
TESTS = ("not", "if", "then", "else", "contains", "propertyNames", "patternProperties", "dependentSchemas")
"""Keywords whose schemas test a value without describing it: no strict target has them."""
UNSAID = ("$schema", "$id", "$comment")
"""Keywords that say nothing to a model: removed, not moved into a description."""


class Loss(Record, frozen=True):
    """Something the target cannot express: where it was and what was done with it."""

    pointer: str
    keyword: str
    note: str


class Losses:
    """Collects losses while walking a schema, and what the target cannot accept in any form."""

    def __init__(self) -> None:
        self.found: list[Loss] = []
        self.refused: list[Loss] = []

    def add(self, path: JsonPath, keyword: str, note: str) -> None:
        """Record a loss."""
        self.found.append(Loss(pointer(path), keyword, note))

    def refuse(self, path: JsonPath, keyword: str, note: str) -> None:
        """Record something that cannot be sent, once per location."""
        refusal = Loss(pointer(path), keyword, note)
        if refusal not in self.refused:
            self.refused.append(refusal)


Change = Callable[[dict[str, Any], JsonPath, Losses], dict[str, Any]]


def rewrite_schema(
    schema: Any, change: Change, losses: Losses, path: JsonPath = (), *, except_in: tuple[str, ...] = ()
) -> Any:
    """The schema with `change` applied to every schema in it, inner ones first; the input is not modified.

    Schemas under the keywords `except_in` are left unchanged.
    """
    if not isinstance(schema, dict) or len(path) > DEEPEST:
        return schema

    def inner(part: Any, at: JsonPath) -> Any:
        return rewrite_schema(part, change, losses, at, except_in=except_in)

    return change(with_subschemas(schema, path, inner, except_in=except_in), path, losses)


def without(schema: dict[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    """The schema without some of its keywords."""
    left = set(keys)
    return {key: value for key, value in schema.items() if key not in left}


def into_description(schema: dict[str, Any], text: str) -> dict[str, Any]:
    """The schema with a sentence added to its description."""
    description = schema.get("description")
    before = f"{description.rstrip()} " if isinstance(description, str) and description.strip() else ""
    return {**schema, "description": f"{before}{text}"}


def only_keywords(
    schema: dict[str, Any], keywords: Container[str], path: JsonPath, losses: Losses, note: str
) -> dict[str, Any]:
    """The schema without keywords the target does not know; what they say to a model moves into the description.

    `note` says in the losses that they moved.
    """
    unknown = [key for key in schema if key not in keywords]
    speaking = [key for key in unknown if key not in UNSAID]
    for key in unknown:
        losses.add(path, key, note if key in speaking else "removed")
    text = "; ".join(f"{key}: {as_text(schema[key])}" for key in speaking)
    schema = without(schema, unknown)
    return into_description(schema, f"({text})") if speaking else schema


def as_text(value: Any) -> str:
    """A value as written in a description."""
    return json.dumps(value, ensure_ascii=False, default=str)
