"""The agent's side of a conversation: one session for each trial, for any kind of agent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import msgspec

from rightcall.agents.agent_function import UnreadableAnswerError
from rightcall.agents.agent_loop import AgentLoop
from rightcall.agents.agent_session import (
    AgentSession,
    Desk,
    DeskSetup,
    SessionAgent,
    TalkSession,
    session_options,
    wait_for_spans,
)
from rightcall.agents.limits import Deadline
from rightcall.agents.model_retries import Asker
from rightcall.agents.observed.provider_outage import stop_of_exception
from rightcall.core.errors import InputError
from rightcall.records.approval import ApprovalPolicy
from rightcall.records.call import ToolResult
from rightcall.records.dialects.endings import UnfinishedAnswerError
from rightcall.records.golden import ConversationalGolden, Golden, Turn
from rightcall.records.message import Message
from rightcall.records.trajectory import StopReason, Trajectory, limit_trajectory_depth

Opened = Callable[[ConversationalGolden, int, Deadline], TalkSession]
"""Opens a session for one trial."""


def session_opener(
    agent: SessionAgent,
    desks: DeskSetup | None = None,
    asker: Asker | None = None,
    approvals: ApprovalPolicy | None = None,
) -> Opened:
    """Conversations with an agent that opens sessions itself. Earlier messages cannot be put into its memory."""

    def open_session(golden: ConversationalGolden, trial: int, deadline: Deadline) -> TalkSession:
        if golden.given:
            raise InputError(f"golden '{golden.id}'", NO_BEGINNING[0], NO_BEGINNING[1])
        asked = as_single_turn(golden)
        desk = desks.desk(asked, trial) if desks else None
        options = session_options(desk, approvals)
        return ForeignSession(agent.session(asked, trial, **options), desk, asker, deadline)

    return open_session


NO_BEGINNING = (
    "starts in the middle of a conversation, which an agent with its own memory cannot do",
    "leave out the assistant's turns, or give a function agent(input, history)",
)


class ForeignSession(TalkSession):
    """An agent's own session, with the time it took, and what its tools did when we ran them.

    Over a network, failed requests are retried as in a single turn.
    """

    def __init__(
        self, session: AgentSession, desk: Desk | None, asker: Asker | None, deadline: Deadline
    ) -> None:
        self._session = session
        self._desk = desk
        self._asker = asker
        self._deadline = deadline
        self.keeps_time = asker is not None
        self._opened = False
        self._taken = 0.0

    async def turn(self, text: str) -> None:
        if not self._opened:
            waiting_since = self._deadline.now()
            await self._session.open()
            self._deadline.excuse(self._deadline.now() - waiting_since)
            self._opened = True
        started = time.perf_counter()
        try:
            if self._asker is not None:
                await self._asker.attempt(lambda: self._session.turn(text), self._deadline)
            else:
                await self._session.turn(text)
        finally:
            self._taken += (time.perf_counter() - started) * 1000
        waiting_since = self._deadline.now()
        await wait_for_spans(self._session)
        self._deadline.excuse(self._deadline.now() - waiting_since)

    def trajectory(self, stop_reason: StopReason = "done", error: str = "") -> Trajectory:
        trajectory = limit_trajectory_depth(self._session.trajectory(stop_reason, error))
        trajectory = msgspec.structs.replace(trajectory, latency_ms=round(self._taken, 3))
        return self._desk.with_evidence(trajectory) if self._desk is not None else trajectory

    def stop_of_error(self, error: BaseException) -> tuple[StopReason, str]:
        if isinstance(error, TimeoutError) and self._asker is not None:
            return "limit", f"more than {self._deadline.seconds:g} seconds"
        return self._session.stop_of_error(error)

    async def aclose(self) -> None:
        await self._session.aclose()


class TurnEnded(Exception):  # noqa: N818  an answer that ends the conversation is not an error
    """The agent's turn ended in a way that ends the conversation."""

    def __init__(self, stop_reason: StopReason, problem: str) -> None:
        super().__init__(problem)
        self.stop_reason: StopReason = stop_reason


class ModelSession(TalkSession):
    """A model with tools, whose messages and whose tools' worlds last from the first turn to the last.

    Each turn is a separate loop: the model runs until it answers, up to `limits.steps`.
    """

    keeps_time = True

    def __init__(self, loop: AgentLoop, golden: ConversationalGolden, trial: int, deadline: Deadline) -> None:
        self._loop = loop
        self._trial = trial
        self._deadline = deadline
        self._golden = as_single_turn(golden)
        self._recorder, self._context = loop.begin(self._golden, trial, earlier_messages(golden.given))

    async def turn(self, text: str) -> None:
        self._recorder.messages.append(Message("user", text))
        self._context.hear(text)
        answered = await self._loop.answer(
            self._golden, self._trial, self._recorder, self._context, self._deadline
        )
        if answered.stop_reason != "done":
            raise TurnEnded(answered.stop_reason, answered.error)

    def trajectory(self, stop_reason: StopReason = "done", error: str = "") -> Trajectory:
        return self._context.with_evidence(self._recorder.trajectory(stop_reason, error))

    def stop_of_error(self, error: BaseException) -> tuple[StopReason, str]:
        return stop_of_error(error)


def stop_of_error(error: BaseException) -> tuple[StopReason, str]:
    """How the agent ended, given an exception raised by a turn."""
    if isinstance(error, TurnEnded):
        return error.stop_reason, str(error)
    if isinstance(error, UnfinishedAnswerError):
        return "infra_error", str(error)
    if isinstance(error, UnreadableAnswerError):
        return "unreadable", str(error)[:500]
    return stop_of_exception(error)


def as_single_turn(golden: ConversationalGolden) -> Golden:
    """A single-turn golden with the id, the tools and the instructions of a conversation."""
    return Golden(
        golden.scenario,
        id=golden.id,
        tools=golden.tools,
        system=golden.system,
        as_=golden.as_,
        confirm=golden.confirm,
        safety=golden.safety,
    )


def earlier_messages(turns: Sequence[Turn]) -> tuple[Message, ...]:
    """The earlier messages as a model reads them: calls, their results, then the text.

    Every call has an id and a result, because providers reject a transcript in which one is missing.
    """
    messages: list[Message] = []
    for number, turn in enumerate(turns):
        calls = tuple(
            call if call.id else msgspec.structs.replace(call, id=f"given_{number}_{place}")
            for place, call in enumerate(turn.tools_called or ())
        )
        if calls:
            messages.append(Message(turn.role, calls=calls))
            told = tuple(
                ToolResult(call.id, call.output, call.status == "error", call.name) for call in calls
            )
            messages.append(Message("tool", results=told))
        if turn.content or not calls:
            messages.append(Message(turn.role, turn.content))
    return tuple(messages)
