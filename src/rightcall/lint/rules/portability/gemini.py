"""What Gemini rejects."""

from __future__ import annotations

import re

from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.rule import REMOVED, Edit, Finding, Findings, tool_rule
from rightcall.schema.provider_limits import provider


@tool_rule("TD705", "warning", only_for="gemini", fix="suggested", sources=("GEM",))
def gemini_schema_field(tool: ToolFeatures) -> Findings:
    """For Gemini: a keyword that its `Schema` type does not have.

    `parameters` takes Gemini's own Schema, a part of OpenAPI; unknown fields are rejected or dropped.
    `parameters_json_schema` takes JSON Schema.

    Fails: {"input_schema": {"properties": {"kind": {
      "type": "string", "const": "daily", "description": "Rhythm of the entries."
    }}}}
    Passes: {"input_schema": {"properties": {"kind": {
      "type": "string", "enum": ["daily"], "description": "Rhythm of the entries."
    }}}}
    """
    takes_json_schema = ("parametersJsonSchema",), ("parameters_json_schema",)
    if tool.source.document_path(INPUT)[-1:] in takes_json_schema:
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


@tool_rule("TD706", "error", only_for="gemini", sources=("GEM",))
def gemini_param_name(tool: ToolFeatures) -> Findings:
    """For Gemini: a property name outside `[A-Za-z_][A-Za-z0-9_]{0,63}`.

    Hyphens and dots in parameter names are rejected, as are names of more than 64 characters.

    Fails: {"input_schema": {"properties": {"wind.scale": {
      "type": "string", "enum": ["knots"], "description": "Scale of the wind."
    }}}}
    Passes: {"input_schema": {"properties": {"wind_scale": {
      "type": "string", "enum": ["knots"], "description": "Scale of the wind."
    }}}}
    """
    allowed = re.compile(provider("gemini").parameter_name or "")
    for node in tool.properties:
        if not allowed.match(node.name) and node.name.isascii():
            better = re.sub(r"\W+", "_", node.name).strip("_")[:64] or "value"
            yield Finding(
                node.path,
                f"Gemini rejects the parameter name '{node.name}'",
                f"letters, digits and _ only: {better}",
            )
