"""Google ADK's tool confirmations and long-running tools: what an agent waits for, and the approver's answers."""

from __future__ import annotations

from typing import Any

from rightcall.agents.observed.adapter import Watch
from rightcall.agents.observed.values import plain
from rightcall.model.approval import Approval

CONFIRMATION = "adk_request_confirmation"
"""The function call by which ADK asks; the call in question is among its arguments."""


def confirmation_requests(event: Any) -> list[Any]:
    return [call for call in event.get_function_calls() if call.name == CONFIRMATION]


def adk_answers(watch: Watch) -> list[Any]:
    """The parts of a message that answers what the agent waits for; empty when nobody answers any of it."""
    from google.genai import types

    answers = []
    for request in watch.memory.pop("requests", ()):
        asked = (request.args or {}).get("originalFunctionCall") or {}
        name, arguments, call_id = str(asked.get("name") or ""), asked.get("args"), str(asked.get("id") or "")
        approval = watch.decide(name, arguments, call_id)
        if approval.arguments is not None:
            watch.memory["edited", call_id] = approval.arguments
        if not approval.open:
            answers.append((request.id, request.name, {"confirmed": approval.granted}))
    for name, arguments, call_id in watch.memory.pop("pending", ()):
        approval, rule = watch.decide(name, arguments, call_id), watch.rule(name)
        if not approval.open and rule is not None:
            answers.append((call_id, name, _result(approval, rule.value)))
    return [
        types.Part(function_response=types.FunctionResponse(id=id_, name=name, response=response))
        for id_, name, response in answers
    ]


def _result(approval: Approval, value: Any) -> dict[str, Any]:
    """What a long-running tool gave in the end: the value of the approver's line, or the decision."""
    if isinstance(value, dict) and approval.decision != "edited":
        return dict(value)
    fields = {"message": approval.message} if approval.message else {}
    return {"status": approval.decision, **fields, **(approval.arguments or {})}


async def asks_first(tool: Any, arguments: Any, context: Any) -> bool:
    """Whether ADK asks before this call, or was told not to run it: then it is not for the desk."""
    check = getattr(tool, "check_require_confirmation", None)
    if check is None or not await check(arguments, context):
        return False
    confirmation = context.tool_confirmation
    return confirmation is None or not confirmation.confirmed


def note_pending(watch: Watch, tool: Any, arguments: Any, context: Any, result: Any) -> bool:
    """Note a call that waits: ADK asks about it, or a long-running tool has no result yet."""
    call_id = str(context.function_call_id or "")
    if call_id in (context.actions.requested_tool_confirmations or {}):
        watch.recorder.decided(Approval("waiting"), tool.name, plain(arguments), call_id)
        return True
    pending = result is None or (isinstance(result, dict) and result.get("status") == "pending")
    if getattr(tool, "is_long_running", False) and pending:
        watch.recorder.decided(Approval("waiting"), tool.name, plain(arguments), call_id)
        watch.memory.setdefault("pending", []).append((tool.name, plain(arguments), call_id))
        return True
    return False
