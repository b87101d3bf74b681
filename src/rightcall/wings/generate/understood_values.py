"""Whether a definition says enough about a value to choose a plausible one."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Any

from rightcall.core.words import name_tokens, word_set
from rightcall.wings.generate.documented_values import (
    choices_in,
    examples_in,
    has_unclear_numbers,
    numbers_in,
)
from rightcall.wings.generate.pools import coordinate_of
from rightcall.wings.generate.schema_parts import (
    described,
    item_schema,
    json_type,
    singular,
    text_of,
    without_null,
)
from rightcall.wings.generate.value_kinds import API_PATH, kind_of

DEEPEST = 3
MOST_OPEN = 2
"""Properties of an object of which none is required, up to which any of them may be given."""
DISCRIMINATORS = word_set("operation action mode command method type kind op")
"""Names of parameters whose value decides which others belong to a call."""
_OPEN_VALUES = word_set("""
    id ids identifier identifiers uid uuid instruction instructions prompt query text message content body description
    """)
_SECRETS = word_set("token cursor password secret nonce signature etag credential credentials")
"""Names of values that no example stands for."""
_CLOSED_LIST = re.compile(
    r"\b(?:one of|either|(?:allowed|valid|possible|supported) values?|options?:)", re.IGNORECASE
)
_STRUCTURED = re.compile(
    r"\bjson\b|\bdict(?:ionary)?\b|\bxml\b"
    r"|\bobjects? (?:with|containing|of|having|that)\b|\b(?:list|array) of objects?\b",
    re.IGNORECASE,
)
"""Texts whose examples are parts of a value rather than values."""


def values_in_definition(
    schema: dict[str, Any], siblings: Container[str] = (), name: str = ""
) -> tuple[Any, ...]:
    """The values that a schema or its text lists: an enum, choices in the text, examples.

    A text that lists `siblings` speaks of parameters: “either text or regex”. What the text of an identifier or of free
    text quotes in a row are not choices: “not 'find buttons' or 'look for forms'”.
    """
    for key in ("enum", "examples"):
        if isinstance(schema.get(key), list) and schema[key]:
            return tuple(schema[key])
    if isinstance(schema.get("example"), str | int | float) and not isinstance(schema["example"], bool):
        return (schema["example"],)
    if json_type(schema) == "integer":
        return numbers_in(text_of(schema))
    if json_type(schema) != "string":
        return ()
    text = text_of(schema)
    is_data = _STRUCTURED.search(text) or re.search(r"\bbase ?-?64\b|\bdata ur[il]\b", text, re.IGNORECASE)
    if is_data or not _SECRETS.isdisjoint(name_tokens(name)):
        return ()
    is_open = not _OPEN_VALUES.isdisjoint(name_tokens(name)[-1:])
    values = (() if is_open and not _CLOSED_LIST.search(text) else choices_in(text)) or examples_in(text)
    return () if any(value in siblings for value in values) else values


def is_understood(  # noqa: PLR0911, PLR0912  a table of types
    name: str, schema: Any, root: dict[str, Any], tool: str, depth: int = 0
) -> bool:
    """Whether the definition is enough to choose a plausible value."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        return False
    schema = without_null(schema, root)
    if "enum" not in schema and _is_api_path(name, schema, tool):
        return False
    if "const" in schema or values_in_definition(schema, root.get("properties") or (), name):
        return True
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            branches = [branch for branch in schema[key] if branch != {"type": "null"}]
            if len(branches) > 1 and any(_is_object(branch, root) for branch in branches):
                return False  # what a branch needs depends on which one is meant
            return bool(branches) and is_understood(
                name, {**described(schema), **branches[0]}, root, tool, depth + 1
            )
    if "type" not in schema and "properties" not in schema:
        return False
    match json_type(schema):
        case "integer" | "number":
            return not has_unclear_numbers(text_of(schema))
        case "boolean":
            return True
        case "array":
            inner = item_schema(schema, root)
            is_flat = inner is not None and json_type(inner) != "array"
            if inner is not None and json_type(inner) == "number":
                return False  # a pair of coordinates, a vector: their order and length are not said
            if inner is not None and _is_record(inner, root):
                return False  # one record would be a chart of one point, a table of one row
            return is_flat and is_understood(singular(name), inner, root, tool, depth + 1)
        case "object":
            return bool(fillable_properties(schema, root, tool, depth))
        case "string":
            return bool(kind_of(name, schema, tool))
        case _:
            return False


def fillable_properties(schema: dict[str, Any], root: dict[str, Any], tool: str, depth: int) -> list[str]:
    """The properties of an object that can be filled in; none when a required one cannot."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict):
        return []
    names = [name for name, inner in properties.items() if is_understood(name, inner, root, tool, depth + 1)]
    needed = required if isinstance(required, list) else []
    if not needed and len(properties) > MOST_OPEN:
        return []  # which of them belong together is not said
    optional = [inner for name, inner in properties.items() if name not in needed]
    nested = [inner for name, inner in properties.items() if name in needed and _is_object(inner, root)]
    is_condition = any(name_tokens(name)[-1:] in (("operator",), ("comparator",)) for name in properties)
    if is_condition or (nested and depth > 0):
        return []  # what belongs together in a condition or three levels deep is not said
    if any(_holds_objects(inner, root) for inner in properties.values()):
        return []  # a tree that is a single node, a job whose tasks do nothing
    if any(map(is_discriminator, properties)) and (
        len(optional) > 1 or any(_is_object(inner, root) for inner in optional)
    ):
        return []  # which of them a choice needs is not said
    return names if all(name in names for name in needed) else []


def is_discriminator(name: str) -> bool:
    """Whether a parameter's value decides which others belong to a call, by its name."""
    return name.casefold() in DISCRIMINATORS or name_tokens(name)[-1:] in (
        ("operation",), ("action",), ("command",), ("method",)
    )  # fmt: skip


def _is_record(schema: dict[str, Any], root: dict[str, Any]) -> bool:
    """Whether an item is data: an object with a number that is no coordinate, or with objects inside."""
    properties = schema.get("properties")
    if json_type(schema) != "object" or not isinstance(properties, dict):
        return False
    numbers = (
        name
        for name, inner in properties.items()
        if isinstance(inner, dict) and json_type(without_null(inner, root)) in ("number", "integer")
    )
    return any(not coordinate_of(name) for name in numbers) or any(
        _holds_objects(inner, root) for inner in properties.values()
    )


def _holds_objects(schema: Any, root: dict[str, Any]) -> bool:
    """Whether a schema is a list of objects."""
    if not isinstance(schema, dict):
        return False
    schema = without_null(schema, root)
    return json_type(schema) == "array" and _is_object(schema.get("items"), root)


def _is_api_path(name: str, schema: dict[str, Any], tool: str) -> bool:
    """Whether a parameter takes a path of an interface: its examples fit one call and not another."""
    is_path = not {"path", "endpoint", "route"}.isdisjoint(name_tokens(name))
    return is_path and API_PATH.search(f"{text_of(schema)} {tool}") is not None


def _is_object(schema: Any, root: dict[str, Any]) -> bool:
    return isinstance(schema, dict) and json_type(without_null(schema, root)) == "object"
