"""Runs a prepared tool once, or its probe."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

from rightcall.core.errors import ToolServerDown
from rightcall.model.trajectory import LedgerPhase
from rightcall.tools.definitions.behaviour import CallInfo
from rightcall.tools.runtime.active_call import ActiveCall
from rightcall.tools.runtime.bound_tool import call as call_function
from rightcall.tools.runtime.errors import Abort, ToolError
from rightcall.tools.runtime.outcome import read_result
from rightcall.tools.runtime.results import usable


async def perform(call: ActiveCall) -> Any:
    """Run the tool and record its effect in the ledger, whatever happens to its answer."""
    if call.work is None:
        return await call.ready.run(call.arguments, _info(call, _nothing), call.context, _never)
    work = call.work
    work.begun = True

    def note(phase: LedgerPhase) -> None:
        call.context.ledger.add(phase, call.tool_name, attempt=call.attempt, **call.note())

    def did() -> None:
        if not work.acted:
            work.acted = True
            note("late_effect" if work.left else "effect")

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
            note("unknown")
        work.failed_after_acting, work.interrupted = work.acted, _is_interruption(error)
        raise
    if took_action(result):
        did()
    return result


def _info(call: ActiveCall, did: Callable[[], None]) -> CallInfo:
    context = call.context
    return CallInfo(
        call.call.id, call.key, call.attempt, context.run, context.task, context.trial, context.clock, did
    )


def _nothing() -> None:
    """The effect of a read."""


def _never(result: Any, failure: BaseException | None) -> None:
    """A late answer of a read is ignored."""


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
