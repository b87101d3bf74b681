"""A fixed rate of requests and tokens: what a provider allows a minute, spread evenly."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Annotated

import msgspec

from rightcall.executor.limits import Positive
from rightcall.model.record import Record

MINUTE = 60.0
BURST_SECONDS = 1.0
"""What may be saved up: a second's worth, so that no minute sees more than its rate and a second."""

LONGEST_SLEEP = 0.25
"""A share may grow while somebody waits."""


class RateLimit(Record, frozen=True):
    """What may be sent a minute; None means no limit. Tokens count when the reply says how many there were."""

    requests_per_minute: Annotated[
        Positive | None, msgspec.Meta(description="maximum requests per minute")
    ] = None
    tokens_per_minute: Annotated[Positive | None, msgspec.Meta(description="maximum tokens per minute")] = (
        None
    )


class TokenBucket:
    """Keeps to a rate: `take` before a request waits for its turn, `used` afterwards counts its tokens."""

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
        """Keep to this share of the rate: others have the rest."""
        now = self._clock()
        self._requests.fill(now, self._share)
        self._tokens.fill(now, self._share)
        self._share = share

    async def take(self) -> None:
        """Wait until a request may be sent; requests are sent in the order they came."""
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
    """How much may be sent now; below zero when more was used than there was."""

    def __init__(self, per_minute: float | None, now: float) -> None:
        self._rate = None if per_minute is None else per_minute / MINUTE
        self._level, self._at = 0.0, now
        if self._rate is not None:
            self._level = min(1.0, self._rate * BURST_SECONDS)

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
