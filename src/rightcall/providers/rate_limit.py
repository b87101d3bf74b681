"""Request rates: how many requests and tokens per minute, and the bucket that enforces it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Annotated
from weakref import WeakKeyDictionary

from msgspec import Meta

from rightcall.core.options import described
from rightcall.records.record import Record, Sequenced

Positive = Annotated[float, Meta(gt=0)]

MINUTE = 60.0
BURST_SECONDS = 0.25
"""What may be saved up while nobody could send, so that a few seconds never see over 5 % more than the rate."""

LONGEST_SLEEP = 0.25
"""How often a waiter checks whether its share has grown."""


class RateLimit(Record, frozen=True, metaclass=Sequenced):
    """Maximum requests and tokens per minute; None means no limit. Tokens are counted when the reply reports them."""

    requests_per_minute: Annotated[Positive | None, described("maximum requests per minute")] = None
    tokens_per_minute: Annotated[Positive | None, described("maximum tokens per minute")] = None


class TokenBucket:
    """Enforces a rate: `take` waits for a turn before a request, `count_tokens` counts its tokens afterwards."""

    def __init__(
        self,
        rate: RateLimit,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._share = 1.0
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
            self._requests.begin(self._clock(), self._share)
        self.waiting += 1
        try:
            async with self._turn:
                while (pause := self._pause()) > 0:
                    await self._sleep(min(pause, LONGEST_SLEEP))
                self._requests.spend(1.0)
                self.taken += 1
        finally:
            self.waiting -= 1

    def count_tokens(self, tokens: int) -> None:
        """Count the tokens of a reply; if they were too many, later requests wait."""
        self._tokens.spend(float(tokens))

    def _pause(self) -> float:
        now = self._clock()
        return max(self._requests.pause(now, self._share, 1.0), self._tokens.pause(now, self._share, 0.0))


class _Level:
    """How much may be sent now; negative when more was used than allowed."""

    def __init__(self, per_minute: float | None, now: float) -> None:
        self._rate = None if per_minute is None else per_minute / MINUTE
        self._level = 1.0
        self._at = now

    def begin(self, now: float, share: float) -> None:
        """Start counting now: anything saved up before the first request would exceed the rate."""
        self._level = min(share, self._level)
        self._at = now

    def fill(self, now: float, share: float) -> None:
        if self._rate is not None:
            most = max(1.0, self._rate * share * BURST_SECONDS)
            self._level = min(most, self._level + (now - self._at) * self._rate * share)
            self._at = now

    def pause(self, now: float, share: float, amount: float) -> float:
        """Seconds until this much may be sent."""
        if self._rate is None:
            return 0.0
        self.fill(now, share)
        lacking = amount - self._level
        if lacking <= 1e-9 and share > 0:
            return 0.0
        return lacking / (self._rate * share) if share > 0 else LONGEST_SLEEP

    def spend(self, amount: float) -> None:
        if self._rate is not None:
            self._level -= amount


_SHARED: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, RateLimit], TokenBucket]] = (
    WeakKeyDictionary()
)
"""Buckets of the running event loops: a server's rate is one, whichever role asks it."""


def shared_bucket(server: str, rate: RateLimit, own: TokenBucket | None = None) -> TokenBucket:
    """The bucket that every role at a server with this rate shares; `own` becomes it. Requires a running loop."""
    buckets = _SHARED.setdefault(asyncio.get_running_loop(), {})
    if own is not None:
        buckets[server, rate] = own
    return buckets.setdefault((server, rate), own or TokenBucket(rate))
