"""In whatever order threads go on: each gets its result, none waits forever, and a caller's code never runs in a worker."""

from __future__ import annotations

import asyncio
import threading

import pytest

from rightcall.core import event_loop
from rightcall.core.event_loop import run_blocking
from rightcall.core.event_loop.worker_threads import BorrowedLoop
from tests.core.event_loop.interleaving import Interleaving, interleaved


async def thread_of(value: object) -> tuple[object, threading.Thread]:
    await asyncio.sleep(0)
    return value, threading.current_thread()


def calls_during_closings(order: Interleaving) -> None:
    over: list[bool] = []

    def work() -> None:
        while not over:
            loop, value = BorrowedLoop(), object()
            try:
                while True:
                    assert loop.run_until_complete(thread_of(value))[0] is value
            except asyncio.CancelledError:
                pass
            except RuntimeError as error:
                assert str(error) == "Event loop is closed"

    def close() -> None:
        for _ in range(4):
            event_loop.close()
        over.append(True)
        while order.others():
            event_loop.close()
            order.pause()

    order.run(work, work, close)


def callers_and_workers(order: Interleaving) -> None:
    callers: set[threading.Thread] = set()
    drivers: set[threading.Thread] = set()

    def call() -> None:
        callers.add(threading.current_thread())
        for number in range(3):
            value, thread = run_blocking(thread_of(number))
            assert value == number
            drivers.add(thread)

    def work() -> None:
        loop = BorrowedLoop()
        for number in range(5):
            assert loop.run_until_complete(thread_of(number))[0] == number

    order.run(call, work, call, work)
    assert drivers <= callers


def calls_that_wait_for_each_other(order: Interleaving) -> None:
    arrivals: list[asyncio.Future[None]] = []

    async def meet() -> None:
        arrivals.append(asyncio.get_running_loop().create_future())
        if len(arrivals) < 4:
            await arrivals[-1]
        assert {future.get_loop() for future in arrivals} == {asyncio.get_running_loop()}
        for future in arrivals:
            if not future.done():
                future.set_result(None)

    def call() -> None:
        run_blocking(meet())

    def work() -> None:
        BorrowedLoop().run_until_complete(meet())

    order.run(call, work, call, work)


@pytest.mark.parametrize(
    "seeds", [range(12), pytest.param(range(12, 500), marks=pytest.mark.nightly)], ids=str
)
@pytest.mark.parametrize(
    "scenario", [calls_during_closings, callers_and_workers, calls_that_wait_for_each_other]
)
def test_every_call_ends_in_every_order_of_threads(scenario, seeds, monkeypatch):
    for seed in seeds:
        with interleaved(seed, monkeypatch) as order:
            scenario(order)
