"""Objects for both strict modes: closed, and requiring only declared properties."""

from __future__ import annotations

from typing import Any

from rightcall.files import JsonPath
from rightcall.portability.rewrite import Losses, without


def is_object(schema: dict[str, Any]) -> bool:
    """Whether the schema describes objects."""
    kinds = schema.get("type")
    return "properties" in schema or "object" in (kinds if isinstance(kinds, list) else [kinds])


def with_known_required(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """Without required names that are not properties; in a closed object nothing could satisfy them."""
    listed, properties = schema.get("required"), schema.get("properties")
    if not isinstance(listed, list) or not is_object(schema):
        return schema
    known = properties if isinstance(properties, dict) else {}
    unknown = [name for name in listed if not isinstance(name, str) or name not in known]
    for name in unknown:
        losses.add(path, "required", f"'{name}' is not a property: removed")
    kept = [name for name in listed if name not in unknown]
    return {**without(schema, ["required"]), "required": kept} if unknown else schema


def closed(schema: dict[str, Any], path: JsonPath, losses: Losses) -> dict[str, Any]:
    """The object with `additionalProperties: false`; a loss is recorded if it was open on purpose."""
    extra = schema.get("additionalProperties")
    if extra is False:
        return schema
    if extra is True or isinstance(extra, dict):
        losses.add(path, "additionalProperties", "closed: free keys cannot be sent")
    elif path and not schema.get("properties"):
        losses.add(path, "additionalProperties", "a free-form object, closed: only {} can be sent")
    return {**schema, "additionalProperties": False}
