"""Converts what a tool returned or raised to an outcome and an answer for the model."""

from __future__ import annotations

import errno
import socket
import ssl
from typing import Any

import msgspec

from rightcall.core.errors import ToolServerDown
from rightcall.tools.runtime.call_outcome import Finished, Outcome, usable
from rightcall.tools.runtime.errors import (
    Abort,
    Effect,
    ErrorReply,
    NoAnswer,
    ToolError,
    outcome_unknown,
    read_timeout,
)
from rightcall.tools.runtime.invocation import ActiveCall, Next
from rightcall.tools.runtime.policy import Strictness, strictness

OF_CONNECTIONS = frozenset(
    getattr(errno, name)
    for name in (
        "ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "EPIPE", "ENOTCONN", "ESHUTDOWN", "ETIMEDOUT",
        "ENETDOWN", "ENETUNREACH", "ENETRESET", "EHOSTDOWN", "EHOSTUNREACH", "EADDRNOTAVAIL",
    )
    if hasattr(errno, name)
)  # fmt: skip


class Outcomes(msgspec.Struct, frozen=True):
    """Interprets the result of running the tool.

    What the model can deal with goes back to it: an explained failure, a timeout, something that does not exist.
    With `strict` the rest stops the agent: a missing permission, a lost connection, an unexpected exception. Without
    it, an unexpected exception of a destructive tool does.
    """

    strict: bool | None

    async def __call__(self, call: ActiveCall, next: Next) -> Finished:
        strict = strictness(self.strict, call.entry)
        try:
            finished = read_result(call, await next(call))
        except ToolServerDown:
            raise  # no call can be answered any more: the run ends
        except ToolError as error:
            finished = failure_of(call, error)
        except Abort as abort:
            raise Abort(abort.reason, effect=abort.effect or possible_effect(call)) from abort
        except TimeoutError:
            finished = deadline_passed(call, call.entry.behaviour.timeout_s)
        except OSError as error:
            finished = system_error(call, error, strict=strict)
        except Exception as error:
            finished = unexpected_failure(call, error, strict=_stops(strict, call))
        if call.work is not None:
            call.work.returned = True
        return finished


def read_result(call: ActiveCall, result: Any) -> Finished:
    """What a tool returned: a result, or the reason why it cannot be shown."""
    entry = call.entry
    effect: Effect = "done" if entry.writes else "none"
    plain, error = usable(entry.tool, result, most_bytes=entry.behaviour.max_result_bytes, effect=effect)
    if error is not None:
        return Finished.with_error("ok" if entry.writes else "failed", error, free=not entry.writes)
    return Finished("ok", plain)


def known_failure(reply: ErrorReply) -> Finished:
    """A failure with a known effect; where there was none, the key may be used again."""
    outcomes: dict[Effect, Outcome] = {"none": "failed", "done": "ok", "unknown": "unknown"}
    return Finished.with_error(outcomes[reply.effect], reply, free=reply.effect == "none")


def failure_of(call: ActiveCall, error: ToolError) -> Finished:
    """A failure the tool itself explained.

    A write that does not say whether it had an effect keeps its key. If it also asks to be repeated,
    the effect is unknown: repeating would be a guess.
    """
    if error.effect is not None or not call.entry.writes:
        return known_failure(error.reply)
    if _has_acted(call) or error.reply.retry in ("same_key", "after"):
        return unfinished_write(call, error.reply.detail, error.reply.error)
    return Finished.with_error("failed", error.reply)


def unfinished_write(call: ActiveCall, what: str, error: str = "outcome_unknown") -> Finished:
    """A write that ended without an answer: whether it acted is either reported or unknown."""
    name = call.tool_name
    if _has_acted(call):
        hint = f"{name} has done its work: do not repeat it"
        return Finished.with_error("ok", ErrorReply(error, f"{what}; its effect has happened", hint, "done"))
    reply = outcome_unknown(name, what, how_to_check(call))
    return Finished.with_error("unknown", msgspec.structs.replace(reply, error=error))


def deadline_passed(call: ActiveCall, seconds: float) -> Finished:
    """No answer before the deadline."""
    if call.entry.writes:
        return unfinished_write(call, f"{call.tool_name} did not answer within {seconds:g} s")
    return Finished.with_error("failed", read_timeout(call.tool_name, seconds), free=True, unreached=True)


def still_running(call: ActiveCall, seconds: float) -> Finished:
    """The deadline has passed and the work continues."""
    what = f"{call.tool_name} did not answer within {seconds:g} s and is still running"
    reply = outcome_unknown(call.tool_name, what, how_to_check(call))
    return Finished.with_error("unknown", reply, running=True)


def not_begun(call: ActiveCall, seconds: float) -> Finished:
    """Another call held the resource until the deadline."""
    reply = ErrorReply(
        "timeout",
        f"another call held what {call.tool_name} changes for {seconds:g} s; nothing was done",
        f"wait a little, then call {call.tool_name} with the same arguments",
        retry="same_key",
    )
    return Finished.with_error("failed", reply, free=True)


def system_error(call: ActiveCall, error: OSError, *, strict: Strictness) -> Finished:
    """An operating-system error that the tool did not explain. Its text may contain anything and is not shown."""
    name = call.tool_name
    if isinstance(error, FileNotFoundError):
        return failure_of(call, ToolError("not_found", f"{name} did not find what it was asked for"))
    planned = bool(call.faults)  # an injected fault is for the model to handle
    if strict == "all" and not planned:
        return unexpected_failure(call, error, strict=True)
    if isinstance(error, PermissionError):
        return failure_of(call, ToolError("permission_denied", f"{name} is not permitted to do this"))
    if is_connection_error(error):
        return connection_lost(call, error)
    return unexpected_failure(call, error, strict=_stops(strict, call) and not planned)


def is_connection_error(error: OSError) -> bool:
    """Whether an error concerns a connection rather than files, permissions or processes."""
    if isinstance(error, ConnectionError | socket.gaierror | socket.herror | ssl.SSLError):
        return True
    if error.errno is not None:
        return error.errno in OF_CONNECTIONS
    # Clients of services derive their own errors from OSError, without a number.
    return type(error).__module__ != "builtins"


def connection_lost(call: ActiveCall, error: OSError) -> Finished:
    """The connection broke. Whether the request arrived cannot be known, which matters only for writes."""
    name = call.tool_name
    news = f": {error}" if isinstance(error, NoAnswer) else ""
    if call.entry.writes:
        return unfinished_write(call, f"the connection to {name} broke before it answered{news}")
    reply = ToolError(
        "upstream_error", f"{name} is out of reach{news}; it only reads", retry="same_key"
    ).reply
    return Finished.with_error("failed", reply, free=True, unreached=True)


def unexpected_failure(call: ActiveCall, error: Exception, *, strict: bool) -> Finished:
    """An unexpected exception. Its text is not shown to the model: it may contain anything."""
    name = call.tool_name
    if strict:
        lost = isinstance(error, OSError) and is_connection_error(error)
        reason = f"{name} broke: {type(error).__name__}: {error}"
        raise Abort(reason, effect=possible_effect(call), unreached=lost) from error
    if call.entry.writes:
        return unfinished_write(call, f"{name} broke in the middle", "internal_error")
    return Finished.with_error("failed", ToolError("internal_error", f"{name} broke").reply, free=True)


def _stops(strict: Strictness, call: ActiveCall) -> bool:
    """Whether an unexpected exception stops the agent. A destructive tool that said what it did leaves nothing open."""
    return strict == "all" or (strict == "unexpected" and not _has_acted(call))


def possible_effect(call: ActiveCall) -> Effect:
    """What is known about the effect of a call that ended without an answer."""
    if _has_acted(call):
        return "done"
    return "unknown" if call.entry.writes else "none"


def _has_acted(call: ActiveCall) -> bool:
    return call.work is not None and call.work.failed_after_acting


def how_to_check(call: ActiveCall) -> str:
    """How the model can find out what happened, in its hint."""
    check = call.entry.behaviour.check_with
    return f"call {check} first to see whether it happened" if check else ""
