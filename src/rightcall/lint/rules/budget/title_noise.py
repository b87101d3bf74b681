"""Titles that repeat the name."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import REMOVED, Edit, Finding
from rightcall.lint.features.text import name_tokens
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    noise = [
        node
        for node in tool.nodes
        if isinstance(title := node.schema.get("title"), str)
        and (
            (node.name and name_tokens(title) == name_tokens(node.name))
            or (node.parent is None and _is_generated(tool, title))
        )
    ]
    if noise:
        what = "the title repeats the name" if len(noise) == 1 else f"{len(noise)} titles repeat the names"
        edits = tuple(Edit((*node.path, "title"), REMOVED) for node in noise)
        yield Finding((*noise[0].path, "title"), f"{what}", "remove them", edits=edits, safe=True)
    if tool.schema.get("$schema") == "https://json-schema.org/draft/2020-12/schema":
        edit = Edit((*INPUT, "$schema"), REMOVED)
        yield Finding(
            (*INPUT, "$schema"),
            "$schema names the dialect that is the default",
            "remove it",
            edits=(edit,),
            safe=True,
        )


def _is_generated(tool: ToolFeatures, title: str) -> bool:
    """Frameworks call the root `<name>Arguments`, `<name>Args` or `<name>Input`."""
    tokens = name_tokens(title)
    return tokens[:-1] == tool.name_tokens and tokens[-1:] in (
        ("arguments",),
        ("args",),
        ("input",),
        ("schema",),
    )


RULE = Rule(
    code="TD606",
    name="title-noise",
    severity="info",
    summary="Titles that only repeat property names, or `$schema` naming the default dialect.",
    explanation="""Generators put them there; they are sent with every request and tell the model nothing.""",
    bad={"input_schema": {"properties": {"city": {"title": "City"}, "days": {"title": "Days"}}}},
    good={},
    sources=("OAI-sdk", "measured"),
    check=check,
    fix="safe",
)
