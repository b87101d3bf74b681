"""The user's side of a conversation: what a user is, and the scripted one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rightcall.model.golden import ConversationalGolden
from rightcall.model.message import Message
from rightcall.model.record import Record
from rightcall.model.trajectory import Ended, Usage


class UserTurn(Record, frozen=True):
    """What a user says next; `ended` is set when they say nothing more, with `why` in words."""

    text: str = ""
    ended: Ended | None = None
    why: str = ""
    usage: Usage = Usage()


class UserFault(Exception):  # noqa: N818  it is raised for the user, not for the agent
    """The simulated user failed, which says nothing about the agent."""

    def __init__(self, problem: str, usage: Usage | None = None) -> None:
        super().__init__(problem)
        self.usage = usage or Usage()


class SimulatedUser(Protocol):
    """The other side of one conversation. `name` is who plays it, `prompt_hash` identifies their prompt."""

    name: str
    prompt_hash: str

    async def reply(self, messages: Sequence[Message]) -> UserTurn:
        """What the user says after these messages. Raises `UserFault` when the simulated user fails."""
        ...


class Users(Protocol):
    """Provides the user of every conversation. `max_turns` is the maximum number of turns of a simulated user."""

    max_turns: int

    def user(self, golden: ConversationalGolden, trial: int) -> SimulatedUser: ...


class ScriptedUser:
    """Says the turns of a script, then `then` continues; without one the conversation ends."""

    def __init__(self, script: Sequence[str], then: SimulatedUser | None = None) -> None:
        self._left, self._then = list(script), then
        self.name = then.name if then else "script"
        self.prompt_hash = then.prompt_hash if then else ""

    async def reply(self, messages: Sequence[Message]) -> UserTurn:
        if self._left:
            return UserTurn(self._left.pop(0))
        return await self._then.reply(messages) if self._then else UserTurn(ended="script_end")
