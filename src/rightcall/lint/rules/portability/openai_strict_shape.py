"""Objects that OpenAI's strict mode rejects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.nodes import Node
from rightcall.lint.features.schema_context import can_be_closed
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.types import with_null


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if "openai-strict" not in tool.targets:
        return
    for node in tool.nodes:
        properties = node.schema.get("properties")
        if node.schema.get("type") != "object" and not isinstance(properties, dict):
            continue
        missing = _optional(node, properties if isinstance(properties, dict) else {})
        is_open = node.schema.get("additionalProperties") is not False
        if not missing and not is_open:
            continue
        closable = node.path not in tool.sharing and can_be_closed(node)
        what = [f"{', '.join(missing)} not required"] if missing else []
        what += ["additionalProperties is not false"] if is_open else []
        yield Finding(
            node.path,
            f"strict mode rejects this object: {'; '.join(what)}",
            "require every property, optional ones with null among their types, and close the object",
            edits=() if is_open and not closable else _edits(node, missing, is_open),
            safe=not missing,
        )


def _optional(node: Node, properties: dict[str, Any]) -> list[str]:
    required = node.schema.get("required")
    listed = required if isinstance(required, list) else []
    return [name for name in properties if name not in listed]


def _edits(node: Node, missing: list[str], is_open: bool) -> tuple[Edit, ...]:
    edits = [
        Edit((*node.path, "properties", name), with_null(schema))
        for name in missing
        if isinstance(schema := node.schema["properties"][name], dict)
    ]
    if missing:
        edits.append(Edit((*node.path, "required"), list(node.schema["properties"])))
    if is_open:
        edits.append(Edit((*node.path, "additionalProperties"), False))
    return tuple(edits)


RULE = Rule(
    code="TD701",
    name="openai-strict-shape",
    severity="error",
    summary="For OpenAI strict: an object that is open or has optional properties.",
    explanation="""In strict mode every object says `additionalProperties: false` and requires all its properties;
    an optional one takes null instead of being left out. Otherwise the request is rejected. The tool
    must then treat null as “not given”: requiring what was optional is only suggested, and an object
    of free keys, or one that shares its value with another schema, is left to you.""",
    bad={"input_schema": {"required": ["city"]}},
    good={},
    sources=("OAI-so",),
    check=check,
    fix="suggested",
    targets=("openai-strict",),
)
