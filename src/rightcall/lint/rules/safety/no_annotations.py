"""An MCP tool that does not say whether it changes anything."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Edit, Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if (
        "mcp" not in tool.targets
        or "readOnlyHint" in tool.annotations
        or "destructiveHint" in tool.annotations
    ):
        return
    kind = tool.effect.kind
    hints = (
        {"readOnlyHint": True}
        if kind == "read"
        else {"readOnlyHint": False, "destructiveHint": kind == "destroy"}
    )
    edits = (Edit(("annotations",), {**tool.annotations, **hints}),) if kind != "unknown" else ()
    yield Finding(
        ("annotations",),
        "clients must assume that it is destructive",
        f"add annotations: {hints}",
        edits=edits,
    )


RULE = Rule(
    code="TD404",
    name="no-annotations",
    severity="info",
    summary="An MCP tool has neither `readOnlyHint` nor `destructiveHint`.",
    explanation="""The defaults are the worst case (destructive, open world), so careful clients ask the user
    before every call. The fix follows the verb of the name: check it.""",
    bad={"annotations": None},
    good={},
    sources=("MCP",),
    check=check,
    fix="suggested",
    targets=("mcp",),
)
