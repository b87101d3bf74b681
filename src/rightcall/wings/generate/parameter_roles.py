"""What a parameter is in a request: an enumerated choice, free text, an identifier."""

from __future__ import annotations

import re
from typing import Any

from rightcall.core.words import name_tokens, word_set
from rightcall.model.tool import Tool
from rightcall.schema.sample_values import resolve_schema
from rightcall.wings.generate.documented_values import (
    choices_in,
)
from rightcall.wings.generate.file_kinds import FILES
from rightcall.wings.generate.pools import ANY_SCRIPT, FREE_TEXT
from rightcall.wings.generate.schema_parts import about, json_type, parameter_schema, text_of
from rightcall.wings.generate.value_kinds import ENTITIES, kind_of

_PLACES = word_set("id index idx row col column number page line pos position")
_IDENTIFYING = word_set("code uuid gid path source folder owner slug project url").union(FILES, ENTITIES)
"""Kinds of values that say which thing is meant."""


def choices_of(tool: Tool, name: str) -> tuple[Any, ...]:
    """The values an enumerated parameter may take; empty when its schema does not enumerate any."""
    choices = parameter_schema(tool, name).get("enum")
    return tuple(choices) if isinstance(choices, list) else ()


def is_default(tool: Tool, name: str, value: Any) -> bool:
    """Whether a value is what a call without the parameter gets, by the schema or its text: “(default: json)”."""
    schema = parameter_schema(tool, name)
    told = re.search(
        r"\bdefaults?(?: (?:to|is|value))*\s*[:=]?\s*[`'\"“]?([\w.-]+)", text_of(schema), re.IGNORECASE
    )
    default = schema.get("default", told.group(1).rstrip(".") if told else None)
    return default is not None and str(value).casefold() == str(default).casefold()


def is_free_text(tool: Tool, name: str) -> bool:
    """Whether a parameter takes free text, in which case and spacing do not matter."""
    schema = parameter_schema(tool, name)
    closed = any(key in schema for key in ("enum", "const", "pattern", "format"))
    is_text = not closed and json_type(schema) == "string" and not choices_in(text_of(schema))
    return is_text and kind_of(name, schema, about(tool)) in FREE_TEXT


def other_forms(tool: Tool, name: str, value: Any) -> list[Any]:
    """The same value in the other forms that a union allows: a list as a text with commas, a number as digits."""
    schema = parameter_schema(tool, name)
    branches = [
        branch for key in ("anyOf", "oneOf") for branch in schema.get(key) or () if isinstance(branch, dict)
    ]
    types = {json_type(resolve_schema(branch, tool.input_schema)) for branch in branches}
    if isinstance(schema.get("type"), list):
        types.update(schema["type"])
    types.discard("null")
    if len(types) < 2 or isinstance(value, bool | dict):
        return []
    if isinstance(value, list):
        if "string" not in types or any(isinstance(item, dict | list) for item in value):
            return []
        return list(dict.fromkeys(between.join(map(str, value)) for between in (",", ", ")))
    forms: list[Any] = [[value]] if "array" in types else []
    if isinstance(value, int | float) and "string" in types:
        forms.append(str(value))
    return forms


def optional_constants(tool: Tool, name: str, value: dict[str, Any]) -> dict[str, Any]:
    """The properties of an object that have one possible value and may be left out, as a call may or may not."""
    properties = parameter_schema(tool, name).get("properties")
    return {
        key: inner["const"]
        for key, inner in (properties.items() if isinstance(properties, dict) else ())
        if isinstance(inner, dict) and "const" in inner and key not in value
    }


def takes_any_script(tool: Tool, name: str) -> bool:
    """Whether people write a parameter's values in any script."""
    kind = kind_of(name, parameter_schema(tool, name), about(tool))
    return is_free_text(tool, name) and kind in ANY_SCRIPT


def is_identifier(tool: Tool, name: str) -> bool:
    """Whether a parameter says which thing is meant, rather than something about it."""
    if json_type(parameter_schema(tool, name)) in ("integer", "number"):
        return not _PLACES.isdisjoint(name_tokens(name))
    kind = kind_of(name, parameter_schema(tool, name), about(tool))
    return name_tokens(name)[-1:] in (("id",), ("ids",), ("uuid",)) or kind in _IDENTIFYING
