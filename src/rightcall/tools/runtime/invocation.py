"""A call as it passes through the stages of the runtime, and the calls of one turn: concurrent where that is safe."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, ClassVar, Literal, Protocol, TypeVar

import msgspec

from rightcall.records.approval import Approval
from rightcall.records.call import CallStatus, ToolCall
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden
from rightcall.records.message import Message
from rightcall.records.tool import Tool
from rightcall.records.trajectory import LedgerPhase, Trajectory
from rightcall.tools.idempotency.owners import Owner
from rightcall.tools.runtime.bound_tool import BoundTool, RunnableTool
from rightcall.tools.runtime.call_outcome import Finished, Invocation, Outcome, ToolWork
from rightcall.tools.runtime.context import CallContext, CallVerdict, LayerState
from rightcall.tools.runtime.errors import Aborted, ErrorReply, stop_reply


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
    batch: ActiveCall | None = None
    """The call of which this is one item; its items share it, and nothing else does."""
    injection: Any = msgspec.UNSET
    """What a layer decided to do to all items of this batch."""
    approval: Approval | None = None
    """What was decided about it, if it needed approval."""
    verdict: CallVerdict | None = None
    """What a layer says of it, if it stops it."""

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


G = TypeVar("G", bound=Golden | ConversationalGolden)

Place = Literal["read", "deliver", "strike"]
"""Of a stage that a layer adds: around all that runs the tool, around its delivery, or around the tool itself."""


class Keys(Protocol):
    """The keys under which calls are run once."""

    def forget(self, call: ActiveCall) -> bool: ...


class Layer:
    """Something that stands around calls, such as faults or a guard: made once for a toolbox. This one does nothing."""

    virtual_time: ClassVar[bool] = False
    """Whether the waiting that it adds takes no time."""

    def begin(self, context: CallContext, golden: AnyGolden | None) -> LayerState | None:
        """What it keeps in a trial; None when it does nothing there."""
        return LayerState()

    def stages(self, keys: Keys) -> Mapping[Place, Stage]:
        """What it does in a call of a trial in which it does something."""
        return {}

    def unreachable(self, tools: Sequence[Tool]) -> list[str]:
        """What it cannot do where the tools were run by the agent's own code, and only their results pass."""
        return []

    def earlier(self, golden: AnyGolden) -> tuple[Message, ...]:
        """Messages before the request of a golden of one turn."""
        return ()

    def golden(self, golden: G) -> G:
        """The golden as the agent is given it."""
        return golden

    def note_golden(self, golden: AnyGolden, trajectory: Trajectory) -> Trajectory:
        """The trajectory of an agent that was given the golden itself, with what it was given in the ledger."""
        return trajectory


Touches = tuple[bool, str | None]
"""Whether a call writes, and the resource it touches (None: it does not say)."""


async def run_turn(
    calls: Sequence[ToolCall],
    touches: Sequence[Touches],
    invoke: Callable[[ToolCall], Awaitable[Invocation]],
) -> list[Invocation]:
    """Run the calls of one turn and return their invocations in call order.

    Two calls run concurrently when both only read, or when they are known to touch different resources;
    otherwise the later waits for the earlier. Raises `Aborted`, with an invocation for every call, when
    one of them stops the agent: running calls finish, waiting ones are not started.
    """
    if len(calls) == 1:
        invocations = [await invoke(calls[0])]
    else:
        invocations = await _together(calls, touches, invoke)
    if any(invocation.outcome == "aborted" for invocation in invocations):
        reason = next((i.reason for i in invocations if i.reason), "a tool stopped it")
        raise Aborted(reason, invocations)
    return invocations


def conflict(first: Touches, other: Touches) -> bool:
    """Whether two calls must keep their order."""
    (writes, resource) = first
    (also_writes, also_resource) = other
    if not writes and not also_writes:
        return False
    return resource is None or also_resource is None or resource == also_resource


async def _together(
    calls: Sequence[ToolCall],
    touches: Sequence[Touches],
    invoke: Callable[[ToolCall], Awaitable[Invocation]],
) -> list[Invocation]:
    twins = _twins(calls)
    tasks: list[asyncio.Task[Invocation]] = []
    halted = asyncio.Event()

    async def one(position: int) -> Invocation:
        call = calls[position]
        first = twins[position]
        before = [tasks[i] for i in range(position) if conflict(touches[i], touches[position]) or i == first]
        if before:
            await asyncio.wait(before)
        if halted.is_set():
            return _not_run(call, stop_reply(), "aborted")
        if first is not None:
            return _repeat_invocation(call, calls[first], tasks[first].result())
        invocation = await invoke(call)
        if invocation.outcome == "aborted":
            halted.set()
        return invocation

    try:
        async with asyncio.TaskGroup() as group:
            tasks.extend(group.create_task(one(position)) for position in range(len(calls)))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return [task.result() for task in tasks]


def _twins(calls: Sequence[ToolCall]) -> list[int | None]:
    """For each call the position of an earlier one with the same id: the same call, delivered twice."""
    seen: dict[str, int] = {}
    twins: list[int | None] = []
    for position, call in enumerate(calls):
        twins.append(seen.get(call.id) if call.id else None)
        seen.setdefault(call.id, position)
    return twins


def _repeat_invocation(call: ToolCall, first: ToolCall, invocation: Invocation) -> Invocation:
    """A call delivered twice is run once; another call under the same id is refused."""
    if (call.name, call.arguments) == (first.name, first.arguments):
        return msgspec.structs.replace(invocation, replayed=True)
    reply = ErrorReply(
        "conflict",
        f"the call id '{call.id[:100]}' is used twice in one turn for different calls; this one was not run",
        f"call {call.name} again with a unique id",
        retry="fix_args",
    )
    return _not_run(call, reply, "rejected")


def _not_run(call: ToolCall, reply: ErrorReply, outcome: Outcome) -> Invocation:
    finished = Finished.with_error(outcome, reply)
    return Invocation(finished_call(call, finished, 0.0), finished.outcome, reply)
