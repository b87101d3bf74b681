"""One call from start to end, with exactly one outcome: the stages, in the order they happen.

Each is `(call, next)`, in the file it is imported from. Nothing can happen before the arguments are valid, and nothing
is run before its key is committed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any
from weakref import WeakValueDictionary

import msgspec

from rightcall.core.errors import ToolServerDown
from rightcall.tools.definitions.function import call_function
from rightcall.tools.idempotency.guard import Idempotency
from rightcall.tools.runtime.call_outcome import Finished, Invocation, Outcome
from rightcall.tools.runtime.call_record import Outcomes, known_failure
from rightcall.tools.runtime.errors import Abort, Effect, ErrorReply, ToolError, stop_reply
from rightcall.tools.runtime.execute import deadline, perform, recorded_call
from rightcall.tools.runtime.invocation import ActiveCall, Next, Place, Stage, chain_stages, finished_call
from rightcall.tools.runtime.json_values import fingerprint
from rightcall.tools.runtime.policy import ToolRules
from rightcall.tools.runtime.prepare import Preparer, Refused, WaitingCall

Stages = Callable[[ActiveCall], Awaitable[Invocation]]
"""What a call passes through; its outcome."""


class Answers(msgspec.Struct, frozen=True):
    """Gives the call its outcome and records it. `strict` stops the agent when the user's code breaks."""

    strict: bool | None

    async def __call__(self, call: ActiveCall, next: Next) -> Invocation:
        """Run one call. Its outcome is data, `aborted` included; only cancellation is raised."""
        started = call.context.elapsed()
        try:
            finished: Finished = await next(call)
        except WaitingCall:
            finished = Finished("waiting")
        except Refused as refused:
            finished = Finished.with_error("rejected", refused.reply)
        except ToolError as error:  # a preview of the user's refused
            finished = Finished.with_error("rejected", error.reply)
        except Abort as abort:
            finished = Finished.aborted(abort.reason, abort.effect or "none", unreached=abort.unreached)
        except asyncio.CancelledError:
            effect: Effect = "unknown" if call.prepared and call.entry.writes else "none"
            outcome: Outcome = "unknown" if effect == "unknown" else "failed"
            _record(call, Finished.with_error(outcome, stop_reply(effect)), started)
            raise
        except ToolServerDown as down:
            _record(call, Finished.aborted(str(down), down.effect), started)
            raise
        except Exception as error:  # user code around the tool broke; the tool itself is guarded below
            finished = failure_before_call(call.call.name, error, strict=bool(self.strict))
        return _record(call, finished, started)


def failure_before_call(name: str, error: Exception, *, strict: bool) -> Finished:
    """An exception before the tool was run: nothing has happened."""
    if strict:
        return Finished.aborted(f"{name} could not be prepared: {type(error).__name__}: {error}", "none")
    reply = ToolError("internal_error", f"{name} could not be run").reply
    return Finished.with_error("failed", reply, free=True)


def _mark(call: ActiveCall, finished: Finished) -> None:
    """Note in the ledger that a tool that runs for real gave no answer; an injected fault is not one."""
    if not call.prepared or not call.ready.live or call.faults:
        return
    error = finished.error
    is_unanswered = finished.outcome == "unknown" or (error is not None and error.effect == "unknown")
    if is_unanswered or finished.unreached:
        detail = finished.reason or (error.detail if error is not None else "")
        call.log("unanswered" if is_unanswered else "unreached", attempt=call.attempt, detail=detail)


def _record(call: ActiveCall, finished: Finished, started: float) -> Invocation:
    _mark(call, finished)
    invocation = Invocation(
        finished_call(call.call, finished, (call.context.elapsed() - started) * 1000, call.approval),
        finished.outcome,
        finished.error,
        finished.replayed,
        attempts=finished.attempts,
        key=call.key,
        faults=tuple(call.faults),
        reason=finished.reason,
    )
    call.context.invocations.append(invocation)
    return invocation


class Batches(msgspec.Struct, frozen=True):
    """Runs the items of a batch one after the other, each under its own key; other calls pass.

    The result is `{"items": [result, …]}`. When some fail, the reply says which; finished items stay
    finished.
    """

    async def __call__(self, call: ActiveCall, next: Next) -> Finished:
        if not call.key or not call.entry.behaviour.batch:
            return await next(call)
        items = _items(call)
        ended: list[Finished] = [await next(item) for item in items]
        for item in items:
            call.faults += [fault for fault in item.faults if fault not in call.faults]
        missing = [index for index, finished in enumerate(ended) if finished.error is not None]
        if not missing:
            replayed = bool(ended) and all(finished.replayed for finished in ended)
            return Finished("ok", {"items": [finished.output for finished in ended]}, replayed=replayed)
        return known_failure(_partly_done(call, ended, missing))


def _items(call: ActiveCall) -> list[ActiveCall]:
    parameter = call.entry.behaviour.batch
    values = call.arguments.get(parameter)
    values = values if isinstance(values, list) else []
    items = []
    batch = call.copy()
    for index, value in enumerate(values):
        item = call.copy()
        item.arguments = {**call.arguments, parameter: [value]}
        item.fingerprint = fingerprint(
            call.tool_name, {"batch": call.fingerprint, "number": index, "item": value}
        )
        item.key = f"{call.key}#{index}"
        item.item = (index, len(values))
        item.batch = batch
        item.faults = []
        items.append(item)
    return items


def _partly_done(call: ActiveCall, ended: list[Finished], missing: list[int]) -> ErrorReply:
    parameter = call.entry.behaviour.batch
    name = call.call.name
    unknown = [index for index in missing if ended[index].outcome == "unknown"]
    first = ended[(unknown or missing)[0]].error
    assert first is not None
    effect: Effect = "unknown" if unknown else "done" if len(missing) < len(ended) else "none"
    listed = ", ".join(str(index) for index in missing[:20])
    hint = (
        f"{first.hint} (item {unknown[0]})"
        if unknown
        else f"call {name} with the same arguments and the same key: only the missing items will be run"
    )
    return ErrorReply(
        first.error,
        f"{len(ended) - len(missing)} of {len(ended)} items of '{parameter}' are done; missing: {listed}; "
        f"{first.detail}",
        hint,
        effect,
        retry="no" if unknown else "same_key",
    )


class Versions(msgspec.Struct):
    """Runs a tool that checks before it acts under the lock of its resource; others pass."""

    strict: bool | None
    locks: WeakValueDictionary[str, asyncio.Lock] = msgspec.field(default_factory=WeakValueDictionary)

    async def __call__(self, call: ActiveCall, next: Next) -> Finished:
        if call.ready.current_version is None:
            return await next(call)
        resource = call.entry.behaviour.resource(call.arguments) or call.tool_name
        locks: Any = self.locks if call.ready.live else call.context.locks
        async with locks.setdefault(resource, asyncio.Lock()):
            try:
                moved_on = await _stale(call)
            except ToolError as error:
                moved_on = error.reply
            except Exception as error:
                return failure_before_call(call.call.name, error, strict=bool(self.strict))
            if moved_on is not None:
                return Finished.with_error("failed", moved_on, free=True)
            return await next(call)


async def _stale(call: ActiveCall) -> ErrorReply | None:
    """The reply when the state has changed since the caller read it."""
    behaviour = call.entry.behaviour
    assert call.ready.current_version is not None
    expected = call.arguments.get(behaviour.version_parameter)
    current = await call_function(partial(call.ready.current_version, call.arguments))
    if expected == current:
        return None
    return ErrorReply(
        "precondition_failed",
        f"{behaviour.version_parameter} is {expected!r}, and the current version is {current!r}",
        f"read the current state, decide again, then call {call.call.name} with "
        f"{behaviour.version_parameter} = {current!r}",
        retry="fix_args",
        path=behaviour.version_parameter,
    )


def pipeline(
    preparer: Preparer,
    idempotency: Idempotency,
    rules: ToolRules,
    layers: Sequence[Mapping[Place, Stage]] = (),
) -> Stages:
    """The stages of a call, in order; each layer adds its own at up to three places."""

    def of_layers(place: Place) -> list[Stage]:
        return [stages[place] for stages in layers if place in stages]

    stages: list[Stage] = [
        Answers(rules.strict),  # every call has exactly one outcome
        preparer,  # parse, resolve, validate, normalise, permissions, confirmation
        *of_layers(
            "read"
        ),  # what is handed to the agent: an error in place of the tool, a text in its result
        *of_layers("deliver"),  # lose the key, deliver twice
        Batches(),  # each item separately from here on
        recorded_call,  # of a real tool: from here on a replay runs nothing
        idempotency.once,  # claim the key, or answer from its record
        deadline,  # the following stages run to completion, even if no longer awaited
        idempotency.record,  # record how the attempt ended, early or late
        Versions(rules.strict),  # check, then act, under the lock of the resource
        Outcomes(rules.strict),  # a result or an exception becomes an outcome
        *of_layers("strike"),  # refuse, delay, lose the answer, damage the result
    ]
    # At the end `perform` runs the tool and records its effect in the ledger, whatever happens to its answer.
    return chain_stages(stages, perform)
