"""A user's function in a conversation: called for each turn, with what was said before."""

from __future__ import annotations

import time
from itertools import groupby
from typing import Any
from uuid import uuid4

import msgspec

from rightcall.agents.agent_function import AgentFunction
from rightcall.agents.agent_session import TalkSession
from rightcall.agents.callable_agent import as_trajectory
from rightcall.agents.conversation.agent_side import earlier_messages, stop_of_error
from rightcall.model.case import conversation_of
from rightcall.model.dialects import trajectory_from_messages
from rightcall.model.golden import ConversationalGolden, Turn
from rightcall.model.message import Message, result_messages
from rightcall.model.trajectory import StopReason, Trajectory, answers_after, limit_trajectory_depth


class FunctionSession(TalkSession):
    """One conversation with a function that is called for each turn."""

    def __init__(self, function: AgentFunction, golden: ConversationalGolden) -> None:
        self._function = function
        self._begun = False
        self._golden = golden
        self._made = Trajectory(messages=earlier_messages(golden.given))
        self._thread = uuid4().hex

    async def turn(self, text: str) -> None:
        if not self._begun:
            self._function = await self._function.begin(self._golden)
            self._begun = True
        before = self._made.messages
        self._made = msgspec.structs.replace(self._made, messages=(*before, Message("user", text)))
        started = time.perf_counter()
        answer = await self._function.call(text, self._golden, earlier=before, thread=self._thread)
        taken = round((time.perf_counter() - started) * 1000, 3)
        self._made = append_turn(self._made, limit_trajectory_depth(turn_trajectory(answer, text)), taken)

    async def aclose(self) -> None:
        await self._function.end()

    def trajectory(self, stop_reason: StopReason = "done", error: str = "") -> Trajectory:
        if stop_reason == "done" and not error:
            return self._made
        return msgspec.structs.replace(self._made, stop_reason=stop_reason, error=error)

    def stop_of_error(self, error: BaseException) -> tuple[StopReason, str]:
        return stop_of_error(error)


def turn_trajectory(answer: Any, text: str) -> Trajectory:
    """What the agent did in one turn. Messages that repeat the conversation count from the user's last words."""
    trajectory = conversation_of([answer]) if isinstance(answer, Turn) else as_trajectory(answer)
    users = [at for at, message in enumerate(trajectory.messages) if message.role == "user"]
    if not users:
        return trajectory
    turn = trajectory_from_messages(trajectory.messages[users[-1] + 1 :])
    return msgspec.structs.replace(turn, stop_reason=trajectory.stop_reason, error=trajectory.error)


def append_turn(so_far: Trajectory, turn: Trajectory, taken_ms: float) -> Trajectory:
    """The conversation with one more turn of the agent: its messages, and its calls at their steps."""
    if not turn.messages:
        spoken = trajectory_from_messages(_messages_of(turn))
        turn = msgspec.structs.replace(turn, messages=spoken.messages, calls=spoken.calls)
    first = sum(message.role == "assistant" for message in so_far.messages)
    calls = tuple(msgspec.structs.replace(call, step=first + (call.step or 0)) for call in turn.calls)
    taken = taken_ms if turn.latency_ms is None else turn.latency_ms
    return msgspec.structs.replace(
        so_far,
        messages=(*so_far.messages, *turn.messages),
        calls=(*so_far.calls, *calls),
        output=turn.output,
        usage=so_far.usage.plus(turn.usage),
        latency_ms=(so_far.latency_ms or 0.0) + taken,
        ledger=(*so_far.ledger, *turn.ledger),
        state_before=so_far.state_before or turn.state_before,
        state=turn.state or so_far.state,
        stop_reason=turn.stop_reason if so_far.stop_reason == "done" else so_far.stop_reason,
        error=so_far.error or turn.error,
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
