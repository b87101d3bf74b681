"""How a call ended: for the model, for the trajectory, and for a tool that is still at work."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rightcall.core.codec import encode
from rightcall.core.depth import is_too_deep
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.record import Record
from rightcall.records.tool import Tool
from rightcall.tools.definitions.validate import schema_problems
from rightcall.tools.runtime.errors import Effect, ErrorReply, stop_reply
from rightcall.tools.runtime.json_values import is_json, what_json_cannot_hold

NOTE = "this was already done under the same key and was not repeated"


class RawResult(msgspec.Struct, frozen=True):
    """A result as received: text that should be JSON."""

    text: str


def usable(tool: Tool, result: Any, *, most_bytes: int, effect: Effect) -> tuple[Any, ErrorReply | None]:
    """The result as plain JSON, or the error that says why it cannot be used.

    `effect` is what is known so far: an unreadable result does not undo it.
    """
    plain, fault = _plain(result)
    if not fault and tool.output_schema is not None:
        problems = schema_problems(tool.output_schema, plain, f"tool '{tool.name}', output schema")
        fault = f"it does not fit its schema: {problems[0].message}" if problems else ""
    if not fault and (size := len(encode(plain))) > most_bytes:
        fault = f"it has {size:,} bytes, more than the {most_bytes:,} allowed"
    if not fault:
        return plain, None
    name = tool.name
    if effect == "none":
        hint = (
            f"do not rely on this result; call {name} once more, or tell the user that it could not be read"
        )
    else:
        hint = f"{name} has done its work: do not repeat it; read the state with another tool if you need the result"
    problem = f"the result of {name} cannot be used: {fault}"
    return None, ErrorReply(
        "result_malformed", problem, hint, effect, retry="same_key" if effect == "none" else "no"
    )


def _plain(result: Any) -> tuple[Any, str]:
    if isinstance(result, RawResult):
        try:
            plain = msgspec.json.decode(result.text)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            return None, "it is not JSON"
        return (None, "it is nested too deeply") if is_too_deep(plain) else (plain, "")
    if is_json(result):
        return result, ""
    try:
        plain = msgspec.to_builtins(result, enc_hook=_of_pydantic, str_keys=True)
    except (TypeError, ValueError, RecursionError, OverflowError):
        return None, f"a {type(result).__name__} is not JSON"
    problems = what_json_cannot_hold(plain)
    return (plain, "") if not problems else (None, " ".join(part for part in problems[0] if part))


def _of_pydantic(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if dump is None:
        raise TypeError(f"{type(value).__name__} is not JSON")
    return dump(mode="json")


def as_replayed(output: Any) -> Any:
    """A stored output, marked as such, so that the model does not report the operation as done twice.

    An object gets `replayed: true`; a text gets a line; anything else is put into an object.
    """
    if isinstance(output, str):
        return f"{output}\n({NOTE})" if output else f"({NOTE})"
    if isinstance(output, dict):
        return {**output, "replayed": True}
    return {"result": output, "replayed": True}


Outcome = Literal["ok", "rejected", "failed", "unknown", "waiting", "aborted"]
"""ok: it ran to its end, and its effect, if it has one, is done · rejected: refused before anything ran ·
failed: it ran and certainly had no effect · unknown: the effect may have happened · waiting: somebody has to
approve it first, and nothing was run · aborted: the agent is stopped."""


class Invocation(Record, frozen=True):
    """One call with its outcome.

    `call` is the model's call with status, output and latency filled in. `error` is set when the output is
    an error reply; with the outcome `ok` that means the effect is done and only the result was unusable.
    `replayed` means that nothing was done and an earlier result was returned again, byte for byte. `reason`
    tells the operator, not the model, why the agent was stopped.
    """

    call: ToolCall
    outcome: Outcome
    error: ErrorReply | None = None
    replayed: bool = False
    attempts: int = 1
    key: str = ""
    faults: tuple[str, ...] = ()
    reason: str = ""

    @property
    def result(self) -> ToolResult:
        """The model's view of this call; a replayed one is marked."""
        output = as_replayed(self.call.output) if self.replayed else self.call.output
        return ToolResult(self.call.id, output, self.error is not None, self.call.name)


class Finished(Record, frozen=True):
    """How running a tool ended, before the result is assigned to a call.

    `running` means that it has not ended and is no longer awaited. `free` says that certainly nothing
    was done, so that its key may be used again. `unreached` says that the tool gave no answer, rather than a bad one.
    """

    outcome: Outcome
    output: Any = None
    error: ErrorReply | None = None
    replayed: bool = False
    attempts: int = 1
    reason: str = ""
    running: bool = False
    free: bool = False
    unreached: bool = False

    @classmethod
    def with_error(
        cls,
        outcome: Outcome,
        error: ErrorReply,
        *,
        running: bool = False,
        free: bool = False,
        unreached: bool = False,
    ) -> Finished:
        return cls(outcome, error.as_output(), error, running=running, free=free, unreached=unreached)

    @classmethod
    def aborted(cls, reason: str, effect: Effect, *, unreached: bool = False) -> Finished:
        """Ended by stopping the agent."""
        reply = stop_reply(effect)
        return cls("aborted", reply.as_output(), reply, reason=reason, unreached=unreached)


class ToolWork(msgspec.Struct):
    """The progress of a running tool, for callers that wait and for those that have stopped waiting."""

    begun: bool = False
    acted: bool = False
    failed_after_acting: bool = False
    """The tool said that its effect had happened before it broke."""
    returned: bool = False
    left: bool = False
    """It is no longer awaited."""
    interrupted: bool = False
    """It ended by its own timeout or cancellation, and may have left a thread behind."""
    late: Finished | None = None
    """What a thread returned whose caller was cancelled."""
