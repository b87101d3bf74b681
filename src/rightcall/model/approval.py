"""What a human, or a suite's approver in their place, decided about a call before it ran; and who the caller is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from rightcall.model.record import Record, Several

Decision = Literal["waiting", "approved", "edited", "rejected", "escalated"]
"""waiting: asked, and nobody has decided · approved, edited: it may run, with its own or with other arguments ·
rejected: it must not run, and the agent knows · escalated: it must not run, and waits for somebody else."""


CONFIRMATION_PARAMETER = "confirmation_token"
"""The argument with which a call of a tool that asks for confirmation is confirmed."""


class Approval(Record, frozen=True):
    """The decision about a call that needed approval.

    `arguments` are those an edited call ran with; the call itself keeps what the agent proposed. `message` is what the
    agent read about a rejection.
    """

    decision: Decision
    message: str = ""
    arguments: dict[str, Any] | None = None

    @property
    def open(self) -> bool:
        """Whether the call still waits for somebody."""
        return self.decision in ("waiting", "escalated")

    @property
    def granted(self) -> bool:
        """Whether the call was allowed to run."""
        return self.decision in ("approved", "edited")


def approval_wait_text(tools: Iterable[str]) -> str:
    """Why an agent stopped: the tools whose calls wait, each once."""
    return f"waiting for the approval of {', '.join(dict.fromkeys(tools)) or 'a human'}"


class Caller(Record, frozen=True):
    """On whose behalf the agent acts: a role, or several."""

    role: str | Several[str]

    @property
    def roles(self) -> tuple[str, ...]:
        return (self.role,) if isinstance(self.role, str) else tuple(self.role)

    def may_call(self, roles: Several[str]) -> bool:
        """Whether a tool with these roles is open to the caller; one without any is open to all."""
        return not roles or any(role in roles for role in self.roles)
