"""An inline ignore without a reason."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.ignores import comment_ignores, ignores_of
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for ignore in ignores_of(tool):
        if not ignore.reason:
            yield Finding((*ignore.path, "x-rightcall"), f"{ignore.rule} is ignored without a reason", _HINT)
    document = tool.source.document
    if document is not None and document.kind == "yaml" and tool.source.base in ((0,), ("tools", 0), ()):
        for ignore in comment_ignores(document):
            if not ignore.reason:
                yield Finding((), f"line {ignore.line}: {ignore.rule} is ignored without a reason", _HINT)


_HINT = 'say why: {"ignore": {"TD301": "documented in the system prompt"}}; until then it has no effect'

RULE = Rule(
    code="TD008",
    name="unexplained-ignore",
    severity="warning",
    summary="An inline ignore gives no reason, and so has no effect.",
    explanation="""Whoever reads the definition next year wants to know why the advice was not taken. An ignore
    without a reason is not obeyed.""",
    bad={"x-rightcall": {"ignore": {"TD301": ""}}},
    good={"x-rightcall": {"ignore": {"TD301": "the parameters are documented in the system prompt"}}},
    sources=("practice",),
    check=check,
)
