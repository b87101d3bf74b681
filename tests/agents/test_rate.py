"""A rate limit holds, however many tasks share it."""

import asyncio

import pytest
from hypothesis import given, strategies as st

from rightcall.providers.rate_limit import RateLimit, TokenBucket


class Clock:
    """Time that passes only during sleeps."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    async def sleep(self, seconds):
        self.now += seconds
        await asyncio.sleep(0)


def sent_in(seconds, rate, tokens=0, share=1.0):
    """How many requests one sender gets through."""

    async def send():
        clock = Clock()
        bucket = TokenBucket(rate, clock=clock, sleep=clock.sleep)
        count = 0
        bucket.resize(share)
        while True:
            await bucket.take()
            if clock.now > seconds:
                return count
            count += 1
            bucket.count_tokens(tokens)

    return asyncio.run(send())


@pytest.mark.parametrize("per_minute", [6, 60, 600, 6000])
def test_requests_come_at_the_rate_within_five_percent(per_minute):
    assert sent_in(600, RateLimit(requests_per_minute=per_minute)) == pytest.approx(10 * per_minute, rel=0.05)


def test_tokens_come_at_their_rate_even_when_one_reply_has_many():
    assert sent_in(600, RateLimit(tokens_per_minute=10_000), tokens=2_500) == pytest.approx(40, abs=2)


@pytest.mark.stories
@given(st.integers(1, 8), st.sampled_from([60, 300, 6000]))
def test_shares_never_exceed_the_whole(workers, per_minute):
    rate = RateLimit(requests_per_minute=per_minute)
    together = sum(sent_in(300, rate, share=1 / workers) for _ in range(workers))
    assert together <= 5 * per_minute * 1.05 + workers
    assert together >= 5 * per_minute * 0.95 - workers
