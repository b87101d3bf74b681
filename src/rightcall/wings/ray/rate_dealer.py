"""Shares of a rate, one per worker, redistributed as workers come, go and need more or less."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from rightcall.models.rate_limit import RateLimit
from rightcall.wings.ray.message import RateShare
from rightcall.wings.ray.seat import Seat

DEAL_SECONDS = 5.0
HEARD_SECONDS = 2.0
"""How long a worker may take to learn that its share was reduced, before others get more."""

LOOK_SECONDS = 2.0
"""How long a worker is observed before its demand is known."""

HEADROOM = 1.25
LEAST = 0.1
"""The part of an even share that an idle worker keeps, so that it can start again."""

SAME = 1e-3


def rate_shares(demands: Sequence[float | None]) -> list[float]:
    """The shares: no worker gets more than it wants while another wants more. None means as much as possible.

    What is left over is split evenly. The sum is never more than 1.
    """
    shares, left = [0.0] * len(demands), 1.0
    asking = sorted(
        range(len(demands)), key=lambda i: float("inf") if demands[i] is None else demands[i] or 0.0
    )
    for taken, i in enumerate(asking):
        fair, most = left / (len(asking) - taken), demands[i]
        shares[i] = fair if most is None else min(fair, max(0.0, most))
        left -= shares[i]
    more = max(0.0, left) / len(demands) if demands else 0.0
    return [share + more for share in shares]


class RateDealer:
    """Sends workers their shares. A share is reduced before another is raised."""

    def __init__(self, rate: RateLimit, tell: Callable[[Seat, RateShare], Awaitable[None]]) -> None:
        self._rate, self._tell = rate, tell
        self._turn = asyncio.Lock()

    async def keep_dealing(self, seats: Callable[[], Sequence[Seat]]) -> None:
        """Deal every few seconds, until cancelled."""
        while True:
            await self.deal(seats())
            await asyncio.sleep(DEAL_SECONDS)

    async def deal(self, seats: Sequence[Seat]) -> None:
        async with self._turn:
            new = rate_shares([self._demand(seat, len(seats)) for seat in seats])
            pairs = zip(seats, new, strict=True)
            changed = [(seat, share) for seat, share in pairs if abs(share - seat.rate_share) > SAME]
            less = [(seat, share) for seat, share in changed if share < seat.rate_share]
            heard = await asyncio.gather(*(self._tell_share(seat, share) for seat, share in less))
            if all(heard):
                more = [(seat, share) for seat, share in changed if share > seat.rate_share]
                await asyncio.gather(*(self._tell_share(seat, share) for seat, share in more))

    async def _tell_share(self, seat: Seat, share: float) -> bool:
        """Send a worker its share; False if it may still be using a larger one. A lost worker has none."""
        worker = seat.worker
        if worker is None:
            return True
        try:
            async with asyncio.timeout(HEARD_SECONDS):
                await self._tell(seat, RateShare(share))
        except TimeoutError:
            return share > seat.rate_share
        if seat.worker is worker:
            seat.rate_share = share
        return True

    def _demand(self, seat: Seat, workers: int) -> float | None:
        """The share that a worker could use; None when it is limited by its share, or its demand is unknown."""
        now, reported = asyncio.get_running_loop().time(), seat.reported
        if reported.waiting or self._rate.requests_per_minute is None or not seat.dealt:
            demand = None
        elif now - seat.dealt < LOOK_SECONDS:
            return seat.wanted
        else:
            asked = (reported.requests - seat.requests) / (now - seat.dealt) * 60
            demand = max(asked / self._rate.requests_per_minute * HEADROOM, LEAST / workers)
        seat.requests, seat.dealt, seat.wanted = reported.requests, now, demand
        return demand
