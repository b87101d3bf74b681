"""How a call ended: for the model, for the trajectory, and for a tool that is still at work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rightcall.model.call import ToolCall, ToolResult
from rightcall.model.record import Record
from rightcall.tools.runtime.errors import Effect, ErrorReply, stop_reply
from rightcall.tools.runtime.results import as_replayed

Outcome = Literal["ok", "rejected", "failed", "unknown", "waiting", "aborted"]
"""ok: it ran to its end, and its effect, if it has one, is done · rejected: refused before anything ran ·
failed: it ran and certainly had no effect · unknown: the effect may have happened · waiting: somebody has to
approve it first, and nothing was run · aborted: the agent is stopped."""


class Invocation(Record, frozen=True):
    """One call with its outcome.

    `call` is the model's call with status, output and latency filled in. `error` is set when the output is
    an error reply; with the outcome `ok` that means the effect is done and only the result was unusable.
    `replayed` means that nothing was done and an earlier result was returned again, byte for byte. `reason`
    tells the operator, not the model, why the agent was stopped. `marked` says whether a replay is shown to the model.
    """

    call: ToolCall
    outcome: Outcome
    error: ErrorReply | None = None
    replayed: bool = False
    attempts: int = 1
    key: str = ""
    faults: tuple[str, ...] = ()
    reason: str = ""
    marked: bool = True

    @property
    def result(self) -> ToolResult:
        """The model's view of this call; a replayed one is marked, unless the rules say otherwise."""
        output = as_replayed(self.call.output) if self.replayed and self.marked else self.call.output
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
        """Ended with an error reply."""
        return cls(outcome, error.as_output(), error, running=running, free=free, unreached=unreached)

    @classmethod
    def aborted(cls, reason: str, effect: Effect, *, unreached: bool = False) -> Finished:
        """Ended by stopping the agent."""
        reply = stop_reply(effect)
        return cls("aborted", reply.as_output(), reply, reason=reason, unreached=unreached)


@dataclass(slots=True)
class ToolWork:
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
