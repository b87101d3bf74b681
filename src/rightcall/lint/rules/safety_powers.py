"""Parameters that give a model too much power, or too little precision."""

from __future__ import annotations

import re

from rightcall.core.words import name_tokens
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Finding, Findings, tool_rule
from rightcall.schema.roles.parameters import is_program


@tool_rule("TD407", "warning", sources=("SNYK", "CISCO"))
def arbitrary_exec(tool: ToolFeatures) -> Findings:
    """A free text is run as a command, code or SQL.

    Anything that can influence the model (a web page, a ticket, a file) can get text executed. Fixed
    operations with typed parameters limit what it can do.

    Fails: {"input_schema": {"properties": {"sql": {
      "type": "string", "description": "Which rows to read, as a statement."
    }}}}
    """
    for node in tool.parameters:
        if (
            node.is_only("string", "str")
            and "enum" not in node.schema
            and "pattern" not in node.schema
            and is_program(node.name, node.text, tool.name, tool.description, first_sentence=tool.opening)
        ):
            yield Finding(
                node.path,
                f"'{node.name}' is executed as received",
                "offer fixed operations, or an allow-list of commands",
            )


_SUMS = frozenset(["amount", "price", "total", "balance", "fee", "payment"])
_MONEY = re.compile(
    r"\b(?:money|payments?|pay|paid|currency|dollars?|usd|euros?|eur|price|refund|transfer|charge|invoice|bank"
    r"|funds?|cents?)\b|[$€£]"
)
_CURRENCY = re.compile(
    r"\b(?:usd|eur|gbp|jpy|dollars?|euros?|cents?|currency|pounds?|yen|rupees?|yuan)\b|[$€£]", re.I
)


@tool_rule("TD410", "warning", sources=("practice",))
def money_float(tool: ToolFeatures) -> Findings:
    """An amount that is paid is a `number`, or has no currency.

    0.1 + 0.2 is not 0.3, and 100 may be dollars or yen. Integer cents with a currency leave nothing open.

    Fails: {
      "name": "update_tariff",
      "description": "Changes what a subscriber pays for forecasts. Use it when a contract was renewed. Fails with not_found, returns the old price.",
      "input_schema": {
        "properties": {
          "city": null,
          "days": null,
          "contract": {"type": "string", "description": "Number of the contract on its first page."},
          "price": {"type": "number", "description": "New price a month, in USD."},
          "expected_version": {"type": "integer", "description": "Version that was read before."}
        },
        "required": ["contract", "price", "expected_version"]
      },
      "annotations": {"readOnlyHint": false, "destructiveHint": false}
    }
    """
    if not tool.effect.is_write and tool.effect.verb not in ("book", "order", "sell"):
        return
    has_currency = any("currency" in name.lower() for name in tool.parameter_names)
    for node in tool.parameters:
        tokens = name_tokens(node.name)
        is_paid = tool.effect.kind == "money" or _MONEY.search(node.text.lower())
        if (
            not _SUMS.intersection(tokens[-1:])
            or not is_paid
            or not node.is_only("number", "float", "integer")
        ):
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
