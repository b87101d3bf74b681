"""Stop controllers: a function of yours, called before each turn, that may end the conversation.

    def controller(turns, simulated_user_turns):
        return end("resolved") if "resolved" in turns[-1].content else proceed()

It is called with whichever of `turns, golden, index, thread_id, simulated_user_turns, max_user_simulations,
last_user_turn, last_assistant_turn` it declares; `None` means to continue.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rightcall.agents.conversation.dialogue_loop import SimulatedUser, UserFault, Users, UserTurn
from rightcall.model.case import turns_of
from rightcall.model.golden import ConversationalGolden
from rightcall.model.message import Message
from rightcall.model.trajectory import Trajectory


@dataclass(frozen=True)
class Decision:
    """Whether a conversation continues."""

    goes_on: bool
    reason: str = ""


def proceed() -> Decision:
    """Continue the conversation."""
    return Decision(True)


def end(reason: str = "") -> Decision:
    """End the conversation."""
    return Decision(False, reason)


Controller = Callable[..., Any]


class ControlledUsers:
    """Users whose conversations a controller may stop."""

    def __init__(self, users: Users, controller: Controller, index: int) -> None:
        self._users, self.controller, self.index = users, controller, index
        self.max_turns = users.max_turns

    def user(self, golden: ConversationalGolden, trial: int) -> SimulatedUser:
        return _Controlled(self._users.user(golden, trial), self, golden)


class _Controlled:
    def __init__(self, user: SimulatedUser, users: ControlledUsers, golden: ConversationalGolden) -> None:
        self._user, self._users, self._golden, self._said = user, users, golden, 0
        self.name, self.prompt_hash = user.name, user.prompt_hash

    async def reply(self, messages: Sequence[Message]) -> UserTurn:
        decision = await self._decision(messages)
        if decision is not None and not decision.goes_on:
            return UserTurn(ended="stopped", why=decision.reason)
        self._said += 1
        return await self._user.reply(messages)

    async def _decision(self, messages: Sequence[Message]) -> Decision | None:
        turns = list(turns_of(Trajectory(messages=tuple(messages))))
        values = {
            "turns": turns,
            "golden": self._golden,
            "index": self._users.index,
            "thread_id": f"{self._golden.id}/{self._users.index}",
            "simulated_user_turns": self._said,
            "max_user_simulations": self._users.max_turns,
            "last_user_turn": next((t for t in reversed(turns) if t.role == "user"), None),
            "last_assistant_turn": next((t for t in reversed(turns) if t.role == "assistant"), None),
        }
        try:
            names = inspect.signature(self._users.controller).parameters
            answer = self._users.controller(
                **{name: value for name, value in values.items() if name in names}
            )
            decision = await answer if inspect.isawaitable(answer) else answer
        except Exception as error:
            raise UserFault(f"the stopping controller raised {type(error).__name__}: {error}") from None
        if decision is not None and not isinstance(decision, Decision):
            raise UserFault(
                f"the stopping controller returned {type(decision).__name__}; return end(reason) or proceed()"
            )
        return decision
