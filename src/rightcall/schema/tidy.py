"""Foreign keywords translated to JSON Schema 2020-12, before a target's own changes."""

from __future__ import annotations

from typing import Any

from rightcall.files.documents import JsonPath
from rightcall.schema.rewrite import DEEPEST, Losses, rewrite_schema, without
from rightcall.schema.subschemas import properties_of, required_of, with_subschemas
from rightcall.schema.types import json_type, with_null


def with_json_types(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """`str` as `string` and so on. An unknown type is removed."""
    declared = schema.get("type")
    if isinstance(declared, str):
        meant = json_type(declared)
        if meant == declared:
            return schema
        if not meant:
            losses.add(path, "type", f"'{declared}' is not a JSON type: removed")
            return without(schema, ["type"])
        if meant != declared.lower():
            losses.add(path, "type", f"'{declared}' written as '{meant}'")
        return {**schema, "type": meant}
    if isinstance(declared, list):
        meant_all = [json_type(name) if isinstance(name, str) else None for name in declared]
        kept = list(dict.fromkeys(name for name in meant_all if name))
        if kept == declared:
            return schema
        losses.add(path, "type", f"{declared} written as {kept}")
        return {**schema, "type": kept} if kept else without(schema, ["type"])
    return schema


def with_current_words(schema: dict[str, Any], losses: Losses, *, nullable: bool) -> dict[str, Any]:
    """Keywords of older drafts translated to current ones, and `true` as the empty schema.

    `nullable`: the target supports this OpenAPI keyword; otherwise null becomes one of the types.
    """
    schema = _without_booleans(_with_defs(schema), (), losses)
    schema = dict(rewrite_schema(schema, _current, losses))
    return schema if nullable else dict(rewrite_schema(schema, _with_null_type, losses))


def _with_null_type(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    nullable = schema.get("nullable")
    if not isinstance(nullable, bool):
        return schema
    return with_null(without(schema, ["nullable"])) if nullable else without(schema, ["nullable"])


def _current(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    for bound, plain in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        exclusive = schema.get(bound)
        if isinstance(exclusive, bool):
            value = schema.get(plain)
            schema = without(schema, [bound, plain] if exclusive else [bound])
            schema = {**schema, bound: value} if exclusive and value is not None else schema
    if isinstance(schema.get("items"), list):
        schema = {("prefixItems" if key == "items" else key): value for key, value in schema.items()}
    return schema


def _with_defs(schema: dict[str, Any]) -> dict[str, Any]:
    """`definitions` of the root as `$defs`, and the references to them."""
    if not isinstance(schema.get("definitions"), dict) or "$defs" in schema:
        return schema
    renamed = {("$defs" if key == "definitions" else key): value for key, value in schema.items()}
    return dict(_with_new_references(renamed, 0))


def _with_new_references(schema: Any, depth: int) -> Any:
    if not isinstance(schema, dict) or depth > DEEPEST:
        return schema
    changed = with_subschemas(schema, (), lambda part, _: _with_new_references(part, depth + 1))
    reference = changed.get("$ref")
    if isinstance(reference, str) and reference.startswith("#/definitions/"):
        changed["$ref"] = reference.replace("#/definitions/", "#/$defs/", 1)
    return changed


def _without_booleans(schema: Any, path: JsonPath, losses: Losses, depth: int = 0) -> Any:
    """`true` as `{}`; `false` can never be satisfied and is removed, or rejected where it is required."""
    if not isinstance(schema, dict) or depth > DEEPEST:
        return {} if schema is True and path[-1] != "additionalProperties" else schema
    schema = _without_impossible(schema, path, losses)
    return with_subschemas(schema, path, lambda part, at: _without_booleans(part, at, losses, depth + 1))


def _without_impossible(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    properties = properties_of(schema)
    impossible = [name for name, inner in properties.items() if inner is False]
    for name in impossible:
        if name in required_of(schema):
            losses.refuse((*path, "properties", name), "false", "required, and no value matches it")
        losses.add((*path, "properties", name), "false", "removed: no value matches it")
    if impossible:
        schema = {**schema, "properties": without(properties, impossible)}
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list) and False in [v for v in schema[key] if isinstance(v, bool)]:
            losses.add((*path, key), "false", "removed a variant that no value matches")
            schema = {**schema, key: [variant for variant in schema[key] if variant is not False]}
    return schema
