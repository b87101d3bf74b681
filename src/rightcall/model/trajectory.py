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


class Trajectory(Record, frozen=True, metaclass=Sequenced):
    """Messages, calls with their results, the final answer, usage, timing and why it ended.

    `calls` is in the order the model made them and stands on its own: a trajectory known only by its
    calls has no messages. `error` says what broke when `stop_reason` is an error. `ledger` tells what the tools
    really did, `state_before` and `state` how their fake worlds looked at the start and at the end. Up to `lag_ms` of
    `latency_ms` may have been spent by the machine that measured it.
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
