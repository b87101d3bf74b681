"""A schema that contains itself."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.nodes import walk
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.provider_limits import provider


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if '"$ref"' not in tool.text:
        return
    leads: dict[str, set[str]] = {}
    for node in tool.nodes:
        reference = node.schema.get("$ref")
        if isinstance(reference, str) and reference not in leads:
            leads[reference] = _references(tool.resolve(reference))
    for node in tool.nodes:
        reference = node.schema.get("$ref")
        if isinstance(reference, str) and _reaches(reference, reference, leads):
            refusing = sorted(target for target in tool.targets if not provider(target).recursive)
            who = (
                f"{', '.join(refusing)} {'rejects' if len(refusing) == 1 else 'reject'} that"
                if refusing
                else "some providers reject that, and models nest endlessly"
            )
            yield Finding(
                (*node.path, "$ref"),
                f"{reference} contains itself; {who}",
                "limit the depth: write the levels out",
                severity="error" if refusing else None,
            )
            return


def _references(schema: object) -> set[str]:
    if not isinstance(schema, dict):
        return set()
    return {node.schema["$ref"] for node in walk(schema, ()) if isinstance(node.schema.get("$ref"), str)}


def _reaches(start: str, target: str, leads: dict[str, set[str]]) -> bool:
    seen: set[str] = set()
    waiting = list(leads.get(start, ()))
    while waiting:
        here = waiting.pop()
        if here == target:
            return True
        if here not in seen:
            seen.add(here)
            waiting.extend(leads.get(here, ()))
    return False


RULE = Rule(
    code="TD708",
    name="recursive",
    severity="warning",
    summary="A `$ref` leads back to a schema that contains it.",
    explanation="""Anthropic rejects recursion in strict mode; elsewhere it is allowed, but models lose count of
    the levels.""",
    bad={
        "input_schema": {
            "properties": {"area": {"$ref": "#/$defs/Area"}},
            "$defs": {
                "Area": {
                    "type": "object",
                    "description": "A region and the regions in it.",
                    "properties": {"inside": {"$ref": "#/$defs/Area"}},
                    "additionalProperties": False,
                }
            },
        }
    },
    good={},
    sources=("ANT-sdk",),
    check=check,
    beside=("TD713",),
)
