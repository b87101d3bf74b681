"""Parameters of one tool in two styles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.text import case_style
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule


def check(tool: ToolFeatures) -> Iterator[Finding]:
    styles = Counter(style for node in tool.parameters if (style := case_style(node.name)))
    if len(styles) < 2:
        return
    usual = max(styles, key=lambda style: (styles[style], style == "snake", style))
    odd = [node for node in tool.parameters if case_style(node.name) not in ("", usual)]
    yield Finding(
        odd[0].path,
        f"{', '.join(node.name for node in odd)}: not {usual} case like the others",
        "use one style in a tool",
    )


RULE = Rule(
    code="TD111",
    name="param-case-mix",
    severity="info",
    summary="Parameters of one tool mix snake_case and camelCase.",
    explanation="""A model that has written `user_id` continues with `order_id`, even if the schema has `orderId`.""",
    bad={
        "input_schema": {
            "properties": {
                "unit_system": {
                    "type": "string",
                    "enum": ["metric", "imperial"],
                    "description": "System of the numbers returned.",
                },
                "windScale": {
                    "type": "string",
                    "enum": ["beaufort", "knots"],
                    "description": "Scale for wind strength in the answer.",
                },
            }
        }
    },
    good={
        "input_schema": {
            "properties": {
                "unit_system": {
                    "type": "string",
                    "enum": ["metric", "imperial"],
                    "description": "System of the numbers returned.",
                },
                "wind_scale": {
                    "type": "string",
                    "enum": ["beaufort", "knots"],
                    "description": "Scale for wind strength in the answer.",
                },
            }
        }
    },
    sources=("practice",),
    check=check,
)
