"""A reference with sibling keywords."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.mentions import word_set
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.schema.provider_limits import provider

_ANNOTATIONS = word_set("description title default examples deprecated readOnly writeOnly $comment")
"""Keywords that validate nothing: next to them, a reference keeps its meaning."""


def check(tool: ToolFeatures) -> Iterator[Finding]:
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


RULE = Rule(
    code="TD707",
    name="ref-siblings",
    severity="warning",
    summary="For OpenAI: a `$ref` with sibling keywords.",
    explanation="""OpenAI's own SDK inlines such references before sending, because the API does not take them.""",
    bad={
        "input_schema": {
            "properties": {
                "city": {"type": None, "$ref": "#/$defs/City", "description": "City and country in English."}
            },
            "$defs": {"City": {"type": "string"}},
        }
    },
    good={},
    sources=("OAI-sdk",),
    check=check,
    fix="safe",
    targets=("openai",),
)
