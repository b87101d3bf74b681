"""Model requests with retries (full jitter) and adaptive concurrency."""

from __future__ import annotations

import asyncio
import random
import re
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from time import perf_counter
from typing import Protocol, Self, TypeVar

from msgspec.structs import replace

from rightcall.agents.limits import Deadline
from rightcall.agents.pool import LagMeter
from rightcall.core.errors import InfrastructureError, ProviderError
from rightcall.providers.base import ModelReply, ModelRequest, Provider
from rightcall.providers.rate_limit import TokenBucket
from rightcall.records.record import Record
from rightcall.records.trajectory import StopReason


class Throttle:
    """An adaptive semaphore: use `async with throttle:` around each request, then report the outcome."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.limit = most
        self.active = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._good = 0
        self._ignored = 0

    async def __aenter__(self) -> Self:
        while self.active >= self.limit:
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                self._wake()  # the slot may have been given to a request that was cancelled
                raise
        self.active += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        self.active -= 1
        self._wake()

    def resize(self, most: int) -> None:
        """Change the maximum. A limit lowered by the provider's rejections stays low."""
        self.limit = most if self.limit == self.most else min(self.limit, most)
        self.most = most
        self._wake()

    def went_well(self) -> None:
        """A request succeeded. A full round of successes raises the limit by one."""
        if self.limit < self.most:
            self._good += 1
            if self._good >= self.limit:
                self.limit = self.limit + 1
                self._good = 0
                self._wake()

    def too_much(self) -> None:
        """The provider is overloaded. Rejections of requests already in flight count once."""
        if self._ignored > 0:
            self._ignored -= 1
            return
        self._ignored = self.active
        self._good = 0
        self.limit = max(1, self.limit // 2)

    def _wake(self) -> None:
        free = self.limit - self.active
        while free > 0 and self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                free -= 1


ENOUGH = 5
"""Number of equal refusals in a row, without any answer, that stop a run."""

PERMANENT = frozenset(("auth", "request", "rejected", "rate_limit", "unreachable", "tls"))
"""Failures that, when not retryable, point to the setup rather than to one request."""

_VARYING = re.compile(r"[0-9a-f-]{8,}|\d+|req_\w+", re.IGNORECASE)
"""Request ids and timestamps, which differ between equal refusals."""


def stop_of_problem(error: InfrastructureError) -> StopReason:
    """How a trial ended that this error ended: by its own request, or without an answer."""
    if not isinstance(error, ProviderError):
        return "infra_error"
    return (
        "rejected" if error.kind == "request" else "filtered" if error.kind == "filtered" else "infra_error"
    )


class Refusals:
    """Counts equal permanent refusals until something is answered."""

    def __init__(self) -> None:
        self._last = ""
        self._count = 0
        self.answered = False

    def add(self, error: ProviderError) -> None:
        """Count a refusal; raises `InfrastructureError` after enough equal ones."""
        if self.answered or error.retryable or error.kind not in PERMANENT:
            return
        likeness = f"{error.status} {_VARYING.sub('', error.problem)}"
        self._count = self._count + 1 if likeness == self._last else 1
        self._last = likeness
        if self._count >= ENOUGH:
            raise InfrastructureError(
                f"run stopped: the first {ENOUGH} requests were all rejected with the same error.\n"
                f"{error.problem}"
            ) from None


T = TypeVar("T")
OVERLOAD = frozenset(("rate_limit", "overloaded", "timeout"))


class Patience(Record, frozen=True):
    """How often and how long to retry.

    The n-th pause is drawn from 0 … min(`longest`, `first`·2ⁿ) seconds, and is never shorter than what the
    server asked for ("full jitter": if all clients retried at the same moment, the server would go down again).
    """

    attempts: int = 10
    first: float = 0.5
    longest: float = 20.0
    longest_wish: float = 120.0

    def pause(self, failures: int, wish: float | None, draw: float) -> float:
        jitter: float = draw * min(self.longest, self.first * 2 ** (failures - 1))
        return jitter if wish is None else min(wish, self.longest_wish) + min(jitter, 1.0)


class AsksModel(Protocol):
    """Whoever asks a model: an `Asker`, or one that changes what is sent."""

    lag: LagMeter

    async def ask(self, request: ModelRequest, deadline: Deadline | None = None) -> ModelReply: ...


class Asker:
    """One provider, shared by all cases of a run. Counts retries."""

    def __init__(
        self,
        provider: Provider | None,
        concurrency: int,
        *,
        patience: Patience | None = None,
        seed: int = 0,
        lag: LagMeter | None = None,
        rate: TokenBucket | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        at_once = min(concurrency, getattr(provider, "at_once", concurrency))
        self.rate = rate
        self.provider = provider
        self.throttle = Throttle(at_once)
        self.lag = lag or LagMeter()
        self.retries = 0
        self._refusals = Refusals()
        self._patience = patience or Patience()
        self._sleep = sleep
        self._random = random.Random(seed)  # noqa: S311  spreads pauses; does not affect results

    async def ask(self, request: ModelRequest, deadline: Deadline | None = None) -> ModelReply:
        """The model's answer. Raises `ProviderError` when there is none after all retries or before the deadline, and
        `InfrastructureError`, which ends the run, when the provider rejects every request in the same way.

        A deadline that passes during the first attempt raises `TimeoutError`: the case took too long. Later, the
        provider failed and there was no time for another attempt.
        """
        return await self.attempt(partial(self._complete, request), deadline)

    async def attempt(self, work: Callable[[], Awaitable[T]], deadline: Deadline | None = None) -> T:
        """The result of `work`, retried as requests to a model are."""
        deadline = deadline or Deadline(None)
        failures = 0
        failed = None
        while True:
            try:
                reply = await self._once(work, deadline)
            except TimeoutError:
                raise failed or TimeoutError from None
            except ProviderError as error:
                if error.kind in OVERLOAD:
                    self.throttle.too_much()
                failures = failures + 1
                failed = error
                if not error.retryable or failures >= self._patience.attempts:
                    self._refusals.add(error)
                    raise
                self.retries += 1
                pause = self._patience.pause(failures, error.retry_after, self._random.random())
                left = deadline.left()
                if left is not None and pause >= left:
                    raise _no_time(error, deadline) from None
                await self._sleep(pause)
            else:
                self.throttle.went_well()
                self._refusals.answered = True
                return reply

    async def _once(self, work: Callable[[], Awaitable[T]], deadline: Deadline) -> T:
        waiting_since = deadline.now()
        if self.rate is not None:
            await self.rate.take()
        async with self.throttle:
            deadline.excuse(deadline.now() - waiting_since)
            if deadline.seconds is None:
                return await work()
            async with asyncio.timeout(deadline.left()):
                return await work()

    async def _complete(self, request: ModelRequest) -> ModelReply:
        assert self.provider is not None
        started = perf_counter()
        before = self.lag.so_far()
        reply = await self.provider.complete(request)
        if self.rate is not None:
            self.rate.count_tokens(reply.usage.tokens)
        lag = (self.lag.so_far() - before) * 1000
        # A latency that was recorded earlier is longer than the time it took to read it.
        if lag > 0 and (perf_counter() - started) * 1000 >= reply.latency_ms:
            reply = replace(reply, lag_ms=min(lag, reply.latency_ms))
        name = self.provider.name
        as_asked = reply.model in (name, name.partition(":")[2])
        return replace(reply, model="") if as_asked else reply


def _no_time(error: ProviderError, deadline: Deadline) -> ProviderError:
    wish = f" and asks to wait {error.retry_after:,.0f} s" if error.retry_after else ""
    return ProviderError(
        f"{error.problem}{wish}; not retried: the case is limited to {deadline.seconds:g} s",
        kind=error.kind,
        retryable=True,
        retry_after=error.retry_after,
        status=error.status,
    )
