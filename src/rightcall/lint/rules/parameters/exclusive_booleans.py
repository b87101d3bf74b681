"""Two switches that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import OPPOSITES
from rightcall.lint.features.text import name_tokens
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    switches = {
        node.name: name_tokens(node.name) for node in tool.parameters if node.is_only("boolean", "bool")
    }
    if len(switches) < 2:
        return
    paths = {node.name: node.path for node in tool.parameters}
    for switch, tokens in switches.items():
        for left, right in OPPOSITES:
            if left not in tokens:
                continue
            opposite = tuple(right if token == left else token for token in tokens)
            other = next((name for name, theirs in switches.items() if theirs == opposite), None)
            if other:
                yield Finding(
                    paths[switch],
                    f"'{switch}' and '{other}' may both be true",
                    f'take one parameter with "enum": ["{left}", "{right}"]',
                )


RULE = Rule(
    code="TD315",
    name="exclusive-booleans",
    severity="warning",
    summary="Two booleans are opposites: on and off, include_x and exclude_x.",
    explanation="""Both may be true, or neither. One parameter with an enum makes the invalid states impossible to
    write.""",
    bad={
        "input_schema": {
            "properties": {
                "include_night": {
                    "type": "boolean",
                    "description": "Whether hours after sunset are part of it.",
                },
                "exclude_night": {
                    "type": "boolean",
                    "description": "Whether hours after sunset are left out.",
                },
            }
        }
    },
    good={
        "input_schema": {
            "properties": {
                "night": {
                    "type": "string",
                    "enum": ["include", "exclude"],
                    "description": "What to do with hours after sunset.",
                }
            }
        }
    },
    sources=("OAI-fc",),
    check=check,
)
