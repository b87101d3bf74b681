"""Retries: only what may succeed later, with jitter, and as long as the server asks for."""

import asyncio

import pytest
from hypothesis import given, strategies as st

from rightcall.agents.limits import Deadline
from rightcall.agents.model_retries import Asker, Patience
from rightcall.core.errors import ProviderError
from rightcall.providers.base import ModelReply, ModelRequest, Prompt
from rightcall.records import Message

REQUEST = ModelRequest(Prompt(), (Message("user", "hello"),))


class Flaky:
    """Fails with these errors, one after the other, then answers."""

    name = "flaky"

    def __init__(self, *errors: ProviderError) -> None:
        self.errors = list(errors)
        self.asked = 0

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return ModelReply(Message("assistant", "hi"))


def ask(provider, **options):
    """The reply, and the pauses that were made on the way to it."""
    pauses: list[float] = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)

    asker = Asker(provider, 8, sleep=sleep, **options)
    return asyncio.run(asker.ask(REQUEST)), pauses, asker


def limited(retry_after: float | None = None) -> ProviderError:
    return ProviderError("slow down", kind="rate_limit", retryable=True, retry_after=retry_after)


def test_a_retryable_failure_is_tried_again():
    reply, pauses, asker = ask(Flaky(limited(), limited()))
    assert reply.message.content == "hi"
    assert len(pauses) == asker.retries == 2


def test_what_cannot_succeed_later_is_not_tried_again():
    provider = Flaky(ProviderError("no such model", kind="rejected"))
    with pytest.raises(ProviderError, match="no such model"):
        ask(provider)
    assert provider.asked == 1


def test_patience_ends():
    provider = Flaky(*(limited() for _ in range(99)))
    with pytest.raises(ProviderError, match="slow down"):
        ask(provider, patience=Patience(attempts=4))
    assert provider.asked == 4


def test_the_servers_own_wish_is_honoured():
    _, pauses, _ = ask(Flaky(limited(retry_after=7.0)))
    assert 7.0 <= pauses[0] <= 8.0


def test_overload_lowers_how_many_are_asked_at_once():
    _, _, asker = ask(Flaky(limited()))
    assert asker.throttle.limit < 8


@given(st.integers(1, 20), st.floats(0, 1))
def test_pauses_are_never_longer_than_the_longest(failures, draw):
    patience = Patience()
    assert (
        0
        <= patience.pause(failures, None, draw)
        <= min(patience.longest, patience.first * 2 ** (failures - 1))
    )


def test_a_try_that_outlasts_the_case_is_the_cases_own_timeout():
    class Slow:
        name = "slow"

        async def complete(self, request):
            await asyncio.sleep(60)

    with pytest.raises(TimeoutError):
        asyncio.run(Asker(Slow(), 1).ask(REQUEST, Deadline(0.01)))


def test_a_wait_longer_than_the_case_has_is_not_waited_for():
    provider = Flaky(limited(retry_after=3600.0))
    with pytest.raises(ProviderError, match=r"asks to wait 3,600 s; not retried: the case is limited to 8 s"):
        asyncio.run(Asker(provider, 1).ask(REQUEST, Deadline(8)))
    assert provider.asked == 1


def test_short_pauses_add_up_until_the_case_is_over():
    clock = [0.0]
    pauses = []

    async def sleep(seconds: float) -> None:
        pauses.append(seconds)
        clock[0] += seconds

    provider = Flaky(*(limited(retry_after=3.0) for _ in range(9)))
    with pytest.raises(ProviderError, match="slow down"):
        asyncio.run(Asker(provider, 1, sleep=sleep).ask(REQUEST, Deadline(10, lambda: clock[0])))
    assert sum(pauses) <= 10
