"""Limits of a case and of a run, the deadline that a case's model, retries and tools share."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated

from msgspec import Meta

from rightcall.core.options import described
from rightcall.records.record import Record, Sequenced
from rightcall.records.trajectory import Usage

Positive = Annotated[float, Meta(gt=0)]
PositiveCount = Annotated[int, Meta(gt=0, le=2**53)]
"""A count; beyond the largest integer that every JSON reader represents exactly, it is a mistake."""


class Limits(Record, frozen=True, metaclass=Sequenced):
    """What one case may use; None means no limit.

    `seconds` covers everything but waiting in the queue: models, retries and the pauses between them, tools, and
    scoring (which always gets a second). `steps` limits model requests in a loop, `calls` the tool calls.
    """

    calls: Annotated[PositiveCount | None, described("maximum tool calls per case")] = None
    steps: Annotated[PositiveCount, described("maximum model requests per case in a loop")] = 20
    seconds: Annotated[
        Positive | None, described("maximum seconds per case: models, retries, tools and scoring")
    ] = None
    tokens: Annotated[PositiveCount | None, described("maximum tokens per case")] = None
    cost_usd: Annotated[Positive | None, described("maximum cost per case, in US dollars")] = None

    def exceeded(self, *, calls: int, seconds: float, usage: Usage) -> str:
        """The limit that was reached, as text; empty when none was."""
        if self.calls is not None and calls > self.calls:
            return f"more than {self.calls} tool calls"
        if self.seconds is not None and seconds > self.seconds:
            return f"more than {self.seconds:g} seconds"
        return budget_text(usage, self.tokens, self.cost_usd)


class RunLimits(Record, frozen=True, metaclass=Sequenced):
    """Limits of a whole run. When one is reached, no new case starts and running cases finish."""

    tokens: Annotated[PositiveCount | None, described("maximum tokens of the whole run")] = None
    cost_usd: Annotated[Positive | None, described("maximum cost of the whole run, in US dollars")] = None
    seconds: Annotated[Positive | None, described("seconds after which no new case starts")] = None


def budget_text(usage: Usage, tokens: int | None, cost_usd: float | None) -> str:
    """The budget that is used up, as text; empty when none is."""
    used = usage.tokens
    if tokens is not None and used > tokens:
        return f"{used:,} tokens used of {tokens:,}"
    if cost_usd is not None and usage.cost_usd is not None and usage.cost_usd > cost_usd:
        return f"${usage.cost_usd:.4f} spent of ${cost_usd:g}"
    return ""


class Deadline:
    """Counts the seconds a case may take, from now; None means no limit.

    Waiting in the queue does not count, because it depends on concurrency, not on the case. A delay that the
    provider asks for does, or a case limited to ten seconds could wait for an hour.
    """

    def __init__(self, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._clock = clock
        self._started = clock()
        self._excused = 0.0

    def left(self) -> float | None:
        """Seconds left, 0 after the deadline; None without a limit."""
        if self.seconds is None:
            return None
        return max(0.0, self.seconds - (self._clock() - self._started - self._excused))

    def excuse(self, seconds: float) -> None:
        self._excused += seconds

    def now(self) -> float:
        return self._clock()
