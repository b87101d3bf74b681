"""Schemas of a tool: each inside its input schema with its path, how they relate, and what is valid.

Nothing is fetched to validate.
"""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import Any

import msgspec

from rightcall.core.words import word_set
from rightcall.files.documents import JsonPath
from rightcall.schema.subschemas import required_of, subschemas
from rightcall.schema.types import JSON_TYPES, json_type, without

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
    inner = [variant.get("type") for variant in chain.from_iterable(lists) if isinstance(variant, dict)]
    return tuple(dict.fromkeys(name for name in inner if isinstance(name, str) and name != "null"))


def walk(schema: dict[str, Any], path: JsonPath) -> list[Node]:
    """The schema and every schema inside it, each once, outer before inner, in the order of the file."""
    root = Node(path, schema, "", 0, required=True, parent=None, part="")
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
            children.append(Node(path, schema, "", node.depth, required=True, parent=node, part=keyword))
        elif isinstance(step, str):
            children.append(
                Node(path, schema, step, node.depth + 1, required=step in required, parent=node, part=keyword)
            )
    return children


_DRAFTS = {
    "json-schema.org/draft-04/schema": "Draft4Validator",
    "json-schema.org/draft-06/schema": "Draft6Validator",
    "json-schema.org/draft-07/schema": "Draft7Validator",
    "json-schema.org/draft/2019-09/schema": "Draft201909Validator",
    "json-schema.org/draft/2020-12/schema": "Draft202012Validator",
}
DEFAULT_DIALECT = "json-schema.org/draft/2020-12/schema"


def dialect_of(schema: dict[str, Any]) -> str:
    """The dialect `$schema` names, the current one when it names none or an unknown one."""
    named = schema.get("$schema")
    if isinstance(named, str):
        bare = named.removeprefix("https://").removeprefix("http://").removesuffix("#")
        if bare in _DRAFTS:
            return bare
    return DEFAULT_DIALECT


@cache
def meta_validator(dialect: str) -> Any:
    """The validator of schemas of one dialect."""
    import jsonschema_rs

    scheme = "http" if "draft-0" in dialect else "https"
    validator = getattr(jsonschema_rs, _DRAFTS[dialect])
    return validator({"$ref": f"{scheme}://{dialect}"}, retriever=_refuse)


def meta_errors(schema: dict[str, Any]) -> list[tuple[tuple[str | int, ...], str]]:
    """Where and how a schema violates the meta-schema of its dialect."""
    validator = meta_validator(dialect_of(schema))
    try:
        return [(tuple(error.instance_path), error.message) for error in validator.iter_errors(schema)]
    except (ValueError, UnicodeError, OverflowError, RecursionError):
        return []  # an unpaired surrogate or a huge number; reported by other rules


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """Whether the value is valid. Also True when unknown (references, foreign types)."""
    kind = schema.get("type")
    if isinstance(kind, str):
        json_kind = json_type(kind)
        if json_kind is None:
            return True
        if json_kind and not _has_type(value, json_kind):
            return False
        if kind not in JSON_TYPES:
            schema = {**without(schema, ["type"]), **({"type": json_kind} if json_kind else {})}
    options = schema.get("enum")
    if isinstance(options, list) and not any(
        value == option and isinstance(value, bool) == isinstance(option, bool) for option in options
    ):
        return False
    if _CONSTRAINTS.isdisjoint(schema):
        return True
    return _validates(value, schema)


_CONSTRAINTS = word_set("""
    const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern items
    prefixItems minItems maxItems uniqueItems properties required anyOf oneOf allOf not additionalProperties
    minProperties maxProperties propertyNames contains if
    """)


def _validates(value: Any, schema: dict[str, Any]) -> bool:
    if "$ref" in str(schema):
        return True
    import jsonschema_rs

    try:
        return bool(jsonschema_rs.Draft202012Validator(schema, retriever=_refuse).is_valid(value))
    except (ValueError, UnicodeError, OverflowError, RecursionError, TypeError):
        return True


_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "object": (dict,),
    "array": (list,),
    "null": (type(None),),
}


def _has_type(value: Any, kind: str) -> bool:
    if kind == "boolean":
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if kind == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return isinstance(value, _PYTHON_TYPES[kind])


def _refuse(uri: str) -> Any:
    raise ValueError(f"not fetched: {uri}")
