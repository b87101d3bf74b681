"""Keywords of older drafts and of OpenAPI 3.0."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.files.documents import JsonPath
from rightcall.lint.diagnostic import REMOVED, Edit, Finding
from rightcall.lint.features.nodes import Node
from rightcall.lint.features.schemas import DEFAULT_DIALECT, dialect_of
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.types import with_null


def check(tool: ToolFeatures) -> Iterator[Finding]:
    current = dialect_of(tool.schema) == DEFAULT_DIALECT
    for node in tool.nodes:
        if isinstance(node.schema.get("nullable"), bool) and not tool.targets & {"gemini"}:
            yield _finding(
                (*node.path, "nullable"),
                "'nullable' is OpenAPI 3.0",
                _without_nullable(node),
                safe=node.path not in tool.counted,
            )
        if not current:
            continue
        for bound, plain in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
            if isinstance(node.schema.get(bound), bool):
                yield _finding(
                    (*node.path, bound), f"a boolean '{bound}' is draft 4", _bound(node, bound, plain)
                )
        if isinstance(node.schema.get("items"), list):
            edits = (
                Edit((*node.path, "prefixItems"), node.schema["items"]),
                Edit((*node.path, "items"), REMOVED),
            )
            yield _finding((*node.path, "items"), "a list of 'items' is draft 7", edits)
    if current and isinstance(tool.schema.get("definitions"), dict) and "$defs" not in tool.schema:
        yield _finding(("input_schema", "definitions"), "'definitions' is draft 7", _rename_definitions(tool))


def _finding(path: JsonPath, message: str, edits: tuple[Edit, ...], *, safe: bool = True) -> Finding:
    return Finding(
        path,
        f"{message}: JSON Schema 2020-12 uses another keyword",
        "use the current keyword",
        edits=edits,
        safe=safe,
    )


def _without_nullable(node: Node) -> tuple[Edit, ...]:
    rest = {key: value for key, value in node.schema.items() if key != "nullable"}
    return (Edit(node.path, with_null(rest) if node.schema["nullable"] else rest),)


def _bound(node: Node, bound: str, plain: str) -> tuple[Edit, ...]:
    if not node.schema[bound] or plain not in node.schema:
        return (Edit((*node.path, bound), REMOVED),)
    return Edit((*node.path, bound), node.schema[plain]), Edit((*node.path, plain), REMOVED)


def _rename_definitions(tool: ToolFeatures) -> tuple[Edit, ...]:
    schema: Any = _with_defs({key: value for key, value in tool.schema.items() if key != "definitions"})
    return (Edit(("input_schema",), {**schema, "$defs": _with_defs(tool.schema["definitions"])}),)


def _with_defs(value: Any, depth: int = 0) -> Any:
    if depth > 200:
        return value
    if isinstance(value, list):
        return [_with_defs(part, depth + 1) for part in value]
    if isinstance(value, dict):
        return {
            key: inner.replace("#/definitions/", "#/$defs/", 1)
            if key == "$ref" and isinstance(inner, str)
            else _with_defs(inner, depth + 1)
            for key, inner in value.items()
        }
    return value


RULE = Rule(
    code="TD711",
    name="legacy-dialect",
    severity="warning",
    summary="`nullable`, boolean exclusive bounds, a list of `items`, or `definitions` under the current dialect.",
    explanation="""JSON Schema 2020-12, the default of MCP and of providers, ignores these keywords: the
    constraint is lost. A schema that names an older dialect in `$schema` may use its keywords.""",
    bad={"input_schema": {"properties": {"days": {"nullable": True}}}},
    good={"input_schema": {"properties": {"days": {"type": ["integer", "null"]}}}},
    sources=("MCP", "JSON"),
    check=check,
    fix="safe",
)
