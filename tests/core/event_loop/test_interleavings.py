"""In whatever order threads go on: each gets its result or is refused, none waits forever, and callers run their loops."""

from __future__ import annotations

import asyncio
import threading

import pytest

from rightcall.core import event_loop
from rightcall.core.event_loop import run_blocking
from rightcall.core.event_loop.kept_loop import Call, idle_loop
from rightcall.core.event_loop.worker_threads import LentLoop
from tests.core.event_loop.interleaving import Interleaving, interleaved


async def thread_of(value: object) -> tuple[object, threading.Thread]:
    await asyncio.sleep(0)
    return value, threading.current_thread()


def worker(order: Interleaving, lent: LentLoop, calls: int) -> None:
    """As a synchronous agent in a thread; its work may be refused when nobody waits for it any more."""
    with lent.lend():
        for number in range(calls):
            try:
                assert run_blocking(thread_of(number))[0] == number
            except asyncio.CancelledError:
                return
            finally:
                order.pause()


def agents_and_callers(order: Interleaving) -> None:
    """Each caller runs its own loop, for itself and for the agent that it waits for or has left."""

    def call() -> None:
        for left_early in (True, False):
            value, thread = run_blocking(with_agent(left_early))
            assert (value, thread) == (7, threading.current_thread())

    async def with_agent(left_early: bool) -> tuple[object, threading.Thread]:
        lent = LentLoop(asyncio.get_running_loop())
        loop = asyncio.get_running_loop()
        over = asyncio.Event()

        def agent() -> None:
            worker(order, lent, 4)
            if not left_early:
                loop.call_soon_threadsafe(over.set)

        order.spawn(agent)
        if not left_early:
            await over.wait()
        elif order.chance():
            lent.abandon()
        return await thread_of(7)

    order.run(call, call)


def calls_that_are_cancelled(order: Interleaving) -> None:
    calls: list[Call[int]] = []

    async def waits() -> int:
        await asyncio.sleep(1000)
        return 1

    def call() -> None:
        for _ in range(3):
            kept = idle_loop(event_loop._new_loop)
            waiting = Call(waits())
            calls.append(waiting)
            order.pause()
            with pytest.raises(asyncio.CancelledError):
                kept.run(waiting)

    def cancel() -> None:
        while order.others():
            while calls:
                calls.pop().cancel()
            order.pause()

    order.run(call, cancel)


@pytest.mark.parametrize(
    "seeds", [range(12), pytest.param(range(12, 500), marks=pytest.mark.nightly)], ids=str
)
@pytest.mark.parametrize("scenario", [agents_and_callers, calls_that_are_cancelled])
def test_every_call_ends_in_every_order_of_threads(scenario, seeds, monkeypatch):
    for seed in seeds:
        with interleaved(seed, monkeypatch) as order:
            scenario(order)
