"""References that providers resolve differently."""

from __future__ import annotations

from rightcall.core.groups import reachable
from rightcall.core.words import word_set
from rightcall.lint.features.nodes import walk
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Edit, Finding, Findings, tool_rule
from rightcall.schema.provider_limits import provider
from rightcall.schema.subschemas import reference_of

_ANNOTATIONS = word_set("description title default examples deprecated readOnly writeOnly $comment")
"""Keywords that validate nothing: next to them, a reference keeps its meaning."""


@tool_rule("TD707", "warning", needs=("$ref",), fix="safe", targets=("openai",), sources=("OAI-sdk",))
def ref_siblings(tool: ToolFeatures) -> Findings:
    """For OpenAI: a `$ref` with sibling keywords.

    OpenAI's own SDK inlines such references before sending, because the API does not take them.

    Fails: {"input_schema": {
      "properties": {"city": {"type": null, "$ref": "#/$defs/City", "description": "City and country in English."}},
      "$defs": {"City": {"type": "string"}}
    }}
    """
    if not any(not provider(target).ref_siblings for target in tool.targets):
        return
    for node in tool.nodes:
        reference = node.schema.get("$ref")
        siblings = {
            key: value for key, value in node.schema.items() if key not in ("$ref", "$defs", "definitions")
        }
        if not isinstance(reference, str) or not siblings or node.parent is None:
            continue
        target = tool.resolve(reference)
        plain = isinstance(target, dict) and "$ref" not in str(target)
        edits = (Edit(node.path, {**target, **siblings}),) if plain else ()
        yield Finding(
            node.path,
            f"$ref with {', '.join(siblings)}: OpenAI requires it to be inlined",
            "inline the schema",
            edits=edits,
            safe=_ANNOTATIONS.issuperset(siblings),
        )


@tool_rule("TD708", "warning", needs=("$ref",), beside=("TD713",), sources=("ANT-sdk",))
def recursive(tool: ToolFeatures) -> Findings:
    """A `$ref` leads back to a schema that contains it.

    Anthropic rejects recursion in strict mode; elsewhere it is allowed, but models lose count of the levels.

    Fails: {"input_schema": {
      "properties": {"area": {"$ref": "#/$defs/Area"}},
      "$defs": {"Area": {
        "type": "object",
        "description": "A region and the regions in it.",
        "properties": {"inside": {"$ref": "#/$defs/Area"}},
        "additionalProperties": false
      }}
    }}
    """
    leads: dict[str, set[str]] = {}
    for node in tool.nodes:
        reference = node.schema.get("$ref")
        if isinstance(reference, str) and reference not in leads:
            target = tool.resolve(reference)
            inside = walk(target, ()) if isinstance(target, dict) else ()
            leads[reference] = {inner for part in inside if (inner := reference_of(part.schema)) is not None}
    for node in tool.nodes:
        reference = node.schema.get("$ref")
        if isinstance(reference, str) and reference in reachable(
            leads[reference], lambda here: leads.get(here, ())
        ):
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
