"""Ensures that every call ends with exactly one outcome."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from rightcall.core.errors import ToolServerDown
from rightcall.model.trajectory import LedgerPhase
from rightcall.tools.runtime.call_outcome import Finished, Invocation
from rightcall.tools.runtime.errors import Abort, Effect, ToolError, stop_reply
from rightcall.tools.runtime.invocation import ActiveCall, Next, finished_call
from rightcall.tools.runtime.prepare import Refused, WaitingCall


@dataclass(frozen=True)
class Answers:
    """Gives the call its outcome and records it. `strict` stops the agent when the user's code breaks.

    `mark_replayed` tells the model when a result is one of an earlier call.
    """

    strict: bool | None
    mark_replayed: bool = True

    async def __call__(self, call: ActiveCall, next: Next) -> Invocation:
        """Run one call. Its outcome is data, `aborted` included; only cancellation is raised."""
        started = call.context.elapsed()
        try:
            finished: Finished = await next(call)
        except WaitingCall:
            finished = Finished("waiting")
        except Refused as refused:
            finished = Finished.with_error("rejected", refused.reply)
        except ToolError as error:  # a preview or a policy of the user's refused
            finished = Finished.with_error("rejected", error.reply)
        except Abort as abort:
            finished = Finished.aborted(abort.reason, abort.effect or "none", unreached=abort.unreached)
        except asyncio.CancelledError:
            _record(call, _cancellation_of(call), started)
            raise
        except ToolServerDown as down:
            _record(call, Finished.aborted(str(down), down.effect), started)
            raise
        except Exception as error:  # user code around the tool broke; the tool itself is guarded below
            finished = failure_before_call(call.call.name, error, strict=bool(self.strict))
        return _record(call, finished, started, marked=self.mark_replayed)


def failure_before_call(name: str, error: Exception, *, strict: bool) -> Finished:
    """An exception before the tool was run: nothing has happened."""
    if strict:
        return Finished.aborted(f"{name} could not be prepared: {type(error).__name__}: {error}", "none")
    reply = ToolError("internal_error", f"{name} could not be run").reply
    return Finished.with_error("failed", reply, free=True)


def _cancellation_of(call: ActiveCall) -> Finished:
    effect: Effect = "unknown" if call.prepared and call.entry.writes else "none"
    return Finished.with_error("unknown" if effect == "unknown" else "failed", stop_reply(effect))


def _mark(call: ActiveCall, finished: Finished) -> None:
    """Note in the ledger that a tool that runs for real gave no answer; an injected fault is not one."""
    if not call.prepared or not call.ready.live or call.faults:
        return
    phase: LedgerPhase
    if finished.outcome == "unknown" or (finished.error is not None and finished.error.effect == "unknown"):
        phase = "unanswered"
    elif finished.unreached:
        phase = "unreached"
    else:
        return
    detail = finished.reason or (finished.error.detail if finished.error is not None else "")
    call.context.ledger.add(phase, call.tool_name, attempt=call.attempt, detail=detail, **call.note())


def _record(call: ActiveCall, finished: Finished, started: float, *, marked: bool = True) -> Invocation:
    _mark(call, finished)
    invocation = Invocation(
        finished_call(call.call, finished, (call.context.elapsed() - started) * 1000, call.approval),
        finished.outcome,
        finished.error,
        finished.replayed,
        finished.attempts,
        call.key,
        tuple(call.faults),
        finished.reason,
        marked,
    )
    call.context.invocations.append(invocation)
    return invocation
