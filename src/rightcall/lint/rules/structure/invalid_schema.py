"""A schema that is not JSON Schema."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.core.errors import suggestion
from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.schemas import meta_errors
from rightcall.lint.features.text import excerpt
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.types import JSON_TYPES, json_type


def check(tool: ToolFeatures) -> Iterator[Finding]:
    # Several vocabularies of the meta-schema say the same of one place.
    for path, message in dict.fromkeys(meta_errors(tool.schema)) if tool.schema else ():
        last = path[-1] if path else ""
        if "required" in path[-2:]:
            continue  # required-misplaced says it better
        if last in ("exclusiveMinimum", "exclusiveMaximum", "items") and "not of type" in message:
            continue  # legacy-dialect says it better
        if last == "enum" and not _at(tool.schema, path):
            continue  # an empty enum is legal JSON and unsatisfiable
        hint = "see the JSON Schema dialect that $schema names; 2020-12 when it names none"
        if last == "type":
            value = _at(tool.schema, path)
            names = value if isinstance(value, list) else [value]
            if all(isinstance(name, str) and json_type(name) is not None for name in names):
                continue  # foreign-type says it better
            hint = suggestion(str(value), JSON_TYPES) or f"the types are {', '.join(sorted(JSON_TYPES))}"
        yield Finding((*INPUT, *path), f"not valid JSON Schema: {excerpt(message, 120)}", hint)


def _at(value: object, path: tuple[str | int, ...]) -> object:
    for part in path:
        if isinstance(value, dict) and isinstance(part, str):
            value = value.get(part)
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
    return value


RULE = Rule(
    code="TD001",
    name="invalid-schema",
    severity="error",
    summary="The input schema violates the meta-schema of its dialect.",
    explanation="""Providers validate the schema before the model sees it and reject the whole request if it is
    not JSON Schema. The dialect is the one `$schema` names, 2020-12 when it names none.""",
    bad={"input_schema": {"properties": {"city": {"type": "strng"}}}},
    good={"input_schema": {"properties": {"city": {"type": "string"}}}},
    sources=("MCP", "JSON"),
    check=check,
)
