"""The parts of a tool's schema: a parameter's schema, its type, its text, its items."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from rightcall.core.words import name_tokens
from rightcall.lint.features.text import parameters_in_docstring
from rightcall.model.tool import Tool
from rightcall.schema.sample_values import resolve_schema


def about(tool: Tool) -> str:
    """The context of a parameter: the tool's name, and its description in the lines after it."""
    return f"{tool.name}\n{tool.description}\n{' '.join(tool.parameters)}"


def parameter_schema(tool: Tool, name: str) -> dict[str, Any]:
    """The schema of a parameter with its references followed and a null alternative left out."""
    schema = tool.parameters.get(name)
    if not isinstance(schema, dict):
        return {}
    schema = without_null(schema, tool.input_schema)
    if not text_of(schema) and (text := _docstring_texts(tool.description).get(name)):
        schema = {
            **schema,
            "description": text,
        }  # an `Args:` block says the same as a description in the schema
    if shown := _form_after_words(tool.description, name):
        schema = {**schema, "description": f"{text_of(schema)} {shown}".strip()}
    return schema


@lru_cache(maxsize=4096)
def _form_after_words(description: str, name: str) -> str:
    """The form that the text of a tool shows right after a parameter's words: “a project identifier (PR-*)”."""
    words = re.escape(" ".join(name_tokens(name)))
    match = re.search(rf"\b{words} (\([^()\s]*\*\))", description, re.IGNORECASE)
    return match.group(1) if match else ""


@lru_cache(maxsize=2048)
def _docstring_texts(description: str) -> dict[str, str]:
    return parameters_in_docstring(description)[0]


def without_null(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    """The schema resolved; the one alternative of a union with null stands for the union."""
    schema = resolve_schema(schema, root)
    for key in ("anyOf", "oneOf"):
        branches = schema.get(key)
        if isinstance(branches, list):
            others = [
                branch for branch in branches if isinstance(branch, dict) and branch.get("type") != "null"
            ]
            if len(others) == 1:
                rest = {word: value for word, value in schema.items() if word != key}
                return resolve_schema({**rest, **others[0]}, root)
    return schema


def json_type(schema: dict[str, Any]) -> str:
    """The type of a schema, the first that is not null; a string when it has none."""
    kind = schema.get("type", "object" if "properties" in schema else "string")
    return next((word for word in kind if word != "null"), "null") if isinstance(kind, list) else str(kind)


def text_of(schema: dict[str, Any]) -> str:
    """The description of a schema; empty when it has none."""
    text = schema.get("description")
    return text if isinstance(text, str) else ""


def item_schema(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any] | None:
    """The schema of an array's items, with the array's text where they have none; None when it says nothing."""
    items = schema.get("items")
    if not isinstance(items, dict) or not items:
        return None
    return {**described(schema), **without_null(items, root)}


def described(schema: dict[str, Any]) -> dict[str, Any]:
    """The description of a schema alone, for a part of it that may have none."""
    return {"description": schema["description"]} if isinstance(schema.get("description"), str) else {}


def words_of(text: str) -> list[str]:
    """The words of a text in lower case."""
    return re.findall(r"[a-z0-9]+", text.casefold())


def singular(name: str) -> str:
    """A plural name in the singular, as far as its ending tells."""
    if name.endswith("ies"):
        return f"{name[:-3]}y"
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name
