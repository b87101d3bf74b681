"""Asking a model, patiently: retries with full jitter, never more at once than the provider bears."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from time import perf_counter

from msgspec.structs import replace

from rightcall.errors import ProviderError
from rightcall.executor.lag import LagMeter
from rightcall.executor.refusals import Refusals
from rightcall.executor.throttle import Throttle
from rightcall.model.record import Record
from rightcall.providers.base import ModelReply, ModelRequest, Provider

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
        provider: Provider,
        concurrency: int,
        *,
        patience: Patience | None = None,
        seed: int = 0,
        lag: LagMeter | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.provider, self.throttle, self.lag = provider, Throttle(concurrency), lag or LagMeter()
        self.retries = 0
        self._refusals = Refusals()
        self._patience, self._sleep = patience or Patience(), sleep
        self._random = random.Random(seed)  # noqa: S311  spreads pauses; has no influence on results

    async def ask(self, request: ModelRequest, seconds: float | None = None) -> ModelReply:
        """The model's answer; `ProviderError` when there is none after all patience, and `InfrastructureError`,
        which ends the run, when the provider refuses everything alike.

        `seconds` is how long one try may take; a try cut short by it raises `TimeoutError`, since then it is the
        case that ran out of time and not the provider that failed.
        """
        failures = 0
        while True:
            try:
                async with self.throttle:
                    started, before = perf_counter(), self.lag.so_far()
                    if seconds is None:
                        reply = await self.provider.complete(request)
                    else:
                        async with asyncio.timeout(seconds):
                            reply = await self.provider.complete(request)
                    lag = (self.lag.so_far() - before) * 1000
                    # A latency that was recorded earlier is longer than the time it took to read it.
                    if lag > 0 and (perf_counter() - started) * 1000 >= reply.latency_ms:
                        reply = replace(reply, lag_ms=min(lag, reply.latency_ms))
            except ProviderError as error:
                if error.kind in OVERLOAD:
                    self.throttle.too_much()
                failures += 1
                if not error.retryable or failures >= self._patience.attempts:
                    self._refusals.add(error)
                    raise
                self.retries += 1
                await self._sleep(self._patience.pause(failures, error.retry_after, self._random.random()))
            else:
                self.throttle.went_well()
                self._refusals.answered()
                return reply
