"""Runs a prepared tool once, or its probe, and waits for it no longer than its deadline.

A read is cancelled at its deadline. A write is not: a thread cannot be stopped, a request that was sent cannot
be recalled, and cancelling would only lose track of them. The model reads that it is still running,
and the work continues to its end with the claim on its key, its locks and its place in the ledger.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, get_args

from msgspec.structs import replace

from rightcall.core.codec import convert, to_plain
from rightcall.core.errors import ProviderError, ToolServerDown
from rightcall.core.event_loop.kept_loop import end_with_call
from rightcall.recording.canonical import scrub_value
from rightcall.recording.case import TapedCase
from rightcall.tools.definitions.behaviour import CallInfo
from rightcall.tools.definitions.function import call_function
from rightcall.tools.idempotency.owners import Owner, holding
from rightcall.tools.runtime.bound_tool import RunnableTool
from rightcall.tools.runtime.call_outcome import Finished, Outcome, ToolWork, usable
from rightcall.tools.runtime.call_record import deadline_passed, not_begun, read_result, still_running
from rightcall.tools.runtime.errors import ERROR_CODES, Abort, Effect, ErrorReply, Retry, ToolError
from rightcall.tools.runtime.invocation import ActiveCall, Next


async def perform(call: ActiveCall) -> Any:
    """Run the tool and record its effect in the ledger, whatever happens to its answer."""
    if call.work is None:
        return await call.ready.run(call.arguments, _info(call), call.context, lambda result, failure: None)
    work = call.work
    work.begun = True

    def did() -> None:
        if not work.acted:
            work.acted = True
            call.log("late_effect" if work.left else "effect", attempt=call.attempt)

    def late(result: Any, failure: BaseException | None) -> None:
        if failure is None:
            work.late = read_result(call, result)
            if took_action(result):
                did()

    try:
        result = await call.ready.run(call.arguments, _info(call, did), call.context, late)
    except BaseException as error:
        effect = error.effect if isinstance(error, (ToolError, Abort, ToolServerDown)) else None
        if effect == "done":
            did()
        elif effect != "none" and not work.acted:
            call.log("unknown", attempt=call.attempt)
        work.failed_after_acting = work.acted
        work.interrupted = _is_interruption(error)
        raise
    if took_action(result):
        did()
    return result


def _info(call: ActiveCall, did: Callable[[], None] = lambda: None) -> CallInfo:
    context = call.context
    return CallInfo(
        call.call.id,
        call.key,
        call.attempt,
        context.run,
        task=context.task,
        trial=context.trial,
        clock=context.clock,
        acted=did,
    )


def _is_interruption(error: BaseException | None) -> bool:
    """Whether waiting was cancelled somewhere; what was awaited, perhaps a thread, may continue."""
    while error is not None:
        if isinstance(error, (TimeoutError, asyncio.CancelledError)):
            return True
        error = error.__cause__ or error.__context__
    return False


async def probe(call: ActiveCall) -> Any:
    """What the tool's probe finds: the result the call had, or None when it did not happen."""
    assert call.ready.probe is not None
    outcome = await call_function(partial(call.ready.probe, call.key, call.arguments))
    if outcome is None:
        return None
    entry = call.entry
    plain, error = usable(entry.tool, outcome, most_bytes=entry.behaviour.max_result_bytes, effect="done")
    return plain if error is None else error.as_output()


def took_action(result: Any) -> bool:
    """Check-then-act tools say `action_taken: false` when there was nothing to do."""
    return not (isinstance(result, dict) and result.get("action_taken") is False)


_at_work: set[asyncio.Task[Any]] = set()
"""An event loop refers to its tasks weakly only."""


async def deadline(call: ActiveCall, next: Next) -> Finished:
    """Wait for the next stages, no longer than the tool's `timeout_s`."""
    seconds = call.entry.behaviour.timeout_s
    if not call.entry.writes:
        try:
            async with asyncio.timeout(seconds):
                return await next(call)
        except TimeoutError:
            return deadline_passed(call, seconds)
    running = call.copy()
    work = running.work = ToolWork()
    task = _start_work(next(running), call.owner, work)
    del running  # only the task refers to it: when it ends, so does the claim on the key
    try:
        await asyncio.wait((task,), timeout=seconds)
        if not task.done() and not work.begun:  # it waits for the lock of its resource
            task.cancel()
            await asyncio.wait((task,))
            return not_begun(call, seconds)
        if work.returned and not task.done():  # its result is being recorded
            await asyncio.wait((task,))
        work.left = not task.done()
        return still_running(call, seconds) if work.left else task.result()
    except asyncio.CancelledError:
        work.left = True
        task.cancel()
        raise
    finally:
        call.owner = None
        del task


def _start_work(rest: Awaitable[Finished], owner: Owner | None, work: ToolWork) -> asyncio.Task[Finished]:
    context = contextvars.copy_context()
    context.run(holding.set, owner)
    task = asyncio.get_running_loop().create_task(_to_the_end(rest), context=context)
    _at_work.add(task)
    end_with_call(task)
    task.add_done_callback(partial(_note_end, work))
    return task


async def _to_the_end(rest: Awaitable[Finished]) -> Finished:
    try:
        return await rest
    except asyncio.CancelledError:
        # Nothing may keep the exception: its traceback refers to the call, and so to the claim on the key.
        reply = ErrorReply("internal_error", "the call was cancelled", "nothing more can be done here")
        return Finished.with_error("failed", reply)
    finally:
        holding.set(None)  # a task that someone still refers to holds nothing


def _note_end(work: ToolWork, task: asyncio.Task[Any]) -> None:
    _at_work.discard(task)
    if not task.cancelled():
        task.exception()  # otherwise the loop warns that it was never retrieved
    if work.interrupted or task.cancelling():
        # asyncio would keep cancelled timers, with the context that holds the key, until they fire
        for handle in getattr(task.get_loop(), "_scheduled", ()):
            if handle.cancelled():
                handle._context = None


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
    pending = case.begin_call(ask)
    ledger = call.context.ledger
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
        call.log(phase, attempt=attempt, detail=detail)
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
