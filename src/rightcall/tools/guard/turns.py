"""The calls of one message: judged together before any of them runs, and settled together when all are answered.

So the order in which parallel calls end changes no verdict, and a run and its recording are judged alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rightcall.model.call import ToolCall
from rightcall.tools.guard.state import GuardState, GuardVerdict

INVALID = frozenset(("unknown_tool", "invalid_json", "invalid_args"))
REFUSALS = INVALID | {
    "confirmation_required",
    "confirmation_invalid",
    "confirmation_rejected",
    "permission_denied",
    "idempotency_key_reused",
    "in_progress",
}
"""Errors of the runtime itself: nothing ran, and nobody else's words are in them."""


def judge_turn(state: GuardState, calls: Sequence[ToolCall]) -> list[GuardVerdict]:
    """The verdict on each call; those before it that are allowed count towards the limits."""
    before = state.used.copy()
    verdicts = []
    for call in calls:
        verdict = state.check(call.name, call.arguments or {})
        verdicts.append(verdict)
        if not verdict.stops:
            state.count(call.name, call.arguments or {})
    state.used = before
    return verdicts


def settle_turn(state: GuardState, calls: Sequence[ToolCall]) -> None:
    """Tell the state which calls took place, and how they were answered."""
    answered = [call for call in calls if took_place(call)]
    for call in answered:
        if call.approval is not None and call.approval.granted:
            state.confirm(arguments_of(call))
        state.ran(call.name, arguments_of(call))
    for call in answered:
        if call.status == "error":
            state.failure(error_text(call.output))
        elif call.output is not None:
            state.result(call.name, arguments_of(call), call.output)


def arguments_of(call: ToolCall) -> dict[str, Any]:
    """What the call ran with: the approver's arguments if they were edited."""
    if call.approval is not None and call.approval.arguments is not None:
        return call.approval.arguments
    return call.arguments or {}


def took_place(call: ToolCall) -> bool:
    """Whether the call reached its tool: the runtime did not refuse it, and nobody rejected it."""
    if call.approval is not None and not call.approval.granted:
        return False
    return not _has_error(call, REFUSALS) and (call.status != "not_run" or call.output is not None)


def was_invalid(call: ToolCall) -> bool:
    """Whether the runtime refused the call before the guard saw it."""
    return call.arguments is None or _has_error(call, INVALID)


def _has_error(call: ToolCall, codes: frozenset[str]) -> bool:
    return call.status == "error" and isinstance(call.output, dict) and call.output.get("error") in codes


def error_text(output: Any) -> str:
    """The words of an error reply."""
    if isinstance(output, dict):
        return " ".join(str(output[key]) for key in ("detail", "hint") if output.get(key))
    return str(output)
