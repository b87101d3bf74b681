"""A call as it passes through the stages of the runtime."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from rightcall.model.approval import Approval
from rightcall.model.call import ToolCall
from rightcall.tools.idempotency.owners import Owner
from rightcall.tools.runtime.bound_tool import BoundTool, RunnableTool
from rightcall.tools.runtime.context import CallContext

if TYPE_CHECKING:
    from rightcall.tools.runtime.deadline import ToolWork


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

    @property
    def tool_name(self) -> str:
        """The tool's own name, which a fault may have hidden from the model."""
        return self.entry.tool.name

    def copy(self) -> ActiveCall:
        """A copy that can be changed without changing this call."""
        other = ActiveCall(
            self.call,
            self.context,
            self.prepared,
            self.key,
            self.attempt,
            self.owner,
            self.work,
            self.faults,
            self.item,
            self.injection,
            self.approval,
        )
        other.entry, other.ready = self.entry, self.ready
        other.arguments, other.fingerprint = self.arguments, self.fingerprint
        return other

    def note(self) -> dict[str, Any]:
        """The fields of every ledger line about this call."""
        return {
            "fingerprint": self.fingerprint,
            "key": self.key,
            "call_id": self.call.id,
            "time": self.context.clock.now(),
        }


Next = Callable[[ActiveCall], Awaitable[Any]]
Stage = Callable[[ActiveCall, Next], Awaitable[Any]]


def chain_stages(stages: Sequence[Stage], last: Next) -> Next:
    """The stages as one function: each is given the rest as its `next`."""
    following = last
    for stage in reversed(stages):
        following = partial(_pass, stage, following)
    return following


def _pass(stage: Stage, following: Next, call: ActiveCall) -> Awaitable[Any]:
    return stage(call, following)
