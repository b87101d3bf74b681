"""Limits of a case and of a run, the deadline that a case's model, retries and tools share, and request rates."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
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

    calls: Annotated[PositiveCount | None, msgspec.Meta(description="maximum tool calls per case")] = None
    steps: Annotated[PositiveCount, msgspec.Meta(description="maximum model requests per case in a loop")] = (
        20
    )
    seconds: Annotated[
        Positive | None,
        msgspec.Meta(description="maximum seconds per case: models, retries, tools and scoring"),
    ] = None
    tokens: Annotated[PositiveCount | None, msgspec.Meta(description="maximum tokens per case")] = None
    cost_usd: Annotated[Positive | None, msgspec.Meta(description="maximum cost per case, in US dollars")] = (
        None
    )

    def exceeded(self, *, calls: int, seconds: float, usage: Usage) -> str:
        """The limit that was reached, as text; empty when none was."""
        if self.calls is not None and calls > self.calls:
            return f"more than {self.calls} tool calls"
        if self.seconds is not None and seconds > self.seconds:
            return f"more than {self.seconds:g} seconds"
        return spent(usage, self.tokens, self.cost_usd)


class RunLimits(Record, frozen=True):
    """Limits of a whole run. When one is reached, no new case starts and running cases finish."""

    tokens: Annotated[PositiveCount | None, msgspec.Meta(description="maximum tokens of the whole run")] = (
        None
    )
    cost_usd: Annotated[
        Positive | None, msgspec.Meta(description="maximum cost of the whole run, in US dollars")
    ] = None
    seconds: Annotated[
        Positive | None, msgspec.Meta(description="seconds after which no new case starts")
    ] = None


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


class Deadline:
    """Counts the seconds a case may take, from now; None means no limit.

    Waiting in the queue does not count, because it depends on concurrency, not on the case. A delay that the
    provider asks for does, or a case limited to ten seconds could wait for an hour.
    """

    def __init__(self, seconds: float | None, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds, self._clock = seconds, clock
        self._started, self._excused = clock(), 0.0

    def left(self) -> float | None:
        """Seconds left, 0 after the deadline; None without a limit."""
        if self.seconds is None:
            return None
        return max(0.0, self.seconds - (self._clock() - self._started - self._excused))

    def excuse(self, seconds: float) -> None:
        """Exclude these seconds."""
        self._excused += seconds

    def now(self) -> float:
        """The clock it uses."""
        return self._clock()


MINUTE = 60.0
BURST_SECONDS = 0.25
"""What may be saved up while nobody could send, so that a few seconds never see over 5 % more than the rate."""

LONGEST_SLEEP = 0.25
"""How often a waiter checks whether its share has grown."""


class RateLimit(Record, frozen=True):
    """Maximum requests and tokens per minute; None means no limit. Tokens are counted when the reply reports them."""

    requests_per_minute: Annotated[
        Positive | None, msgspec.Meta(description="maximum requests per minute")
    ] = None
    tokens_per_minute: Annotated[Positive | None, msgspec.Meta(description="maximum tokens per minute")] = (
        None
    )


class TokenBucket:
    """Enforces a rate: `take` waits for a turn before a request, `used` counts its tokens afterwards."""

    def __init__(
        self,
        rate: RateLimit,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock, self._sleep, self._share = clock, sleep, 1.0
        self._requests = _Level(rate.requests_per_minute, clock())
        self._tokens = _Level(rate.tokens_per_minute, clock())
        self._turn = asyncio.Lock()
        self.taken = self.waiting = 0

    def resize(self, share: float) -> None:
        """Use only this share of the rate."""
        now = self._clock()
        self._requests.fill(now, self._share)
        self._tokens.fill(now, self._share)
        self._share = share

    async def take(self) -> None:
        """Wait until a request may be sent; requests are sent in the order they came."""
        if not self.taken and not self.waiting:
            self._requests.begin(self._clock())
        self.waiting += 1
        try:
            async with self._turn:
                while (pause := self._pause()) > 0:
                    await self._sleep(min(pause, LONGEST_SLEEP))
                self._requests.spend(1.0)
                self.taken += 1
        finally:
            self.waiting -= 1

    def used(self, tokens: int) -> None:
        """Count the tokens of a reply; if they were too many, later requests wait."""
        self._tokens.spend(float(tokens))

    def _pause(self) -> float:
        now = self._clock()
        return max(self._requests.pause(now, self._share, 1.0), self._tokens.pause(now, self._share, 0.0))


class _Level:
    """How much may be sent now; negative when more was used than allowed."""

    def __init__(self, per_minute: float | None, now: float) -> None:
        self._rate = None if per_minute is None else per_minute / MINUTE
        self._level, self._at = 1.0, now

    def begin(self, now: float) -> None:
        """Start counting now: anything saved up before the first request would exceed the rate."""
        self._level, self._at = min(1.0, self._level), now

    def fill(self, now: float, share: float) -> None:
        if self._rate is not None:
            most = max(1.0, self._rate * share * BURST_SECONDS)
            self._level = min(most, self._level + (now - self._at) * self._rate * share)
            self._at = now

    def pause(self, now: float, share: float, wanted: float) -> float:
        """Seconds until this much may be sent."""
        if self._rate is None:
            return 0.0
        self.fill(now, share)
        lacking = wanted - self._level
        if lacking <= 1e-9 and share > 0:
            return 0.0
        return lacking / (self._rate * share) if share > 0 else LONGEST_SLEEP

    def spend(self, amount: float) -> None:
        if self._rate is not None:
            self._level -= amount
