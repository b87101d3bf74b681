"""Resource limits of a case and of a run."""

from __future__ import annotations

from typing import Annotated

import msgspec

from rightcall.model.record import Record
from rightcall.model.trajectory import Usage

Positive = Annotated[float, msgspec.Meta(gt=0)]
PositiveCount = Annotated[int, msgspec.Meta(gt=0, le=2**53)]
"""A count; beyond the largest integer that every JSON reader represents exactly, it is a mistake."""


class Limits(Record, frozen=True):
    """What one case may use; None means no limit.

    `seconds` covers everything but waiting in the queue: models, retries and the pauses between them, tools, and
    scoring (which always gets a second). `steps` limits model requests in a loop, `calls` the tool calls.
    """

    calls: PositiveCount | None = None
    steps: PositiveCount = 20
    seconds: Positive | None = None
    tokens: PositiveCount | None = None
    cost_usd: Positive | None = None

    def exceeded(self, *, calls: int, seconds: float, usage: Usage) -> str:
        """The limit that was reached, as text; empty when none was."""
        if self.calls is not None and calls > self.calls:
            return f"more than {self.calls} tool calls"
        if self.seconds is not None and seconds > self.seconds:
            return f"more than {self.seconds:g} seconds"
        return spent(usage, self.tokens, self.cost_usd)


class RunLimits(Record, frozen=True):
    """Limits of a whole run. When one is reached, no new case starts and running cases finish."""

    tokens: PositiveCount | None = None
    cost_usd: Positive | None = None
    seconds: Positive | None = None


def spent(usage: Usage, tokens: int | None, cost_usd: float | None) -> str:
    """The budget that is used up, as text; empty when none is."""
    used = usage.input_tokens + usage.output_tokens
    if tokens is not None and used > tokens:
        return f"{used:,} tokens used of {tokens:,}"
    if cost_usd is not None and usage.cost_usd is not None and usage.cost_usd > cost_usd:
        return f"${usage.cost_usd:.4f} spent of ${cost_usd:g}"
    return ""


def total(left: Usage, right: Usage) -> Usage:
    """Two usages added; the cost is unknown only when both are."""
    return left.plus(right)
