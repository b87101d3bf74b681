"""Asking a model, patiently: retries with full jitter, never more at once than the provider bears."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import TypeVar

from rightcall.errors import ProviderError
from rightcall.executor.throttle import Throttle
from rightcall.model.record import Record
from rightcall.providers.base import ModelReply, ModelRequest, Provider

T = TypeVar("T")
OVERLOAD = frozenset(("rate_limit", "overloaded", "timeout"))


class Patience(Record, frozen=True):
    """How often and how long to try again.

    The n-th pause is drawn from 0 … min(`longest`, `first`·2ⁿ) seconds, and is never shorter than what the
    server asked for ("full jitter": everybody retrying at the same moment would bring the server down again).
    """

    attempts: int = 10
    first: float = 0.5
    longest: float = 20.0
    longest_wish: float = 120.0

    def pause(self, failures: int, wish: float | None, draw: float) -> float:
        jitter: float = draw * min(self.longest, self.first * 2 ** (failures - 1))
        return jitter if wish is None else min(wish, self.longest_wish) + min(jitter, 1.0)


class Asker:
    """One provider, shared by all cases of a run. Counts what it had to do again."""

    def __init__(
        self,
        provider: Provider | None,
        concurrency: int,
        *,
        patience: Patience | None = None,
        seed: int = 0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.provider, self.throttle = provider, Throttle(concurrency)
        self.retries = 0
        self._patience, self._sleep = patience or Patience(), sleep
        self._random = random.Random(seed)  # noqa: S311  spreads pauses; has no influence on results

    async def ask(self, request: ModelRequest, seconds: float | None = None) -> ModelReply:
        """The model's answer; `ProviderError` when there is none after all patience.

        `seconds` is how long one try may take; a try cut short by it raises `TimeoutError`, since then it is the
        case that ran out of time and not the provider that failed.
        """
        assert self.provider is not None
        complete = self.provider.complete
        return await self.attempt(lambda: complete(request), seconds)

    async def attempt(self, attempt: Callable[[], Awaitable[T]], seconds: float | None = None) -> T:
        """What `attempt` gives, tried again as patiently as a model is asked again."""
        failures = 0
        while True:
            try:
                async with self.throttle:
                    if seconds is None:
                        reply = await attempt()
                    else:
                        async with asyncio.timeout(seconds):
                            reply = await attempt()
            except ProviderError as error:
                if error.kind in OVERLOAD:
                    self.throttle.too_much()
                failures += 1
                if not error.retryable or failures >= self._patience.attempts:
                    raise
                self.retries += 1
                await self._sleep(self._patience.pause(failures, error.retry_after, self._random.random()))
            else:
                self.throttle.went_well()
                return reply
