"""Schemas of many shapes with values that fit them and hold only what the schemas declare."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NAMES = ("a", "b", "c")
_leaves = st.sampled_from(
    [
        {"type": "string"},
        {"type": "string", "nullable": True},
        {"type": "integer", "minimum": 0},
        {"enum": ["x", "y"]},
        {"type": "null"},
        {"type": "string", "format": "port-name", "title": "A"},
        {"type": "object"},
        {"type": "object", "properties": {}},
    ]
)
_references = st.sampled_from([{"$ref": f"#/$defs/{name}"} for name in "ABC"])


def _objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    fields = st.dictionaries(st.sampled_from(NAMES), inner, max_size=2)
    return st.fixed_dictionaries(
        {"type": st.just("object"), "properties": fields},
        optional={"required": st.lists(st.sampled_from(NAMES), unique=True, max_size=1)},
    )


def _larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(_objects(inner) | _references | inner, min_size=1, max_size=3)
    return (
        _objects(inner)
        | several.map(lambda parts: {"allOf": parts})
        | several.map(lambda parts: {"anyOf": parts})
        | several.map(lambda parts: {"oneOf": parts})
        | st.tuples(_objects(inner), several).map(lambda both: {**both[0], "anyOf": both[1]})
        | st.tuples(_references, _objects(inner)).map(lambda both: {**both[1], **both[0]})
        | st.tuples(inner, inner).map(
            lambda both: {"type": "array", "items": both[0], "contains": both[1], "prefixItems": [both[1]]}
        )
        | st.tuples(_objects(inner), inner).map(
            lambda both: {**both[0], "patternProperties": {"^a": both[1]}}
        )
        | st.tuples(_objects(inner), inner, inner).map(
            lambda three: {"if": three[0], "then": three[1], "else": three[2]}
        )
    )


schemas = st.recursive(_leaves | _references, _larger, max_leaves=6)
_definitions = _objects(schemas) | schemas
input_schemas = st.tuples(_objects(schemas), st.tuples(_definitions, _definitions, _definitions)).map(
    lambda drawn: {**drawn[0], "$defs": dict(zip("ABC", drawn[1], strict=True))}
)


def declared_value(draw: st.DrawFn, schema: dict[str, Any], root: dict[str, Any], depth: int = 0) -> Any:
    """A value that the schema may accept, made of declared properties only."""
    parts = _judges(draw, schema, root, 0)
    fields: dict[str, list[Any]] = {}
    for part in parts:
        for name, inner in part.get("properties", {}).items():
            fields.setdefault(name, []).append(inner)
    if depth < 5 and any(part.get("type") == "object" for part in parts):
        needed = {name for part in parts for name in part.get("required", ())}
        everything = draw(st.booleans())
        sent = [name for name in fields if everything or name in needed or draw(st.booleans())]
        return {name: declared_value(draw, {"allOf": fields[name]}, root, depth + 1) for name in sent}
    if depth < 5 and any(part.get("type") == "array" for part in parts):
        items = [part[key] for part in parts for key in ("items", "contains") if key in part]
        return [declared_value(draw, {"allOf": items}, root, depth + 1)]
    if any(part.get("type") == "integer" for part in parts):
        return draw(st.integers(0, 2))
    return None if any(part.get("type") == "null" for part in parts) else draw(st.sampled_from(["x", "y"]))


def _judges(draw: st.DrawFn, schema: dict[str, Any], root: dict[str, Any], depth: int) -> list[Any]:
    """The schemas that judge one value together, for one choice among its variants."""
    if depth > 6:
        return []
    chosen = list(schema.get("allOf", ()))
    chosen += [draw(st.sampled_from(schema[key])) for key in ("anyOf", "oneOf") if key in schema]
    if "$ref" in schema:
        chosen.append(root["$defs"][schema["$ref"][-1]])
    if "if" in schema:
        chosen += draw(st.sampled_from([[schema["if"], schema["then"]], [schema["else"]]]))
    return [schema, *(part for each in chosen for part in _judges(draw, each, root, depth + 1))]
