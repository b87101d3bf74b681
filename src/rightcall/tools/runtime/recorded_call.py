"""Calls of real tools in trials that are recorded or replayed: a replay runs nothing, asks nothing, writes no key.

What is recorded is how a call ended: after keys, deadline, versions and faults, so a replay needs none of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, get_args

from rightcall.core.codec import convert, to_plain
from rightcall.core.errors import ProviderError
from rightcall.recording.canonical import scrub_value
from rightcall.recording.case import TapedCase
from rightcall.tools.runtime.bound_tool import RunnableTool, call as call_function
from rightcall.tools.runtime.call_outcome import Finished, Outcome
from rightcall.tools.runtime.errors import ERROR_CODES, Abort, Effect, ErrorReply, Retry
from rightcall.tools.runtime.invocation import ActiveCall, Next

_OUR_WORDS = frozenset(
    (
        *(*Finished.__struct_fields__, *ErrorReply.__struct_fields__, *ERROR_CODES),
        *(*get_args(Outcome), *get_args(Effect), *get_args(Retry)),
    )
)
"""Words of the file format: not secrets, even if the environment has an equal one."""


async def recorded_call(call: ActiveCall, next: Next) -> Finished:
    """The stage that answers a call from the trial's recording, or records how it ended."""
    case = call.context.recording
    if case is None or not call.ready.live:
        return await next(call)
    ask = case.tool_ask(call.tool_name, call.arguments)
    if case.is_replaying:
        return _replay(call, _recorded_reply(case, ask))
    pending, ledger = case.begin_call(ask), call.context.ledger
    calls_before = len(ledger.entries)
    ending: dict[str, Any] = {}
    try:
        finished: Finished = await next(call)
        ending["finished"] = to_plain(finished)
        return finished
    except Abort as abort:
        ending["abort"] = {"reason": abort.reason, "effect": abort.effect, "unreached": abort.unreached}
        raise
    finally:
        if ending:  # otherwise it was cancelled, or its server is lost: such a trial cannot be replayed
            own = [line for line in ledger.entries[calls_before:] if line.call_id == call.call.id]
            ending["ledger"] = [[line.phase, line.attempt, line.detail] for line in own]
            ending["faults"] = list(call.faults)
            pending.reply = scrub_value(ending, case.clean, _OUR_WORDS)


def _recorded_reply(case: TapedCase, ask: dict[str, Any]) -> dict[str, Any]:
    try:
        return case.next_reply(ask)
    except ProviderError as error:
        raise Abort(error.problem, effect="none") from None


def _replay(call: ActiveCall, reply: dict[str, Any]) -> Finished:
    for phase, attempt, detail in reply.get("ledger", ()):
        call.context.ledger.add(phase, call.tool_name, attempt=attempt, detail=detail, **call.note())
    call.faults += reply.get("faults", ())
    if (abort := reply.get("abort")) is not None:
        raise Abort(abort["reason"], effect=abort["effect"], unreached=abort["unreached"])
    return convert(reply.get("finished"), Finished, f"recording of {call.context.task}")


def with_recorded_preview(tool: str, ready: RunnableTool, case: TapedCase | None) -> RunnableTool:
    """A real tool whose preview, which may read what is real, is recorded or replayed like its calls."""
    if case is None or not ready.live or ready.preview is None:
        return ready
    return replace(ready, preview=partial(_preview, tool, ready.preview, case))


async def _preview(tool: str, preview: Callable[..., Any], case: TapedCase, arguments: dict[str, Any]) -> str:
    ask = case.tool_ask(tool, arguments, "preview")
    if case.is_replaying:
        return str(_recorded_reply(case, ask)["text"])
    pending = case.begin_call(ask)
    text = str(await call_function(partial(preview, arguments)))
    pending.reply = {"text": case.clean(text)}
    return text
