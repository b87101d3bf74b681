"""Agents that are talked to in sessions: observed frameworks, services behind an address, commands.

The desk runs the tools of an observed agent in our toolbox instead of its framework: mocked, or with faults.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from itertools import groupby
from typing import Any, Protocol

import msgspec

from rightcall.agents.agent_function import with_cause
from rightcall.agents.limits import Deadline, Limits
from rightcall.agents.model_retries import Asker
from rightcall.agents.observed.adapter import ToolAnswer
from rightcall.agents.pool import LagMeter
from rightcall.core.errors import InfrastructureError, ProviderError, RightCallError
from rightcall.records.approval import ApprovalPolicy
from rightcall.records.call import ToolCall
from rightcall.records.dialects import trajectory_from_messages
from rightcall.records.golden import Golden
from rightcall.records.message import Message, result_messages
from rightcall.records.tool import Tool
from rightcall.records.trajectory import StopReason, Trajectory, answers_after, limit_trajectory_depth
from rightcall.tools.runtime.bound_tool import BoundTool, RunnableTool, always_ready
from rightcall.tools.runtime.context import CallContext
from rightcall.tools.runtime.errors import Aborted
from rightcall.tools.runtime.toolbox import Toolbox


class TalkSession(Protocol):
    """A conversation with an agent during one trial; what the agent remembers ends with it."""

    async def turn(self, text: str) -> None:
        """Say something and wait until the agent is done; raises what the agent raises."""
        ...

    def trajectory(self, stop_reason: StopReason = "done", error: str = "") -> Trajectory:
        """What has been done so far; may be called during a turn and after one that failed."""
        ...

    def stop_of_error(self, error: BaseException) -> tuple[StopReason, str]:
        """How the agent ended, given an exception raised by `turn`."""
        ...

    async def aclose(self) -> None:
        """End the conversation."""
        return


class AgentSession(TalkSession, Protocol):
    """A session of an agent that may have to wait for its turn."""

    async def open(self) -> None:
        """Wait until the conversation may begin; this does not count as the agent's time."""
        ...


class SessionAgent(Protocol):
    """An agent that opens a fresh session for every trial."""

    def session(self, golden: Golden, trial: int = 0) -> AgentSession: ...


def session_options(desk: Desk | None, approvals: ApprovalPolicy | None) -> dict[str, Any]:
    """What an observed agent's session takes besides the golden; other agents take nothing more."""
    options = {"desk": desk, "approvals": approvals}
    return {name: value for name, value in options.items() if value is not None}


async def wait_for_spans(session: AgentSession) -> None:
    """Wait for an agent's spans, which arrive separately from the reply. This does not count as its time."""
    settle = getattr(session, "settle", None)
    if settle is not None:
        await settle()


class SessionPerformer:
    """Runs one trial in one session. What was done before a failure is kept."""

    def __init__(
        self,
        agent: SessionAgent,
        limits: Limits,
        desks: DeskSetup | None = None,
        asker: Asker | None = None,
        lag: LagMeter | None = None,
        approvals: ApprovalPolicy | None = None,
    ) -> None:
        self._agent = agent
        self._limits = limits
        self._desks = desks
        self._asker = asker
        self._approvals = approvals
        self._lag = lag or LagMeter()

    async def perform(self, golden: Golden, trial: int) -> Trajectory:
        desk = self._desks.desk(golden, trial) if self._desks else None
        options = session_options(desk, self._approvals)
        session = self._agent.session(golden, trial, **options)
        try:
            await session.open()
            started = time.perf_counter()
            before = self._lag.so_far()
            stop, error, exception = await self._take_turn(session, golden.input)
            taken = round((time.perf_counter() - started) * 1000, 3)
            lag = min(taken, round((self._lag.so_far() - before) * 1000, 3))
            await wait_for_spans(session)
            trajectory = limit_trajectory_depth(session.trajectory(stop, error))
            trajectory = with_cause(trajectory, exception)
        finally:
            await session.aclose()
        trajectory = self._within_limits(msgspec.structs.replace(trajectory, latency_ms=taken, lag_ms=lag))
        return desk.with_evidence(trajectory) if desk is not None else trajectory

    async def _take_turn(self, session: AgentSession, text: str) -> tuple[StopReason, str, Exception | None]:
        """How the turn ended, and the exception that ended it. A broken setup is raised."""
        seconds = self._limits.seconds
        try:
            if self._asker is not None:  # over a network: failed requests are retried
                await self._asker.attempt(lambda: session.turn(text), Deadline(seconds))
            else:
                async with asyncio.timeout(seconds) as deadline:
                    await session.turn(text)
        except TimeoutError as error:
            if self._asker is not None or deadline.expired():
                return "limit", f"more than {seconds:g} seconds", None
            return *session.stop_of_error(error), error
        except ProviderError as error:
            return *session.stop_of_error(error), None
        except InfrastructureError as error:
            if self._asker is not None:  # every request was rejected the same way: the run ends
                raise
            return *session.stop_of_error(error), None
        except RightCallError:
            raise
        except Exception as error:
            return *session.stop_of_error(error), error
        return "done", "", None

    def _within_limits(self, trajectory: Trajectory) -> Trajectory:
        """The agent runs its own loop, so limits on calls and tokens are only detected afterwards."""
        over = self._limits.exceeded(calls=len(trajectory.calls), seconds=0.0, usage=trajectory.usage)
        if not over or trajectory.stop_reason != "done":
            return trajectory
        return msgspec.structs.replace(trajectory, stop_reason="limit", error=over)


_REAL: ContextVar[Callable[[], Awaitable[Any]]] = ContextVar("rightcall_real_tool")
"""The framework's own tool for the call that is being run."""


class DeskSetup(Protocol):
    """Makes the desk of every trial that has one."""

    def desk(self, golden: Golden, trial: int) -> Desk | None: ...


class Desk:
    """Answers the tool calls of one trial."""

    def __init__(self, toolbox: Toolbox, context: CallContext) -> None:
        self._toolbox = toolbox
        self.context = context

    def hear(self, text: str) -> None:
        """The user says something."""
        self.context.hear(text)

    def with_evidence(self, trajectory: Trajectory) -> Trajectory:
        """The trajectory with what was really done."""
        return self.context.with_evidence(trajectory)

    async def run(
        self, name: str, arguments: dict[str, Any], call_id: str, real: Callable[[], Awaitable[Any]]
    ) -> ToolAnswer:
        """The result of one call for the model, and whether it failed."""
        token = _REAL.set(real)
        try:
            invocation = await self._toolbox.invoke(ToolCall(name, arguments, call_id), self.context)
        except Aborted as stop:
            return ToolAnswer(stop.reason, failed=True)
        finally:
            _REAL.reset(token)
        return ToolAnswer(invocation.result.output, invocation.call.status == "error")


def framework_tool(tool: Tool, *, has_run: bool = False) -> BoundTool:
    """A tool whose real implementation is what the framework would have done with this call, or has done."""

    async def run(*_: Any) -> Any:
        return await _REAL.get()()

    return always_ready(tool, RunnableTool(run, live=not has_run, has_run=has_run))


def append_turn(so_far: Trajectory, turn: Trajectory, taken_ms: float | None = None) -> Trajectory:
    """The conversation with one more turn of the agent: its messages, and its calls at their steps."""
    if not turn.messages:
        spoken = trajectory_from_messages(_messages_of(turn))
        turn = msgspec.structs.replace(turn, messages=spoken.messages, calls=spoken.calls)
    first = max((call.step or 0 for call in so_far.calls), default=-1) + 1
    first = max(first, sum(message.role == "assistant" for message in so_far.messages))
    calls = tuple(
        msgspec.structs.replace(call, step=first + (at if call.step is None else call.step))
        for at, call in enumerate(turn.calls)
    )
    taken = taken_ms if turn.latency_ms is None else turn.latency_ms
    return msgspec.structs.replace(
        so_far,
        messages=(*so_far.messages, *turn.messages),
        calls=(*so_far.calls, *calls),
        output=turn.output,
        usage=so_far.usage.plus(turn.usage),
        latency_ms=so_far.latency_ms if taken is None else (so_far.latency_ms or 0.0) + taken,
        ledger=(*so_far.ledger, *turn.ledger),
        state_before=so_far.state_before or turn.state_before,
        state=turn.state or so_far.state,
        stop_reason=turn.stop_reason if so_far.stop_reason == "done" else so_far.stop_reason,
        error=so_far.error or turn.error,
        served_model=turn.served_model or so_far.served_model,
        answers=(*so_far.answers, *answers_after(first, turn.answers)),
    )


def _messages_of(turn: Trajectory) -> list[Message]:
    """The turn of an agent that returned only its calls and its answer: a message per step, then the answer."""
    messages: list[Message] = []
    steps = groupby(enumerate(turn.calls), key=lambda item: (item[1].step, item[1].step is None and item[0]))
    for number, (_, group) in enumerate(steps):
        calls = tuple(
            call if call.id else msgspec.structs.replace(call, id=f"step{number}_{at}") for at, call in group
        )
        messages.append(Message("assistant", calls=calls))
        messages += result_messages(calls)
    return [*messages, Message("assistant", turn.output)] if turn.output or not messages else messages
