"""The agent's side of a conversation: one session for each trial, whatever the agent is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from rightcall.errors import InfrastructureError, InputError
from rightcall.executor.agent_loop import AgentLoop
from rightcall.executor.deadline import Deadline
from rightcall.model.call import ToolCall, ToolResult
from rightcall.model.golden import ConversationalGolden, Golden, Turn
from rightcall.model.message import Message
from rightcall.model.trajectory import StopReason, Trajectory


class AgentSession(Protocol):
    """A conversation with an agent during one trial; what the agent remembers ends with it."""

    async def turn(self, text: str) -> None:
        """Say something and wait until the agent is done; raises what the agent raises."""
        ...

    def trajectory(self, stop_reason: StopReason = "done", error: str = "") -> Trajectory:
        """What has been done so far, at any moment: during a turn, and after one that broke."""
        ...

    def ending(self, error: BaseException) -> tuple[StopReason, str]:
        """What an exception out of `turn` says about how the agent ended."""
        ...

    async def aclose(self) -> None:
        """End the conversation."""
        ...


Opened = Callable[[ConversationalGolden, int, Deadline], AgentSession]
"""Opens a session for one trial."""


class SessionAgent(Protocol):
    """An agent that opens a fresh session for every trial, such as one that is observed."""

    def session(self, golden: Golden, trial: int = 0) -> AgentSession: ...


def opened_by(agent: SessionAgent) -> Opened:
    """Conversations with an agent that opens sessions itself. What was said before cannot be put into its memory."""

    def opened(golden: ConversationalGolden, trial: int, deadline: Deadline) -> AgentSession:
        if golden.given:
            raise InputError(
                f"golden '{golden.id}'",
                "begins in the middle of a conversation, which an agent with a memory of its own cannot",
                "leave out the assistant's turns, or give a function agent(input, history)",
            )
        return agent.session(asked_as(golden), trial)

    return opened


class TurnEnded(Exception):  # noqa: N818  an answer that ends the conversation is no error of ours
    """The agent's turn ended in a way that ends the conversation."""

    def __init__(self, stop_reason: StopReason, problem: str) -> None:
        super().__init__(problem)
        self.stop_reason: StopReason = stop_reason


class ModelSession:
    """A model with tools, whose messages and whose tools' worlds last from the first turn to the last.

    Each turn is a loop of its own: the model is asked until it answers, as often as `limits.steps` allows.
    """

    keeps_time = True

    def __init__(self, loop: AgentLoop, golden: ConversationalGolden, trial: int, deadline: Deadline) -> None:
        self._loop, self._trial, self._deadline = loop, trial, deadline
        self._golden = asked_as(golden)
        self._recorder, self._context = loop.begin(self._golden, trial, given_messages(golden.given))

    async def turn(self, text: str) -> None:
        self._recorder.messages.append(Message("user", text))
        answered = await self._loop.answer(
            self._golden, self._trial, self._recorder, self._context, self._deadline
        )
        if answered.stop_reason != "done":
            raise TurnEnded(answered.stop_reason, answered.error)

    def trajectory(self, stop_reason: StopReason = "done", error: str = "") -> Trajectory:
        return self._context.witnessed(self._recorder.trajectory(stop_reason, error))

    def ending(self, error: BaseException) -> tuple[StopReason, str]:
        return ending(error)

    async def aclose(self) -> None:
        return


def ending(error: BaseException) -> tuple[StopReason, str]:
    """What an exception out of a turn means."""
    if isinstance(error, TurnEnded):
        return error.stop_reason, str(error)
    if isinstance(error, InfrastructureError):
        return "infra_error", str(error)
    return "agent_error", f"{type(error).__name__}: {error}"[:500]


def asked_as(golden: ConversationalGolden) -> Golden:
    """The golden for what only looks at its id, its tools and its instructions."""
    return Golden(golden.scenario, id=golden.id, tools=golden.tools, system=golden.system)


def given_messages(turns: Sequence[Turn]) -> tuple[Message, ...]:
    """What was said before, as a model reads it: calls, their results, then the words.

    Every call has an id and a result, for providers refuse a transcript in which one is missing.
    """
    messages: list[Message] = []
    for number, turn in enumerate(turns):
        calls = tuple(_with_id(call, number, place) for place, call in enumerate(turn.tools_called or ()))
        if calls:
            messages.append(Message(turn.role, calls=calls))
            told = tuple(
                ToolResult(call.id, call.output, call.status == "error", call.name) for call in calls
            )
            messages.append(Message("tool", results=told))
        if turn.content or not calls:
            messages.append(Message(turn.role, turn.content))
    return tuple(messages)


def _with_id(call: ToolCall, turn: int, place: int) -> ToolCall:
    return call if call.id else msgspec.structs.replace(call, id=f"given_{turn}_{place}")
