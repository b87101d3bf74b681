"""Keywords outside the schema that Gemini reads."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import REMOVED, Edit, Finding
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.provider_limits import provider


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if "gemini" not in tool.targets or _takes_json_schema(tool):
        return
    keywords = provider("gemini").keywords
    for node in tool.nodes:
        for key in node.schema:
            if key in keywords or str(key).startswith("x-"):
                continue
            edits: tuple[Edit, ...] = ()
            if key == "const":
                edits = (
                    Edit((*node.path, "enum"), [node.schema["const"]]),
                    Edit((*node.path, "const"), REMOVED),
                )
            yield Finding(
                (*node.path, key),
                f"'{key}' is not a field of Gemini's Schema",
                "send it as parameters_json_schema, or say it otherwise",
                edits=edits,
            )


def _takes_json_schema(tool: ToolFeatures) -> bool:
    return tool.source.document_path(INPUT)[-1:] in (("parametersJsonSchema",), ("parameters_json_schema",))


RULE = Rule(
    code="TD705",
    name="gemini-schema-field",
    severity="warning",
    summary="For Gemini: a keyword that its `Schema` type does not have.",
    explanation="""`parameters` takes Gemini's own Schema, a part of OpenAPI; unknown fields are rejected or
    dropped. `parameters_json_schema` takes JSON Schema.""",
    bad={
        "input_schema": {
            "properties": {
                "kind": {"type": "string", "const": "daily", "description": "Rhythm of the entries."}
            }
        }
    },
    good={
        "input_schema": {
            "properties": {
                "kind": {"type": "string", "enum": ["daily"], "description": "Rhythm of the entries."}
            }
        }
    },
    sources=("GEM",),
    check=check,
    fix="suggested",
    targets=("gemini",),
)
