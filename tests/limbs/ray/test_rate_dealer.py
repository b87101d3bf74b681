"""Shares of a rate: never more than the whole, less for one before more for another."""

import asyncio

import pytest

from rightcall.limbs.ray.crew import RateDealer, Seat


def seat(number, share):
    return Seat(number, worker=f"w{number}", rate_share=share)


def test_shares_become_even_and_are_never_more_than_the_whole():
    seats = [seat(0, 0.75), seat(1, 0.25), seat(2, 0.0)]
    order = []

    async def tell(one, message):
        order.append(one.number)
        assert sum(s.rate_share for s in seats) <= 1.0

    asyncio.run(RateDealer(tell).deal(seats))
    assert order[0] == 0 and sorted(order) == [0, 1, 2]
    assert [one.rate_share for one in seats] == pytest.approx([1 / 3] * 3)


def test_while_one_has_not_heard_that_it_has_less_no_other_gets_more(monkeypatch):
    monkeypatch.setattr("rightcall.limbs.ray.crew.HEARD_SECONDS", 0.01)
    seats = [seat(0, 1.0), seat(1, 0.0)]

    async def tell(one, message):
        if one.number == 0:
            await asyncio.Event().wait()

    asyncio.run(RateDealer(tell).deal(seats))
    assert [one.rate_share for one in seats] == [1.0, 0.0]
