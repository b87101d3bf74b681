"""Annotations that contradict each other or the tool."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.effects import DESTROY, MONEY
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    hints = tool.annotations
    if hints.get("readOnlyHint") is not True:
        if hints.get("idempotentHint") is True and tool.effect.verb in MONEY and not tool.parameter_names:
            yield Finding(
                ("annotations",),
                f"idempotent, but to {tool.effect.verb} twice is not the same as once",
                _HINT,
            )
        return
    if hints.get("destructiveHint") is True:
        yield Finding(("annotations",), "both read-only and destructive", _HINT)
    elif tool.effect.verb in DESTROY:
        yield Finding(("annotations",), f"read-only, but the name says {tool.effect.verb}", _HINT)


_HINT = "clients skip the confirmation when a tool claims to be harmless"

RULE = Rule(
    code="TD405",
    name="annotation-conflict",
    severity="error",
    summary="`readOnlyHint` on a destructive tool, or together with `destructiveHint`.",
    explanation="""A client that trusts the hint runs the tool without asking. Only verbs that certainly destroy
    are taken as a contradiction: many read-only tools “create” a view or “update” a cache.""",
    bad={"annotations": {"readOnlyHint": True, "destructiveHint": True}},
    good={"annotations": {"readOnlyHint": True, "destructiveHint": False}},
    sources=("MCP",),
    check=check,
)
