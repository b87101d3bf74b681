"""Running a prepared tool once, and reading what came of it."""

from __future__ import annotations

from functools import partial
from typing import Any

from rightcall.model.ledger import LedgerPhase
from rightcall.tools.behaviour import CallInfo
from rightcall.tools.context import CallContext
from rightcall.tools.entry import call
from rightcall.tools.errors import Effect, ErrorReply, ToolError, outcome_unknown, timed_out
from rightcall.tools.invocation import Finished, Outcome
from rightcall.tools.prepare import Prepared
from rightcall.tools.results import usable


async def perform(prepared: Prepared, context: CallContext, attempt: int) -> Any:
    """Run the tool and write its effect into the ledger, whatever becomes of its answer."""
    entry = prepared.entry
    info = CallInfo(
        prepared.call.id, prepared.key, attempt, context.run, context.task, context.trial, context.clock
    )

    def note(phase: LedgerPhase) -> None:
        context.ledger.add(
            phase,
            entry.tool.name,
            fingerprint=prepared.fingerprint,
            key=prepared.key,
            attempt=attempt,
            call_id=prepared.call.id,
            time=context.clock.now(),
        )

    def late(result: Any, failure: BaseException | None) -> None:
        if entry.writes and failure is None and _acted(result):
            note("late_effect")

    try:
        result = await prepared.ready.run(prepared.arguments, info, context, late)
    except ToolError as error:
        if error.reply.effect == "done":
            note("effect")
        raise
    if entry.writes and _acted(result):
        note("effect")
    return result


def _acted(result: Any) -> bool:
    """Check-then-act tools say `action_taken: false` when there was nothing to do."""
    return not (isinstance(result, dict) and result.get("action_taken") is False)


async def probe(prepared: Prepared) -> Any:
    assert prepared.ready.probe is not None
    found = await call(partial(prepared.ready.probe, prepared.key, prepared.arguments))
    if found is None:
        return None
    plain, error = usable(
        prepared.entry.tool, found, most_bytes=prepared.entry.behaviour.max_result_bytes, effect="done"
    )
    return plain if error is None else error.as_output()


async def stale(prepared: Prepared) -> ErrorReply | None:
    """The reply when the state has moved on since the caller looked at it."""
    behaviour, ready = prepared.entry.behaviour, prepared.ready
    assert ready.current_version is not None
    expected = prepared.arguments.get(behaviour.version_parameter)
    current = await call(partial(ready.current_version, prepared.arguments))
    if expected == current:
        return None
    return ErrorReply(
        "precondition_failed",
        f"{behaviour.version_parameter} is {expected!r}, and the current version is {current!r}",
        f"read the current state, decide again, then call {prepared.call.name} with "
        f"{behaviour.version_parameter} = {current!r}",
        retry="fix_args",
        path=behaviour.version_parameter,
    )


def read_result(prepared: Prepared, result: Any) -> Finished:
    entry = prepared.entry
    effect: Effect = "done" if entry.writes else "none"
    plain, error = usable(entry.tool, result, most_bytes=entry.behaviour.max_result_bytes, effect=effect)
    if error is not None:
        return Finished.with_error("ok" if entry.writes else "failed", error)
    return Finished("ok", plain)


def told(reply: ErrorReply) -> Finished:
    """A failure the tool itself explained."""
    outcomes: dict[Effect, Outcome] = {"none": "failed", "done": "ok", "unknown": "unknown"}
    return Finished.with_error(outcomes[reply.effect], reply)


def out_of_time(prepared: Prepared, seconds: float) -> Finished:
    writes = prepared.entry.writes
    reply = timed_out(prepared.entry.tool.name, seconds, writes=writes, check=check_words(prepared))
    return Finished.with_error("unknown" if writes else "failed", reply)


def out_of_reach(prepared: Prepared) -> Finished:
    """The connection broke. Whether the request arrived cannot be known, which matters only for writes."""
    name = prepared.entry.tool.name
    if prepared.entry.writes:
        what = f"the connection to {name} broke before it answered"
        return Finished.with_error("unknown", outcome_unknown(name, what, check_words(prepared)))
    reply = ToolError("upstream_error", f"{name} is out of reach; it only reads", retry="same_key").reply
    return Finished.with_error("failed", reply)


def doubt(prepared: Prepared) -> Effect:
    return "unknown" if prepared.entry.writes else "none"


def check_words(prepared: Prepared) -> str:
    check = prepared.entry.behaviour.check_with
    return f"call {check} first to see whether it happened" if check else ""
