"""Running a prepared tool once, or asking its probe."""

from __future__ import annotations

from functools import partial
from typing import Any

from rightcall.model.ledger import LedgerPhase
from rightcall.tools.behaviour import CallInfo
from rightcall.tools.entry import call as call_function
from rightcall.tools.errors import ToolError
from rightcall.tools.results import usable
from rightcall.tools.runtime.active_call import ActiveCall


async def perform(call: ActiveCall) -> Any:
    """Run the tool and write its effect into the ledger, whatever becomes of its answer."""
    context, writes = call.context, call.entry.writes
    info = CallInfo(
        call.call.id, call.key, call.attempt, context.run, context.task, context.trial, context.clock
    )

    def note(phase: LedgerPhase) -> None:
        context.ledger.add(phase, call.tool_name, attempt=call.attempt, **call.note())

    def late(result: Any, failure: BaseException | None) -> None:
        if writes and failure is None and _acted(result):
            note("late_effect")

    try:
        result = await call.ready.run(call.arguments, info, context, late)
    except ToolError as error:
        if error.reply.effect == "done":
            note("effect")
        raise
    if writes and _acted(result):
        note("effect")
    return result


async def probe(call: ActiveCall) -> Any:
    """What the tool's probe finds: the result the call had, or None when it did not happen."""
    assert call.ready.probe is not None
    found = await call_function(partial(call.ready.probe, call.key, call.arguments))
    if found is None:
        return None
    entry = call.entry
    plain, error = usable(entry.tool, found, most_bytes=entry.behaviour.max_result_bytes, effect="done")
    return plain if error is None else error.as_output()


def _acted(result: Any) -> bool:
    """Check-then-act tools say `action_taken: false` when there was nothing to do."""
    return not (isinstance(result, dict) and result.get("action_taken") is False)
