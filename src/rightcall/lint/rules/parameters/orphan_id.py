"""An id that no tool in the set provides."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import word_set
from rightcall.lint.features.nodes import Node
from rightcall.lint.features.text import name_tokens, stem, words
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Rule

_GIVING = word_set(
    """
    list find search get lookup query create add start open fetch retrieve make post send
    """
)


def check_set(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, Finding]]:
    if len(tools.tools) < 3:
        return
    givers_of = _tools_by_thing(tools)
    for tool in tools.tools:
        for node in tool.parameters:
            tokens = name_tokens(node.name)
            if not node.required or len(tokens) < 2 or tokens[-1] != "id":
                continue
            givers = givers_of.get(stem(tokens[-2]), set())
            if not givers - {id(tool)} and len(words(node.text)) < 8:
                yield (
                    tool,
                    Finding(node.path, f"no tool in the set provides '{node.name}'", _hint(node, tokens[-2])),
                )


def _tools_by_thing(tools: SetFeatures) -> dict[str, set[int]]:
    """For each thing, the tools that speak of it and find, list or create something."""
    tools_of: dict[str, set[int]] = {}
    for tool in tools.tools:
        if tool.effect.verb in _GIVING:
            for thing in tool.name_stems | tool.content_stems:
                tools_of.setdefault(thing, set()).add(id(tool))
    return tools_of


def _hint(node: Node, thing: str) -> str:
    return f"add find_{thing}, or say in the text where the id comes from"


RULE = Rule(
    code="TD320",
    name="orphan-id",
    severity="info",
    summary="A required `<thing>_id`, and no tool in the set finds, lists or creates that thing.",
    explanation="""The model has no way to get the id and makes one up. Offer a tool that finds it, or say in the
    text that the user gives it.""",
    bad=[
        {
            "input_schema": {
                "properties": {"sensor_id": {"type": "string", "description": "Identifier of the sensor."}},
                "required": ["city", "days", "sensor_id"],
            }
        },
        {},
        {},
    ],
    good=[{}, {}, {}],
    sources=("ANT-eng",),
    check_set=check_set,
)
