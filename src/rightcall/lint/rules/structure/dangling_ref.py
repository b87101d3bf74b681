"""A dangling local reference."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.core.errors import suggestion
from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if '"$ref"' not in tool.text or '"$anchor"' in tool.text or '"$id"' in tool.text:
        return
    for node in tool.nodes:
        reference = node.schema.get("$ref")
        if not isinstance(reference, str) or not (reference == "#" or reference.startswith("#/")):
            continue
        path = (*node.path, "$ref")
        if not isinstance(tool.resolve(reference), dict | bool):
            defined = tool.schema.get("$defs")
            pointers = [f"#/$defs/{name}" for name in (defined if isinstance(defined, dict) else ())]
            yield Finding(
                path,
                f"{reference} does not exist",
                suggestion(reference, pointers) or "define it under $defs",
            )
        elif _only_refers_to_itself(tool, reference):
            yield Finding(path, f"{reference} refers only to itself", "give it a schema")


def _only_refers_to_itself(tool: ToolFeatures, reference: str) -> bool:
    seen = {reference}
    here = tool.resolve(reference)
    while isinstance(here, dict) and isinstance(here.get("$ref"), str):
        if here["$ref"] in seen:
            return True
        seen.add(here["$ref"])
        here = tool.resolve(here["$ref"])
    return False


RULE = Rule(
    code="TD007",
    name="dangling-ref",
    severity="error",
    summary="A local `$ref` does not resolve, or only leads back to itself.",
    explanation="""The model sees a parameter without a schema, and validators fail on every call. References are
    resolved inside the schema of the tool, not in the file around it.""",
    bad={
        "input_schema": {
            "properties": {"city": {"$ref": "#/$defs/Citty"}},
            "$defs": {"City": {"type": "string"}},
        }
    },
    good={"input_schema": {"properties": {"city": {"type": "string"}}}},
    sources=("MCP", "JSON"),
    check=check,
)
