"""What a tool declares about its effects, what a repetition does, and parameters that give too much power."""

from __future__ import annotations

import re

from rightcall.core.words import name_tokens, word_set
from rightcall.lint.features.mentions import IRREVERSIBLE, alternatives_in
from rightcall.lint.features.tool import INPUT, ToolFeatures
from rightcall.lint.rule import Edit, Finding, Findings, Severity, tool_rule
from rightcall.schema.effects import (
    ADDING,
    CREATE_SYNONYMS,
    DESTROY,
    EFFECTS,
    MONEY,
    MONEY_WORDS,
    ONCE_ONLY,
    READ,
    UPDATE_SYNONYMS,
)
from rightcall.schema.roles.parameters import is_program

_IDEMPOTENCY_PARAMETER = re.compile(
    r"idempoten|request_?id|client_?token|dedup|client_?(?:request|order|reference|msg|message)_?id"
    r"|transaction_?(?:id|ref)|external_?id|unique_?key|nonce|correlation_?id",
    re.IGNORECASE,
)

_KEY_SCHEMA = {
    "type": "string",
    "description": "Unique text for this intended effect; repeat it when you retry, so that it happens once.",
}

_MESSAGES_OF_MACHINES = word_set("http https request response headers packet query command ping")
"""To send one of these is to ask a machine something, not to cause an effect."""


_REMOVES_REPEATS = re.compile(r"idempoten|\bde-?dup")
_PAYMENTS = word_set("payment payments refund refunds payout payouts transfer transfers charge charges")
"""To create one of these is to move money, or to record that it moved."""


@tool_rule("TD403", "warning", fix="suggested", sources=("STR", "IETF"))
def effect_no_idempotency(tool: ToolFeatures) -> Findings:
    """A tool that sends, books or pays has no idempotency key.

    After a timeout it is unknown whether it happened; the model tries again, and the customer pays twice. An
    error when money moves, an info for tools that only add something other than a payment. Declare it when the program removes
    duplicates itself.

    Fails: {
      "name": "send_warning",
      "description": "Sends a storm warning to all subscribers of a city. Use it only after a forecaster approved. Fails with not_found.",
      "annotations": {"readOnlyHint": false, "destructiveHint": false}
    }
    Passes: {
      "name": "send_warning",
      "description": "Sends a storm warning to all subscribers of a city. Use it only after a forecaster approved. Fails with not_found.",
      "annotations": {"readOnlyHint": false, "destructiveHint": false, "idempotentHint": false},
      "input_schema": {
        "properties": {"idempotency_key": {
          "type": "string", "description": "Unique text for this warning; repeat it to retry."
        }},
        "required": ["city", "days", "idempotency_key"]
      }
    }
    """
    effect = tool.effect
    if (effect.kind != "money" and effect.verb not in ONCE_ONLY | ADDING) or effect.kind == "read":
        return
    if not _MESSAGES_OF_MACHINES.isdisjoint(tool.name_tokens):
        return
    declared = tool.source.extension.get("idempotency") if isinstance(tool.source.extension, dict) else None
    if tool.annotations.get("idempotentHint") is True or declared in ("key", "args"):
        return
    if any(_IDEMPOTENCY_PARAMETER.search(name) for name in tool.parameter_names) or _REMOVES_REPEATS.search(
        tool.lower
    ):
        return
    about_money = effect.kind == "money" and any(
        any(token in MONEY_WORDS for token in name_tokens(name)) for name in tool.parameter_names
    )
    is_noticed = effect.verb in ONCE_ONLY or not _PAYMENTS.isdisjoint(tool.name_words - {effect.verb})
    severity: Severity = "error" if about_money else "warning" if is_noticed else "info"
    edits = (
        (Edit((*INPUT, "properties", "idempotency_key"), _KEY_SCHEMA),) if "properties" in tool.schema else ()
    )
    yield Finding(
        INPUT,
        f"a retry would {effect.verb} twice",
        "take an idempotency_key, or declare that the program removes duplicates: "
        '"x-rightcall": {"idempotency": "args"}',
        severity=severity,
        edits=edits,
    )


_MODES = frozenset(["action", "operation", "op", "mode", "command", "method", "verb"])


@tool_rule("TD405", "error", sources=("MCP",))
def annotation_conflict(tool: ToolFeatures) -> Findings:
    """`readOnlyHint` on a destructive tool, or together with `destructiveHint`; `destructiveHint: false` on one.

    A client that trusts the hint runs the tool without asking. Only verbs that certainly destroy, in the name or
    at the beginning of the text, are taken as a contradiction: many read-only tools “create” a view or “update” a
    cache. `destructiveHint: false` on a deletion is an error when the text says that it is final, nothing when it
    says how to undo it, else a warning.

    Fails: {"annotations": {"readOnlyHint": true, "destructiveHint": true}}
    Passes: {"annotations": {"readOnlyHint": true, "destructiveHint": false}}
    """
    hints = tool.annotations
    if hints.get("readOnlyHint") is not True:
        if hints.get("idempotentHint") is True and tool.effect.verb in MONEY and not tool.parameter_names:
            yield Finding(
                ("annotations",),
                f"idempotent, but to {tool.effect.verb} twice is not the same as once",
                _HINT,
            )
        if hints.get("destructiveHint") is False and tool.effect.verb in _DELETING:
            yield from _denied_deletion(tool)
        return
    if hints.get("destructiveHint") is True:
        yield Finding(("annotations",), "both read-only and destructive", _HINT)
    elif tool.effect.verb in DESTROY:
        yield Finding(("annotations",), f"read-only, but the name says {tool.effect.verb}", _HINT)
    elif tool.opening_verb in _DELETING:
        yield Finding(("annotations",), f"read-only, but the text begins with {tool.opening_verb}", _HINT)


def _denied_deletion(tool: ToolFeatures) -> Findings:
    is_final = _FINAL.search(tool.lower) is not None
    if is_final or not (IRREVERSIBLE.search(tool.all_prose) or tool.opening_verb not in _DELETING):
        yield Finding(
            ("annotations",),
            f"not destructive, but it is called {tool.effect.verb}"
            + (" and says that it is final" if is_final else ""),
            _HINT,
            severity="error" if is_final else "warning",
        )


_DELETING = DESTROY - {"overwrite", "truncate"}
"""Verbs whose object is gone afterwards."""

_FINAL = re.compile(
    r"\bpermanent|\birreversib|\bcan(?:not|'t| not) be (?:undone|recovered|restored)|\bfor good\b|\bforever\b"
)


_HINT = "clients skip the confirmation when a tool claims to be harmless"


_WRITES = re.compile(
    r"\b(?:also|automatically|additionally|and then|then) (?:creates|updates|deletes|removes|marks|sends|overwrites"
    r"|resets|saves|archives)\b"
    r"|\band (?:marks|deletes|removes|overwrites|archives|resets) (?:it|them|the|all|each|every)\b"
)
_READING = word_set("get list read fetch find search lookup query retrieve show view check describe")


_TEXT_HINT = "write the text for this tool, or name it for what it does"


@tool_rule("TD406", "warning", sources=("CISCO",))
def hidden_write(tool: ToolFeatures) -> Findings:
    """A tool named for reading also changes something, or its text begins with another effect than its name.

    Agents call readers freely: to look around, to check, in parallel, again after an error. An effect hidden
    in one of them happens every time. `update_label`: “Delete a label” is a text copied from another tool: an error
    when one of the two verbs destroys, as a model follows either.

    Fails: {"description": "Returns the unread warnings, or an error, and marks them as read. Use it when the user asks for news."}
    """
    verb = tool.effect.verb
    opening = tool.opening_verb
    named = EFFECTS.get(verb, "unknown")
    deletes = opening in _DELETING and named in ("read", "create", "update")
    if deletes or (verb in _DELETING and opening in _READING):
        yield Finding(
            ("description",),
            f"called '{verb}', but its text begins with '{opening}'",
            _TEXT_HINT,
            severity="error",
        )
        return
    if opening == "list" and verb in CREATE_SYNONYMS | UPDATE_SYNONYMS:
        yield Finding(("description",), f"called '{verb}', but its text begins with 'list'", _TEXT_HINT)
    if verb not in _READING:
        return
    match = _WRITES.search(tool.lower)
    if match:
        yield Finding(
            ("description",),
            f"called '{tool.effect.verb}', but it {match.group()}",
            "split it, or put the effect into the name and the first sentence",
        )


@tool_rule("TD411", "warning", sources=("SNYK",))
def mixed_mode(tool: ToolFeatures) -> Findings:
    """An `action` parameter mixes reading and deleting.

    Consolidating tools is good advice, but a tool that both reads and destroys cannot be approved for reading
    alone, and one wrong word does damage.

    Fails: {"input_schema": {"properties": {"action": {
      "type": "string", "enum": ["get", "delete"], "description": "What to do with the forecast."
    }}}}
    """
    for node in tool.parameters:
        if node.name.lower() not in _MODES:
            continue
        values = node.schema.get("enum")
        if not isinstance(values, list):
            values = alternatives_in(node.text)
        verbs = [tokens[0] for value in values if isinstance(value, str) and (tokens := name_tokens(value))]
        reads = [verb for verb in verbs if verb in READ]
        destroys = [verb for verb in verbs if verb in DESTROY or verb == "remove"]
        if reads and destroys:
            yield Finding(
                node.path,
                f"'{node.name}' is {reads[0]} or {destroys[0]}: one word separates a harmless call from a "
                "destructive one",
                "make two tools, so that one can be offered without the other",
            )


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
