"""Generates a value that is valid for a JSON Schema from a seed: the answer of a tool without a mock."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from rightcall.schema.subschemas import is_local, properties_of, reference_of, required_of, target_of
from rightcall.schema.types import without

EXAMPLES = {
    "date": "2026-03-31",
    "date-time": "2026-03-31T09:30:00Z",
    "time": "09:30:00Z",
    "duration": "PT1H30M",
    "email": "someone@example.com",
    "uri": "https://example.com/page",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "hostname": "example.com",
}
MOST_LEVELS = 8
MOST_ITEMS = (100, 100, 10, 2, 1)
"""Items of a list by its level: a schema may ask for a hundred lists of a hundred lists."""
LONGEST = 100_000


def sample_value(schema: dict[str, Any] | None, rng: random.Random) -> Any:
    """A value of the shape the schema describes; `{"ok": true}` when there is no schema.

    Examples, constants, choices and defaults of the schema are used where it has them. For a schema that
    is too complex for this, the nearest shape is returned, which may not be valid.
    """
    return {"ok": True} if not schema else _value(schema, schema, rng, 0)


def required_values(
    schema: dict[str, Any], rng: random.Random, known: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The least object that an object's schema asks for: what is `known`, and a value for the rest that it requires."""
    values = dict(known or {})
    for name in required_of(schema):
        if name not in values:
            inner = properties_of(schema).get(name)
            resolved = resolve_schema(inner, schema) if isinstance(inner, dict) else {}
            values[name] = sample_value(resolved or {"type": "string"}, rng)
    return values


def _value(schema: Any, root: dict[str, Any], rng: random.Random, depth: int) -> Any:
    if not isinstance(schema, dict) or depth > MOST_LEVELS:
        return None
    schema = resolve_schema(schema, root)
    if fixed := [schema[key] for key in ("const", "default") if key in schema]:
        return fixed[0]
    choices = next((schema[key] for key in ("examples", "enum") if _has_list(schema, key)), None)
    if choices is not None:
        return rng.choice(choices)
    branches = next((schema[key] for key in ("anyOf", "oneOf") if _has_list(schema, key)), None)
    if branches is not None:
        return _value(branches[0], root, rng, depth + 1)
    return _value_of_type(schema, root, rng, depth)


def _value_of_type(schema: dict[str, Any], root: dict[str, Any], rng: random.Random, depth: int) -> Any:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "object":
        return _object(schema, root, rng, depth)
    if kind == "array":
        count = min(max(1, int(schema.get("minItems", 1))), MOST_ITEMS[min(depth, 4)])
        return [_value(schema.get("items", {}), root, rng, depth + 1) for _ in range(count)]
    return _scalar(kind, schema, rng)


def _has_list(schema: dict[str, Any], key: str) -> bool:
    return isinstance(schema.get(key), list) and bool(schema[key])


def resolve_schema(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """The schema with its local references followed and its `allOf` merged."""
    for _ in range(MOST_LEVELS):
        reference = reference_of(schema)
        if reference is None or not is_local(reference):
            break
        target = target_of(root, reference)
        schema = {**(target if isinstance(target, dict) else {}), **without(schema, ["$ref"])}
    for part in schema.get("allOf", ()) if isinstance(schema.get("allOf"), list) else ():
        if isinstance(part, dict):
            merged = {**schema.get("properties", {}), **part.get("properties", {})}
            schema = {**part, **schema, **({"properties": merged} if merged else {})}
    return schema


def _object(schema: dict[str, Any], root: dict[str, Any], rng: random.Random, depth: int) -> dict[str, Any]:
    properties = schema.get("properties", {})
    if depth >= MOST_LEVELS // 2:  # at this depth, only what is required: recursive schemas must end
        properties = {name: inner for name, inner in properties.items() if name in schema.get("required", ())}
    members = {name: _value(inner, root, rng, depth + 1) for name, inner in properties.items()}
    for name in schema.get("required", ()):
        members.setdefault(name, "text")
    return members


def _scalar(kind: Any, schema: dict[str, Any], rng: random.Random) -> Any:
    if kind in ("integer", "number"):
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
        high = schema.get("maximum", schema.get("exclusiveMaximum", low + 100))
        step = schema.get("multipleOf", 1)
        tried = (rng.randint(int(low), max(int(low), int(high))), low + step, low)
        number = next((n for n in tried if low <= n <= high), low)
        return int(number) // int(step) * int(step) if kind == "integer" and step >= 1 else number
    if kind == "boolean":
        return rng.random() < 0.5
    if kind == "null":
        return None
    text = EXAMPLES.get(schema.get("format", ""), "text")
    text = text.ljust(min(int(schema.get("minLength", 0)), LONGEST), "x")
    return text[: int(schema.get("maxLength", len(text)))]
