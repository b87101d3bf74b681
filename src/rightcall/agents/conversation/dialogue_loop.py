"""A conversation: what a user is, and the loop in which the user speaks and the agent answers until one ends it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Protocol

import msgspec

from rightcall.agents.agent_function import with_cause
from rightcall.agents.agent_session import TalkSession
from rightcall.agents.conversation.agent_side import Opened, earlier_messages
from rightcall.agents.limits import Deadline, Limits
from rightcall.agents.model_retries import stop_of_problem
from rightcall.core.errors import InfrastructureError, ProviderError, RightCallError, ToolServerDown
from rightcall.records.golden import ConversationalGolden
from rightcall.records.message import Message
from rightcall.records.record import Record
from rightcall.records.trajectory import Dialogue, Ended, StopReason, Trajectory, Usage


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
        self._left = list(script)
        self._then = then
        self.name = then.name if then else "script"
        self.prompt_hash = then.prompt_hash if then else ""

    async def reply(self, messages: Sequence[Message]) -> UserTurn:
        if self._left:
            return UserTurn(self._left.pop(0))
        return await self._then.reply(messages) if self._then else UserTurn(ended="script_end")


LONGEST = 20_000
"""Maximum characters of one user turn; a model that plays a user may ramble, and the agent pays for it."""

ENDINGS = frozenset(
    (
        "waiting_for_approval",
        "agent_error",
        "limit",
        "refused",
        "truncated",
        "filtered",
        "rejected",
        "unreadable",
    )
)
"""Stop reasons of a turn that end its conversation; whether its calls are known (`infra_error`) its end shows."""


class ConversationPerformer:
    """Holds one conversation per trial. Failing is data; only a broken setup raises.

    Limits apply to the whole conversation, except `steps`, which applies to each answer. The time of the simulated
    user does not count as the agent's.
    """

    def __init__(self, opened: Opened, limits: Limits, users: Users | None = None) -> None:
        self._opened = opened
        self._limits = limits
        self._users = users

    async def perform(self, golden: ConversationalGolden, trial: int) -> Trajectory:
        """What was said and done, with why it ended."""
        talk = _Talk(golden, trial, self._limits, self._users)
        session = self._opened(golden, trial, talk.deadline)
        try:
            await talk.hold(session)
            return talk.trajectory(session)
        finally:
            await session.aclose()


class _Talk:
    def __init__(self, golden: ConversationalGolden, trial: int, limits: Limits, users: Users | None) -> None:
        self._limits = limits
        self.deadline = Deadline(limits.seconds)
        simulated = users.user(golden, trial) if users and golden.is_simulated else None
        self._user = ScriptedUser([turn.content for turn in golden.script], simulated)
        self._most = golden.max_turns or (users.max_turns if users and simulated else None)
        self._given = len(earlier_messages(golden.given))
        self._spent = Usage()
        self._ended: Ended = "script_end"
        self._stop: StopReason = "done"
        self._why = self._error = ""
        self._exception: Exception | None = None
        self._made: Trajectory | None = None

    async def hold(self, session: TalkSession) -> None:
        turns = 0
        while await self._goes_on(session, turns):
            turns += 1

    async def _goes_on(self, session: TalkSession, turns: int) -> bool:
        """One exchange; false when the conversation is over."""
        text = await self._next_words(session)
        if text is not None and self._most is not None and turns >= self._most:
            return self._over("max_turns", f"the user spoke {turns} times and had more to say")
        if text is None or not await self._let_agent_answer(session, text):
            return False
        trajectory = self._made = session.trajectory()
        if trajectory.stop_reason in ENDINGS:
            return self._broke(trajectory.stop_reason, trajectory.error)
        if trajectory.error and trajectory.stop_reason == "done":
            return self._broke("agent_error", trajectory.error)
        over = self._limits.exceeded(
            calls=len(trajectory.calls),
            seconds=(trajectory.latency_ms or 0.0) / 1000,
            usage=trajectory.usage.plus(self._spent),
        )
        return self._broke("limit", over) if over else True

    async def _let_agent_answer(self, session: TalkSession, text: str) -> bool:
        """Let the agent answer; false when that ended the conversation."""
        keeps_time = getattr(session, "keeps_time", False)  # ours excuse waiting for a free slot
        clock = asyncio.timeout(None if keeps_time else self.deadline.left())
        try:
            async with clock:
                await session.turn(text)
        except ToolServerDown:
            raise  # ends the run: no conversation could reach its tools
        except InfrastructureError as error:
            return self._broke(stop_of_problem(error), str(error))
        except RightCallError:
            raise
        except Exception as error:
            if clock.expired():
                return self._broke("limit", f"more than {self._limits.seconds:g} seconds")
            self._exception = error
            return self._broke(*session.stop_of_error(error))
        return True

    async def _next_words(self, session: TalkSession) -> str | None:
        """The user's next message; None when the user has ended the conversation, or failed."""
        started = time.monotonic()
        try:
            user_turn = await self._user.reply((self._made or session.trajectory()).messages)
        except UserFault as fault:
            self._spent = self._spent.plus(fault.usage)
            self._user_fault(str(fault))
            return None
        except (ProviderError, TimeoutError) as error:
            self._user_fault(str(error) or "it took too long")
            return None
        finally:
            self.deadline.excuse(time.monotonic() - started)
        self._spent = self._spent.plus(user_turn.usage)
        if user_turn.ended is not None:
            if self._made is None and user_turn.ended != "script_end":
                self._user_fault("it ended the conversation before the agent was asked")
            else:
                self._over(user_turn.ended, user_turn.why)
            return None
        return user_turn.text[:LONGEST]

    def _user_fault(self, problem: str) -> None:
        """A failure of the simulated user, which says nothing about the agent."""
        self._over("user_error", problem)
        self._stop = "infra_error"
        self._error = f"the simulated user failed: {problem}"

    def _broke(self, stop: StopReason, error: str) -> bool:
        self._stop = stop
        self._error = error
        return self._over("stopped" if stop == "done" else stop, error)

    def _over(self, ended: Ended, why: str) -> bool:
        self._ended = ended
        self._why = why
        return False

    def trajectory(self, session: TalkSession) -> Trajectory:
        dialogue = Dialogue(
            self._ended,
            self._why,
            self._user.name,
            self._given,
            prompt_hash=self._user.prompt_hash,
            usage=self._spent,
        )
        trajectory = session.trajectory(self._stop, self._error)
        return with_cause(msgspec.structs.replace(trajectory, dialogue=dialogue), self._exception)
