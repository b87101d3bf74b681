"""Every schema inside a tool's input schema, with its path."""

from __future__ import annotations

from typing import Any

import msgspec

from rightcall.files.documents import JsonPath
from rightcall.schema.subschemas import required_of, subschemas

MOST_NODES = 20_000


class Node(msgspec.Struct, eq=False):
    """One schema. `name` is the property it describes, "" for an item, a variant or the root.

    `depth` counts the property names on the way: 1 for a parameter. `required` is about the property.
    `part` is the keyword it stands under. `text` is the description, "" when there is none.
    """

    path: JsonPath
    schema: dict[str, Any]
    name: str
    depth: int
    required: bool
    parent: Node | None
    part: str
    text: str = ""

    def __post_init__(self) -> None:
        if isinstance(text := self.schema.get("description"), str):
            self.text = text

    @property
    def types(self) -> tuple[str, ...]:
        """The declared types, without null, including those of plain variants."""
        return types_of(self.schema)

    def is_only(self, *allowed: str) -> bool:
        """Whether all declared types are among these, with at least one declared."""
        types = self.types
        return bool(types) and all(name in allowed for name in types)


def types_of(schema: dict[str, Any]) -> tuple[str, ...]:
    """The types a schema declares itself or in its variants, without null and without repetition."""
    declared = schema.get("type")
    if isinstance(declared, str):
        return (declared,) if declared != "null" else ()
    if isinstance(declared, list):
        return tuple(name for name in declared if isinstance(name, str) and name != "null")
    lists = [variants for key in ("anyOf", "oneOf") if isinstance(variants := schema.get(key), list)]
    inner = [variant.get("type") for variants in lists for variant in variants if isinstance(variant, dict)]
    return tuple(dict.fromkeys(name for name in inner if isinstance(name, str) and name != "null"))


def walk(schema: dict[str, Any], path: JsonPath) -> list[Node]:
    """The schema and every schema inside it, each once, outer before inner, in the order of the file."""
    root = Node(path, schema, "", 0, True, None, "")
    nodes: list[Node] = []
    waiting = [root]
    while waiting and len(nodes) < MOST_NODES:
        node = waiting.pop()
        nodes.append(node)
        inner = _children(node)
        inner.reverse()
        waiting.extend(inner)
    return nodes


def _children(node: Node) -> list[Node]:
    children: list[Node] = []
    required = set(required_of(node.schema))
    for keyword, step, schema in subschemas(node.schema):
        if not isinstance(schema, dict):
            continue
        path = (*node.path, keyword) if step is None else (*node.path, keyword, step)
        if keyword != "properties":
            children.append(Node(path, schema, "", node.depth, True, node, keyword))
        elif isinstance(step, str):
            children.append(Node(path, schema, step, node.depth + 1, step in required, node, keyword))
    return children
