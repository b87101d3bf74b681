"""An effect that a retry does twice."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.lint.features.effects import ADDING, MONEY_WORDS, ONCE_ONLY
from rightcall.lint.features.mentions import IDEMPOTENCY_PARAMETER, word_set
from rightcall.lint.features.text import name_tokens
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.rule import Edit, Finding, Rule

_KEY = {
    "type": "string",
    "description": "Unique text for this intended effect; repeat it when you retry, so that it happens once.",
}

_MESSAGES_OF_MACHINES = word_set("http https request response headers packet query command ping")
"""To send one of these is to ask a machine something, not to cause an effect."""


def check(tool: ToolFeatures) -> Iterator[Finding]:
    effect = tool.effect
    if (effect.kind != "money" and effect.verb not in ONCE_ONLY | ADDING) or effect.kind == "read":
        return
    if not _MESSAGES_OF_MACHINES.isdisjoint(tool.name_tokens):
        return
    if tool.annotations.get("idempotentHint") is True or _declares_idempotency(tool):
        return
    if any(IDEMPOTENCY_PARAMETER.search(name) for name in tool.parameter_names) or "idempoten" in tool.lower:
        return
    about_money = effect.kind == "money" and any(
        token in MONEY_WORDS for name in tool.parameter_names for token in name_tokens(name)
    )
    severity = "error" if about_money else "warning" if effect.verb in ONCE_ONLY else "info"
    edits = (Edit((*INPUT, "properties", "idempotency_key"), _KEY),) if "properties" in tool.schema else ()
    yield Finding(
        INPUT,
        f"a retry would {effect.verb} twice",
        "take an idempotency_key, or declare that the program removes duplicates: "
        '"x-rightcall": {"idempotency": "args"}',
        severity=severity,  # type: ignore[arg-type]
        edits=edits,
    )


def _declares_idempotency(tool: ToolFeatures) -> bool:
    extension = tool.source.extension
    return isinstance(extension, dict) and extension.get("idempotency") in ("key", "args")


RULE = Rule(
    code="TD403",
    name="effect-no-idempotency",
    severity="warning",
    summary="A tool that sends, books or pays has no idempotency key.",
    explanation="""After a timeout it is unknown whether it happened; the model tries again, and the customer pays
    twice. An error when money moves, an info for tools that only add something. Declare it when the
    program removes duplicates itself.""",
    bad={
        "name": "send_warning",
        "description": (
            "Sends a storm warning to all subscribers of a city. Use it only after a forecaster "
            "approved. Fails with not_found."
        ),
        "annotations": {"readOnlyHint": False, "destructiveHint": False},
    },
    good={
        "name": "send_warning",
        "description": (
            "Sends a storm warning to all subscribers of a city. Use it only after a forecaster "
            "approved. Fails with not_found."
        ),
        "annotations": {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": False},
        "input_schema": {
            "properties": {
                "idempotency_key": {
                    "type": "string",
                    "description": "Unique text for this warning; repeat it to retry.",
                }
            },
            "required": ["city", "days", "idempotency_key"],
        },
    },
    sources=("STR", "IETF"),
    check=check,
    fix="suggested",
)
