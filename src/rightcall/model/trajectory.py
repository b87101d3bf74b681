"""What happened: the only thing metrics read about an agent's behaviour."""

from __future__ import annotations

from typing import Any, Literal

from rightcall.model.call import ToolCall
from rightcall.model.ledger import LedgerEntry
from rightcall.model.message import Message
from rightcall.model.record import Record, Sequenced, Several

StopReason = Literal["done", "truncated", "refused", "limit", "agent_error", "infra_error"]


class Usage(Record, frozen=True):
    """Tokens and money; `cost_usd` is None when no price is known.

    `cached_tokens` are those of the input that the provider had in its cache and sells cheaper.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    cached_tokens: int = 0

    def plus(self, other: Usage) -> Usage:
        """Both together; the cost is unknown only when both are."""
        known = [usage.cost_usd for usage in (self, other) if usage.cost_usd is not None]
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            sum(known) if known else None,
            self.cached_tokens + other.cached_tokens,
        )


Ended = Literal[
    "script_end",
    "user_stop",
    "transfer",
    "stopped",
    "max_turns",
    "limit",
    "refused",
    "truncated",
    "agent_error",
    "user_error",
    "infra_error",
]
"""Why a conversation ended: the script was over, the user had what they came for, wanted a person, a controller or a
limit stopped it, or one side broke. `user_error` is the simulated user's fault."""


class Dialogue(Record, frozen=True):
    """How a conversation was held: who the user was, and why it ended.

    `given` counts the messages that were there before the agent began: nothing in them is the agent's doing. `user` is
    `script`, or the model and the persona that played the user, `prompt_hash` identifies what that model was told, and
    `usage` is what it spent.
    """

    ended: Ended
    why: str = ""
    user: str = "script"
    given: int = 0
    prompt_hash: str = ""
    usage: Usage = Usage()


class Trajectory(Record, frozen=True, metaclass=Sequenced):
    """Messages, calls with their results, the final answer, usage, timing and why it ended.

    `calls` is in the order the model made them and stands on its own: a trajectory known only by its
    calls has no messages. `error` says what broke when `stop_reason` is an error. `ledger` tells what the tools
    really did, `state_before` and `state` how their fake worlds looked at the start and at the end. Up to `lag_ms` of
    `latency_ms` may have been spent by the machine that measured it. `dialogue` tells how a conversation was held.
    """

    messages: Several[Message] = ()
    calls: Several[ToolCall] = ()
    output: str = ""
    usage: Usage = Usage()
    latency_ms: float | None = None
    stop_reason: StopReason = "done"
    error: str = ""
    ledger: Several[LedgerEntry] = ()
    state_before: dict[str, Any] | None = None
    state: dict[str, Any] | None = None
    lag_ms: float = 0.0
    dialogue: Dialogue | None = None

    @property
    def own_start(self) -> int:
        """Where the agent's own messages begin; what stands before was given to it."""
        return self.dialogue.given if self.dialogue else 0

    @property
    def spent(self) -> Usage:
        """What the case cost: the agent, and the model that played its user."""
        return self.usage if self.dialogue is None else self.usage.plus(self.dialogue.usage)

    @property
    def least_latency_ms(self) -> float | None:
        """The time that the agent took for certain; None when nobody measured."""
        return None if self.latency_ms is None else max(0.0, self.latency_ms - self.lag_ms)


class RecordedTrajectory(Record, frozen=True):
    """A trajectory of one trial of a golden, as a file of trajectories holds it.

    `trial` is None when the file does not number its trials: they then count up in file order.
    """

    golden_id: str
    trajectory: Trajectory
    trial: int | None = None
