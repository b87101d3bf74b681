"""Conditions and references that Anthropic accepts without acting on them."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.nodes import Node
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_CONDITIONS = ("if", "dependentRequired", "dependentSchemas", "not")
_MARKS = ('"if"', '"dependentRequired"', '"dependentSchemas"', '"not"', '"$ref"')


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if "anthropic" not in tool.targets or not any(mark in tool.text for mark in _MARKS):
        return
    for node in tool.nodes:
        for key in _CONDITIONS:
            if key in node.schema:
                shown = "if/then/else" if key == "if" else key
                yield Finding(
                    (*node.path, key),
                    f"Anthropic accepts {shown} but does not enforce it, and its strict mode rejects it",
                    "say the condition in the description and check it in the tool, or offer two tools",
                )
    reference = next((node for node in tool.nodes if _is_local(tool, node)), None)
    if reference is not None:
        yield Finding(
            (*reference.path, "$ref"),
            "Anthropic passes $ref on as written: the model has to look the definition up",
            "write the definition out where it is used",
        )


def _is_local(tool: ToolFeatures, node: Node) -> bool:
    """Whether the schema is a reference that leads somewhere; others are errors of other rules."""
    reference = node.schema.get("$ref")
    return isinstance(reference, str) and isinstance(tool.resolve(reference), dict)


RULE = Rule(
    code="TD713",
    name="anthropic-unenforced",
    severity="info",
    summary="For Anthropic without strict: if/then/else, dependencies, `not` and `$ref` reach the model as text only.",
    explanation="""Outside strict mode the schema is text in the prompt. A condition is followed as often as any other
    sentence, and what stands behind a reference is read last. What must hold is checked in the tool.""",
    bad={"input_schema": {"if": {"required": ["days"]}, "then": {"required": ["city"]}}},
    good={},
    sources=("ANT-root", "ANT-sdk"),
    check=check,
    targets=("anthropic",),
)
