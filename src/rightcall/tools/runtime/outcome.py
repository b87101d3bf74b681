"""What a tool returned or raised, as an outcome and an answer to the model."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import msgspec

from rightcall.tools.errors import Abort, Effect, ErrorReply, ToolError, outcome_unknown, timed_out
from rightcall.tools.invocation import Finished, Outcome
from rightcall.tools.results import usable
from rightcall.tools.runtime.active_call import ActiveCall, Next


@dataclass(frozen=True)
class Outcomes:
    """Runs the tool under its deadline and reads what came of it.

    `strict` stops the agent when a tool breaks unexpectedly.
    """

    strict: bool

    async def __call__(self, call: ActiveCall, next: Next) -> Finished:
        seconds = call.entry.behaviour.timeout_s
        try:
            async with asyncio.timeout(seconds):  # also a TimeoutError of the tool's own is out of time
                result = await next(call)
        except ToolError as error:
            return told(error.reply)
        except Abort:
            raise
        except TimeoutError:
            return out_of_time(call, seconds)
        except OSError:
            return out_of_reach(call)
        except Exception as error:
            return broken(call, error, strict=self.strict)
        return read_result(call, result)


def read_result(call: ActiveCall, result: Any) -> Finished:
    """What a tool returned: a result, or the reason why it cannot be shown."""
    entry = call.entry
    effect: Effect = "done" if entry.writes else "none"
    plain, error = usable(entry.tool, result, most_bytes=entry.behaviour.max_result_bytes, effect=effect)
    if error is not None:
        return Finished.with_error("ok" if entry.writes else "failed", error)
    return Finished("ok", plain)


def told(reply: ErrorReply) -> Finished:
    """A failure the tool itself explained."""
    outcomes: dict[Effect, Outcome] = {"none": "failed", "done": "ok", "unknown": "unknown"}
    return Finished.with_error(outcomes[reply.effect], reply)


def out_of_time(call: ActiveCall, seconds: float) -> Finished:
    """No answer before the deadline."""
    writes = call.entry.writes
    reply = timed_out(call.tool_name, seconds, writes=writes, check=check_words(call))
    return Finished.with_error("unknown" if writes else "failed", reply)


def out_of_reach(call: ActiveCall) -> Finished:
    """The connection broke. Whether the request arrived cannot be known, which matters only for writes."""
    name = call.tool_name
    if call.entry.writes:
        what = f"the connection to {name} broke before it answered"
        return Finished.with_error("unknown", outcome_unknown(name, what, check_words(call)))
    reply = ToolError("upstream_error", f"{name} is out of reach; it only reads", retry="same_key").reply
    return Finished.with_error("failed", reply)


def broken(call: ActiveCall, error: Exception, *, strict: bool) -> Finished:
    """An exception nobody foresaw. The model learns nothing of its text: it may hold anything."""
    name, effect = call.tool_name, doubt(call)
    if strict:
        raise Abort(f"{name} broke: {type(error).__name__}: {error}", effect=effect) from error
    if effect == "unknown":
        reply = outcome_unknown(name, f"{name} broke in the middle", check_words(call))
        return Finished.with_error("unknown", msgspec.structs.replace(reply, error="internal_error"))
    return Finished.with_error("failed", ToolError("internal_error", f"{name} broke").reply)


def doubt(call: ActiveCall) -> Effect:
    """What is known of the effect of a call that ended without an answer."""
    return "unknown" if call.entry.writes else "none"


def check_words(call: ActiveCall) -> str:
    """How the model can find out what happened, in its hint."""
    check = call.entry.behaviour.check_with
    return f"call {check} first to see whether it happened" if check else ""
