"""A parameter whose description repeats its name."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.mentions import FILLER_WORDS
from rightcall.lint.features.text import excerpt, name_tokens, stem, words
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.lint.rules.naming.ambiguous_param_name import leaves_open


def check(tool: ToolFeatures) -> Iterator[Finding]:
    for node in tool.properties:
        if not node.text or len(node.text) > 80 or "enum" in node.schema or leaves_open(node):
            continue
        if node.is_only("boolean") or not node.text.isascii():
            continue
        name = {stem(token) for token in name_tokens(node.name)}
        if all(word in FILLER_WORDS or stem(word) in name for word in words(node.text)):
            yield Finding(
                node.path,
                f"“{excerpt(node.text, 40)}” says no more than '{node.name}'",
                "say its form and where it comes from: “ord_… as find_order gives it”",
            )


RULE = Rule(
    code="TD302",
    name="param-restates-name",
    severity="info",
    summary="The description of a parameter contains only the words of its name.",
    explanation="""`order_id`: “The order id” leaves open what an order id looks like and where to get one.""",
    bad={"input_schema": {"properties": {"city": {"description": "The city."}}}},
    good={},
    sources=("SM2",),
    check=check,
)
