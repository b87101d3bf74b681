"""How much one case, and a whole run, may use."""

from __future__ import annotations

from typing import Annotated

import msgspec

from rightcall.model.record import Record
from rightcall.model.trajectory import Usage

Positive = Annotated[float, msgspec.Meta(gt=0)]
PositiveCount = Annotated[int, msgspec.Meta(gt=0, le=2**53)]
"""A number of things; more than every reader of JSON can hold exactly is a mistake."""


class Limits(Record, frozen=True):
    """What one case may use; None means no limit.

    `seconds` counts everything but waiting for a turn: models, retries and the pauses between them, tools, and
    scoring (which always has a second). `steps` is how often the model is asked in a loop, `calls` how many tool
    calls it may make.
    """

    calls: PositiveCount | None = None
    steps: PositiveCount = 20
    seconds: Positive | None = None
    tokens: PositiveCount | None = None
    cost_usd: Positive | None = None

    def exceeded(self, *, calls: int, seconds: float, usage: Usage) -> str:
        """Which limit has been reached, in words; empty when none has."""
        if self.calls is not None and calls > self.calls:
            return f"more than {self.calls} tool calls"
        if self.seconds is not None and seconds > self.seconds:
            return f"more than {self.seconds:g} seconds"
        return spent(usage, self.tokens, self.cost_usd)


class RunLimits(Record, frozen=True):
    """What a whole run may use. When a limit is reached no new case begins; those under way end."""

    tokens: PositiveCount | None = None
    cost_usd: Positive | None = None
    seconds: Positive | None = None


def spent(usage: Usage, tokens: int | None, cost_usd: float | None) -> str:
    """Which budget is used up, in words; empty when none is."""
    used = usage.input_tokens + usage.output_tokens
    if tokens is not None and used > tokens:
        return f"{used:,} tokens used of {tokens:,}"
    if cost_usd is not None and usage.cost_usd is not None and usage.cost_usd > cost_usd:
        return f"${usage.cost_usd:.4f} spent of ${cost_usd:g}"
    return ""


def total(left: Usage, right: Usage) -> Usage:
    """Two usages added; the cost is unknown only when both are."""
    return left.plus(right)
