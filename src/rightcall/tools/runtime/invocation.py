"""A call as it passes through the stages of the runtime, its outcome, and what the model reads."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

import msgspec

from rightcall.model.approval import Approval
from rightcall.model.call import CallStatus, ToolCall
from rightcall.model.trajectory import LedgerPhase
from rightcall.tools.idempotency.owners import Owner
from rightcall.tools.runtime.bound_tool import BoundTool, RunnableTool
from rightcall.tools.runtime.call_outcome import Finished, ToolWork
from rightcall.tools.runtime.context import CallContext

if TYPE_CHECKING:
    from rightcall.tools.guard.monitor import GuardVerdict


def finished_call(
    call: ToolCall, finished: Finished, latency_ms: float, approval: Approval | None = None
) -> ToolCall:
    """The call as the trajectory keeps it. One that waits, or that a human rejected, was not run."""
    status: CallStatus = "ok" if finished.error is None else "error"
    if approval is not None and (finished.outcome == "waiting" or approval.decision == "rejected"):
        status = "not_run"
    return msgspec.structs.replace(
        call, status=status, output=finished.output, latency_ms=latency_ms, approval=approval
    )


@dataclass(slots=True, repr=False)
class ActiveCall:
    """A call with everything the stages have found out about it.

    Fields without a default are set by the stage that prepares the call and must not be read earlier.
    """

    call: ToolCall
    context: CallContext
    entry: BoundTool = field(init=False)
    ready: RunnableTool = field(init=False)
    arguments: dict[str, Any] = field(init=False)
    fingerprint: str = field(init=False)
    prepared: bool = False
    key: str = ""
    attempt: int = 1
    owner: Owner | None = None
    """The claim on the key: a new one for every attempt."""
    work: ToolWork | None = None
    """How far a write has come, once it may be run."""
    faults: list[str] = field(default_factory=list)
    item: tuple[int, int] | None = None
    """Its number and the count of all, when this is one item of a batch."""
    injection: Any = None
    """The faults that apply to it, if already decided."""
    approval: Approval | None = None
    """What was decided about it, if it needed approval."""
    verdict: GuardVerdict | None = None
    """What the guard says of it, if it stops it."""

    @property
    def tool_name(self) -> str:
        """The tool's own name, which a fault may have hidden from the model."""
        return self.entry.tool.name

    def copy(self) -> ActiveCall:
        """A copy that can be changed without changing this call."""
        return copy.copy(self)

    def log(self, phase: LedgerPhase, **fields: Any) -> None:
        """Add a line about this call to the ledger."""
        self.context.ledger.add(phase, self.tool_name, **fields, **self.note())

    def note(self) -> dict[str, Any]:
        """The fields of every ledger line about this call."""
        return {
            "fingerprint": self.fingerprint,
            "key": self.key,
            "call_id": self.call.id,
            "time": self.context.clock.now(),
        }


Next = Callable[[ActiveCall], Awaitable[Finished]]
"""The stages that follow. After the one that reads the result, they give what the tool returned."""
Stage = Callable[[ActiveCall, Next], Awaitable[Any]]


def chain_stages(stages: Sequence[Stage], last: Next) -> Callable[[ActiveCall], Awaitable[Any]]:
    """The stages as one function: each is given the rest as its `next`."""

    def add_before(following: Next, stage: Stage) -> Next:
        return lambda call: stage(call, following)

    return reduce(add_before, reversed(stages), last)
