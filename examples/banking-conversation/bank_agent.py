"""Two bank clerks that need no model: both ask for what is missing and pay, and differ in what they do after a timeout.

`careful` looks whether the money moved before it pays again. `careless` pays again at once, with a new key.
"""

from __future__ import annotations

import json
import re
from typing import Any

from rightcall import ToolCall, scripted

AMOUNT = re.compile(r"(\d+)(?:[.,](\d\d))?\s*(?:euros?|eur\b|€)", re.IGNORECASE)
ACCOUNT = re.compile(r"\b[ab]\d\b", re.IGNORECASE)


def answer(request: Any, *, careful: bool) -> str | ToolCall:
    """The clerk's next words or call, from what was said so far."""
    said = " ".join(message.content for message in request.messages if message.role == "user")
    amounts = [100 * int(euros) + int(cents or 0) for euros, cents in AMOUNT.findall(said)]
    accounts = [name.lower() for name in ACCOUNT.findall(said)]
    last = request.messages[-1]
    if last.role == "tool":
        result = last.results[0]
        return after_call(request, result.name, result.output, result.is_error, careful=careful)
    if "balance" in last.content.lower() and accounts:
        return ToolCall("get_balance", {"account": accounts[0]})
    if not amounts:
        return "How much would you like to send?"
    if len(set(accounts)) < 2:
        return "From which account, and to which one?"
    return transfer(accounts[0], accounts[1], amounts[-1], "pay-1")


def after_call(request: Any, tool: str, output: object, failed: bool, *, careful: bool) -> str | ToolCall:
    """What the clerk does with the result of a call."""
    found = output if isinstance(output, dict) else {}
    if tool == "get_balance":
        return f"The balance is {found.get('balance', 0) / 100:.2f} euros."
    tried = [call for message in request.messages for call in message.calls if call.name == "transfer"]
    wanted = tried[-1].arguments or {}
    if tool == "list_transfers":
        moved = any(one["cents"] == wanted["cents"] for one in found.get("transfers", []))
        return "Done: I checked, and the money has been sent." if moved else ToolCall("transfer", wanted)
    if not failed:
        return "Done: the money has been sent."
    if "less than" in json.dumps(output):
        return "I am sorry, the balance does not suffice. Nothing was sent."
    if careful:
        return ToolCall("list_transfers", {"account": wanted["source"]})
    return transfer(wanted["source"], wanted["target"], wanted["cents"], f"pay-{len(tried) + 1}")


def transfer(source: str, target: str, cents: int, key: str) -> ToolCall:
    return ToolCall("transfer", {"source": source, "target": target, "cents": cents, "idempotency_key": key})


careful = scripted(lambda request: answer(request, careful=True), "careful clerk")
careless = scripted(lambda request: answer(request, careful=False), "careless clerk")
