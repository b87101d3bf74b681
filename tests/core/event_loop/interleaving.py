"""Threads that run one at a time, in an order that a seed decides: a race or a deadlock is found and found again.

A thread gives way before and after each use of a lock, event, condition or event loop. Time stands still until nothing else can run,
so that limits of time never make a result depend on the machine.
"""

from __future__ import annotations

import asyncio
import random
import selectors
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

MOST_STEPS = 20_000


class StuckError(BaseException):
    """No thread can go on, or they go on for ever."""


class Interleaving:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.now = 0.0
        self._steps = 0
        self._turns: dict[threading.Thread, threading.Semaphore] = {}
        self._waits: dict[threading.Thread, tuple[Callable[[], Any], float]] = {}
        self._spawned: list[threading.Thread] = []
        self.errors: list[BaseException] = []
        self.stuck = False
        self.threading = SimpleNamespace(
            Lock=lambda: _Lock(self),
            Event=lambda: _Event(self),
            current_thread=threading.current_thread,
            main_thread=threading.main_thread,
        )

    def run(self, *jobs: Callable[[], None]) -> None:
        """Run each in a thread until all have ended; raises the first error that one raised."""
        threads = [threading.Thread(target=self._work, args=(job,)) for job in jobs]
        for thread in threads:
            self._turns[thread] = threading.Semaphore(0)
            self._waits[thread] = (lambda: True, 0.0)
        for thread in threads:
            thread.start()
        self._pass_on()
        for thread in (*threads, *self._spawned):
            thread.join()
        if self.errors:
            raise self.errors[0]

    def pause(self, ready: Callable[[], Any] = lambda: True, seconds: float | None = None) -> bool:
        """Let others run until `ready`, or until the time is over: false."""
        thread = threading.current_thread()
        if thread not in self._turns:  # the test itself, before or after
            return bool(ready())
        self._waits[thread] = (ready, float("inf") if seconds is None else self.now + seconds)
        self._pass_on()
        self._turns[thread].acquire()
        if self.stuck:
            raise StuckError
        return bool(ready())

    def spawn(self, job: Callable[[], None]) -> threading.Thread:
        """One more thread, from one of them."""
        thread = threading.Thread(target=self._work, args=(job,))
        self._turns[thread] = threading.Semaphore(0)
        self._waits[thread] = (lambda: True, 0.0)
        thread.start()
        self._spawned.append(thread)
        return thread

    def chance(self) -> bool:
        return self._random.random() < 0.5

    def others(self) -> int:
        """How many other threads have not ended."""
        return len(self._waits) - 1

    def _work(self, job: Callable[[], None]) -> None:
        thread = threading.current_thread()
        self._turns[thread].acquire()
        try:
            for _ in range(self._random.randrange(40)):  # some begin when others are at work
                self.pause()
            job()
        except BaseException as error:
            self.errors.append(error)
        finally:
            del self._waits[thread]
            self._pass_on()

    def _pass_on(self) -> None:
        self._steps += 1
        if not self._waits:
            return
        able = [] if self._steps > MOST_STEPS else self._able()
        if not able:
            self.stuck = True
            able = list(self._waits)
        self._turns[self._random.choice(able)].release()

    def _able(self) -> list[threading.Thread]:
        able = [thread for thread, (ready, until) in self._waits.items() if ready() or until <= self.now]
        if able:
            return able
        self.now = min(until for _, until in self._waits.values())
        return [thread for thread, (_, until) in self._waits.items() if until <= self.now < float("inf")]


class _Lock:
    def __init__(self, order: Interleaving) -> None:
        self.order = order
        self.owner = None
        self.depth = 0

    def __enter__(self) -> None:
        if self.owner is not threading.current_thread():
            self.order.pause(lambda: self.owner is None)
        self.owner = threading.current_thread()
        self.depth = self.depth + 1

    def __exit__(self, *error: object) -> None:
        self.depth -= 1
        if not self.depth:
            self.owner = None
            if not self.order.stuck:
                self.order.pause()


class _Event:
    def __init__(self, order: Interleaving) -> None:
        self.order = order
        self.flag = False

    def set(self) -> None:
        self.flag = True
        self.order.pause()

    def is_set(self) -> bool:
        return self.flag

    def wait(self, seconds: float | None = None) -> bool:
        return self.order.pause(lambda: self.flag, seconds)


class _Selector(selectors.DefaultSelector):
    order: Interleaving

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select
        self.order.pause(lambda: ready(0), timeout)
        return ready(0)


class _Loop(asyncio.SelectorEventLoop):
    """With `stops_late` it stops as uvloop does: other callbacks go first, and a second stop is left for the next run."""

    def __init__(self, order: Interleaving, *, stops_late: bool) -> None:
        selector = _Selector()
        selector.order = self.order = order
        self._stops_late = stops_late
        super().__init__(selector)

    def stop(self) -> None:
        if self._stops_late:
            self.call_soon(super().stop)
        else:
            super().stop()

    def time(self) -> float:
        return self.order.now

    def call_soon_threadsafe(self, *args: Any, **options: Any) -> Any:
        handle = super().call_soon_threadsafe(*args, **options)
        self.order.pause()
        return handle


@contextmanager
def interleaved(seed: int, monkeypatch: Any) -> Iterator[Interleaving]:
    """The threads of one order, whose loops are its own."""
    from rightcall.core import event_loop
    from rightcall.core.event_loop import kept_loop, worker_threads

    order = Interleaving(seed)
    with monkeypatch.context() as patch:
        patch.setattr(kept_loop, "threading", order.threading)
        patch.setattr(worker_threads, "threading", order.threading)
        patch.setattr(event_loop, "_new_loop", lambda: _Loop(order, stops_late=seed % 2 == 1))
        yield order
