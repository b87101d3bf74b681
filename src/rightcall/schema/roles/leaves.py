"""The leaves of a schema by path: what a value has at `items.product_id`, through references, lists and variants."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.core.words import word_set
from rightcall.schema.subschemas import properties_of, reference_of, target_of
from rightcall.schema.types import json_type

DEEPEST = 8
MOST = 2000

_VARIANTS = ("anyOf", "oneOf", "allOf")


def leaves(root: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each schema without properties or items, with its path; elements of a list share the path of the list.

    A schema that says nothing of its value is a leaf: it may be anything. At most `MOST` are given.
    """
    waiting: list[tuple[Any, str, int, tuple[str, ...]]] = [(root, "", 0, ())]
    seen = 0
    while waiting and seen < MOST:
        schema, path, depth, within = waiting.pop()
        seen += 1
        if not isinstance(schema, dict) or depth > DEEPEST:
            yield path, {}
            continue
        reference = reference_of(schema)
        if reference is not None:
            target = target_of(root, reference)
            if target is not None and reference not in within:
                waiting.append((target, path, depth, (*within, reference)))
            else:
                yield path, {}
            continue
        inner = list(_inner(schema, path))
        waiting.extend((part, at, depth + 1, within) for part, at in reversed(inner))
        if not inner:
            yield path, schema


def _inner(schema: dict[str, Any], path: str) -> Iterator[tuple[Any, str]]:
    for keyword in _VARIANTS:
        variants = schema.get(keyword)
        if isinstance(variants, list):
            yield from (
                (part, path)
                for part in variants
                if not (isinstance(part, dict) and part.get("type") == "null")
            )
    for name, part in properties_of(schema).items():
        yield part, f"{path}.{name}" if path else str(name)
    for keyword in ("items", "additionalProperties"):
        if isinstance(part := schema.get(keyword), dict):
            yield part, path


def types_of(schema: dict[str, Any]) -> frozenset[str]:
    """Its JSON types without null; empty when it may be anything."""
    stated = schema.get("type")
    names = stated if isinstance(stated, list) else [stated]
    types = {json_type(name) for name in names if isinstance(name, str)}
    return frozenset(name for name in types if name) - {"null"}


_RESTRICTED = word_set("""
    date date-time time duration uuid ipv4 ipv6 int32 int64 float double decimal integer number boolean
    """)


def is_free_text(schema: dict[str, Any]) -> bool:
    """Whether it can hold a text somebody chose: no enum, const, date or number-like format."""
    types = types_of(schema)
    if types and "string" not in types:
        return bool(types & {"object", "array"})  # one that says nothing of its contents
    shape = schema.get("format")
    restricted = isinstance(shape, str) and shape in _RESTRICTED  # a file may say anything there
    return "enum" not in schema and "const" not in schema and not restricted
