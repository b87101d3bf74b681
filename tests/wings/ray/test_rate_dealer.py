"""Shares of a rate: never more than the whole, all of it where it is wanted, less for one before more for another."""

import asyncio

import pytest
from hypothesis import given, strategies as st

from rightcall.models.rate_limit import RateLimit
from rightcall.wings.ray.crew import LOOK_SECONDS, RateDealer, rate_shares
from rightcall.wings.ray.message import Sent
from rightcall.wings.ray.seat import Seat


@given(st.lists(st.none() | st.floats(0, 5), min_size=1, max_size=12))
def test_shares_add_up_and_no_worker_lacks_what_another_does_not_need(wanted):
    found = rate_shares(wanted)
    assert sum(found) == pytest.approx(1.0)
    more = max(0.0, 1 - sum(want for want in wanted if want is not None)) / len(wanted)
    hungry = [share for share, want in zip(found, wanted, strict=True) if want is None or share < want]
    for share, want in zip(found, wanted, strict=True):
        if want is not None and share > want + 1e-9:
            assert not hungry and share == pytest.approx(want + more)
    assert not hungry or max(found) <= min(hungry) + 1e-9


def dealt(seats, told, rate=600, seconds=10.0):
    async def deal():
        now = asyncio.get_running_loop().time()
        for seat in seats:
            seat.dealt = now - seconds if seat.dealt else 0.0
        await RateDealer(RateLimit(requests_per_minute=rate), told).deal(seats)

    asyncio.run(deal())


def seat(number, requests, waiting, share):
    return Seat(
        number,
        worker=f"w{number}",
        rate_share=share,
        dealt=1.0,
        reported=Sent(requests=requests, waiting=waiting),
    )


def test_who_waits_gets_what_another_does_not_use_once_that_one_has_heard_of_it():
    seats, order = [seat(0, 10, 0, 0.5), seat(1, 50, 7, 0.5)], []

    async def tell(one, message):
        order.append((one.number, message.share))
        assert sum(s.rate_share for s in seats) <= 1.0

    assert LOOK_SECONDS < 10
    dealt(seats, tell)  # the first asked once a second of ten
    assert [number for number, _ in order] == [0, 1]
    assert seats[0].rate_share == pytest.approx(0.125, rel=0.01) and seats[1].rate_share == pytest.approx(
        0.875, rel=0.01
    )


def test_while_one_has_not_heard_that_it_has_less_no_other_gets_more(monkeypatch):
    monkeypatch.setattr("rightcall.wings.ray.crew.HEARD_SECONDS", 0.01)
    seats = [seat(0, 10, 0, 0.5), seat(1, 50, 7, 0.5)]

    async def tell(one, message):
        if one.number == 0:
            await asyncio.Event().wait()

    dealt(seats, tell)
    assert [one.rate_share for one in seats] == [0.5, 0.5]
