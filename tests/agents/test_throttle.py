"""Concurrency adapts to what the provider can handle."""

import asyncio

from hypothesis import given, strategies as st

from rightcall.agents.model_retries import Throttle


@given(st.integers(1, 20), st.lists(st.sampled_from(["well", "too much"]), max_size=200))
def test_the_limit_stays_between_one_and_the_most(most, events):
    throttle = Throttle(most)
    for event in events:
        throttle.went_well() if event == "well" else throttle.too_much()
        assert 1 <= throttle.limit <= most


def test_a_complaint_halves_the_limit_and_success_brings_it_back():
    throttle = Throttle(16)
    throttle.too_much()
    assert throttle.limit == 8
    for _ in range(8 + 9):
        throttle.went_well()
    assert throttle.limit == 10


def test_complaints_about_requests_already_under_way_count_once():
    throttle = Throttle(16)
    throttle.active = 16
    for _ in range(16):
        throttle.too_much()
    assert throttle.limit == 8


def test_never_more_are_under_way_than_the_limit_says():
    async def run() -> int:
        throttle = Throttle(3)
        most_seen = 0
        under_way = 0

        async def one() -> None:
            nonlocal most_seen, under_way
            async with throttle:
                under_way += 1
                most_seen = max(most_seen, under_way)
                await asyncio.sleep(0)
                under_way -= 1

        await asyncio.gather(*(one() for _ in range(50)))
        return most_seen

    assert asyncio.run(run()) == 3


def test_a_cancelled_request_gives_its_turn_to_the_next():
    async def run() -> str:
        throttle = Throttle(1)
        await throttle.__aenter__()

        async def wait_for_turn() -> str:
            async with throttle:
                return "had its turn"

        first = asyncio.create_task(wait_for_turn())
        second = asyncio.create_task(wait_for_turn())
        await asyncio.sleep(0)
        await throttle.__aexit__(None, None, None)  # the turn goes to the first …
        first.cancel()  # … which no longer wants it
        return await asyncio.wait_for(second, 300)

    assert asyncio.run(run()) == "had its turn"
