"""The kind of agent that is a function, a callable object or a class of the user: for a golden, or for each turn."""

from __future__ import annotations

import time
from typing import Any
from uuid import uuid4

import msgspec

from rightcall.agents.agent_function import AgentFunction, UnreadableAnswerError, UserAgent
from rightcall.agents.agent_session import TalkSession, append_turn
from rightcall.agents.callable_agent import as_trajectory
from rightcall.agents.conversation.agent_side import earlier_messages, stop_of_error
from rightcall.agents.open_agent import OpenAgent
from rightcall.core.errors import InputError
from rightcall.records.case import conversation_of
from rightcall.records.dialects import trajectory_from_messages
from rightcall.records.golden import ConversationalGolden, Turn
from rightcall.records.message import Message
from rightcall.records.trajectory import StopReason, Trajectory, limit_trajectory_depth


class OpenFunction(OpenAgent):
    """A function of a golden holds conversations itself; any other is led through them."""

    runs_code = True

    @property
    def acts_in_replay(self) -> str:
        return "it is a function"

    def _perform(self) -> None:
        assert callable(self.agent.model)
        function = AgentFunction.of(self.agent.model, self.agent.with_)
        single_turn = UserAgent(function, self.agent.limits, self.lag, self.toolbox)
        if function.takes_turns:
            self._perform_turns(single_turn, lambda golden, *_: FunctionSession(function, golden))
        else:
            self._perform_by(single_turn)


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
        try:
            answered = turn_trajectory(answer, text)
        except InputError as error:
            raise UnreadableAnswerError(str(error), type(answer).__name__) from None
        self._made = append_turn(self._made, limit_trajectory_depth(answered), taken)

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
