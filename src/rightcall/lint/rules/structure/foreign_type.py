"""A type of a programming language instead of one of the seven JSON types."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import REMOVED, Edit, Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.types import JSON_TYPES, json_type


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.nodes:
        kind = node.schema.get("type")
        path = (*node.path, "type")
        if isinstance(kind, str):
            right = json_type(kind) if kind not in JSON_TYPES and not _is_gemini(tool, kind) else None
            if right is not None:
                edit = Edit(path, right) if right else Edit(path, REMOVED)
                hint = (
                    f'write "{right}"' if right else "leave the type out, or name the types that are allowed"
                )
                yield Finding(path, f"'{kind}' is not a JSON type", hint, edits=(edit,), safe=True)
        elif isinstance(kind, list):
            named = [json_type(name) if isinstance(name, str) else None for name in kind]
            if all(named) and any(name not in JSON_TYPES for name in kind):
                edit = Edit(path, list(dict.fromkeys(named)))
                yield Finding(
                    path,
                    f"{kind} contains a type that JSON does not have",
                    f"write {named}",
                    edits=(edit,),
                    safe=True,
                )


def _is_gemini(tool: ToolFeatures, kind: str) -> bool:
    """Gemini's own Schema spells the types STRING, OBJECT and so on."""
    return "gemini" in tool.targets and kind.isupper() and kind.lower() in JSON_TYPES


RULE = Rule(
    code="TD006",
    name="foreign-type",
    severity="error",
    summary="A `type` outside the seven JSON types: `dict`, `float`, `int`, `str`, `list`, `any`, …",
    explanation="""JSON Schema knows string, number, integer, boolean, object, array and null. Providers reject
    other names, and validators that accept them check nothing.""",
    bad={"input_schema": {"properties": {"days": {"type": "int"}}}},
    good={"input_schema": {"properties": {"days": {"type": "integer"}}}},
    sources=("JSON", "measured"),
    check=check,
    fix="safe",
)
