"""Money as a floating-point number, or without a currency."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rightcall.lint.diagnostic import Finding
from rightcall.lint.features.text import name_tokens
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule

_SUMS = frozenset(["amount", "price", "total", "balance", "fee", "payment"])
_MONEY = re.compile(
    r"\b(?:money|payments?|pay|paid|currency|dollars?|usd|euros?|eur|price|refund|transfer|charge|invoice|bank"
    r"|funds?|cents?)\b|[$€£]"
)
_CURRENCY = re.compile(
    r"\b(?:usd|eur|gbp|jpy|dollars?|euros?|cents?|currency|pounds?|yen|rupees?|yuan)\b|[$€£]", re.I
)


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if not tool.effect.is_write and tool.effect.verb not in ("book", "order", "sell"):
        return
    has_currency = any("currency" in name.lower() for name in tool.parameter_names)
    for node in tool.parameters:
        tokens = name_tokens(node.name)
        if (
            not tokens
            or tokens[-1] not in _SUMS
            or not (tool.effect.kind == "money" or _MONEY.search(node.text.lower()))
        ):
            continue
        if not node.is_only("number", "float", "integer"):
            continue
        problems = []
        if node.is_only("number", "float"):
            problems.append("a floating-point number")
        if not has_currency and not _CURRENCY.search(
            f"{node.name.replace('_', ' ')} {node.text} {tool.description}"
        ):
            problems.append("without a currency")
        if problems:
            yield Finding(
                node.path,
                f"'{node.name}' is money as {' '.join(problems)}",
                f"{node.name}_cents as integer, with a currency",
            )


RULE = Rule(
    code="TD410",
    name="money-float",
    severity="warning",
    summary="An amount that is paid is a `number`, or has no currency.",
    explanation="""0.1 + 0.2 is not 0.3, and 100 may be dollars or yen. Integer cents with a currency leave nothing
    open.""",
    bad={
        "name": "update_tariff",
        "description": "Changes what a subscriber pays for forecasts. Use it when a contract was renewed. Fails "
        "with not_found, "
        "returns the old price.",
        "input_schema": {
            "properties": {
                "city": None,
                "days": None,
                "contract": {"type": "string", "description": "Number of the contract on its first page."},
                "price": {"type": "number", "description": "New price a month, in USD."},
                "expected_version": {"type": "integer", "description": "Version that was read before."},
            },
            "required": ["contract", "price", "expected_version"],
        },
        "annotations": {"readOnlyHint": False, "destructiveHint": False},
    },
    good={},
    sources=("practice",),
    check=check,
)
