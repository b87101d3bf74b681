"""Claims of many calls, handled together: committed in one transaction, and renewed by one thread.

In SQLite the commit is what costs. Leases are renewed from a thread, so that a tool that blocks the event loop does not
let them expire.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Any

from rightcall.tools.idempotency.owners import at_work
from rightcall.tools.idempotency.store import IdempotencyStore, StoreDownError


class GroupCommit:
    """Gathers the steps that calls want to take in one round of the event loop and commits them together.

    Each waiter continues only after the commit, so a step reported as done has been committed.
    """

    def __init__(self, store: IdempotencyStore) -> None:
        self._store = store
        self._waiting: list[tuple[asyncio.Future[Any], Callable[[], Any]]] = []

    async def take(self, step: Callable[[], Any]) -> Any:
        """Take one step, with whatever others are waiting; its result, or the exception it raised."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        self._waiting.append((future, step))
        if len(self._waiting) == 1:
            loop.call_soon(self._commit)
        try:
            return await future
        except asyncio.CancelledError:
            self._waiting = [waiting for waiting in self._waiting if waiting[0] is not future]
            raise

    def _commit(self) -> None:
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        try:
            results = self._store.together([step for _, step in waiting])
        except Exception as error:  # every waiter must be released
            results = [error] * len(waiting)
        for (future, _), result in zip(waiting, results, strict=True):
            if future.cancelled():
                continue
            if isinstance(result, Exception):
                future.set_exception(result)
            else:
                future.set_result(result)


class Heartbeat:
    """Renews leases while this process has claims that others can see.

    It matters only to other machines: on this one, owners are checked directly.
    """

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._lock = threading.Lock()
        self._beating = False

    def start(self) -> None:
        """Start, unless it is already running."""
        if self._beating:
            return
        with self._lock:
            if not self._beating:
                self._beating = True
                threading.Thread(target=self._beat, name="rightcall-heartbeat", daemon=True).start()

    def _beat(self) -> None:
        pause = threading.Event()
        while True:
            pause.wait(self._every_s)
            owners = at_work()
            if not owners:
                self._beating = False
                if not at_work():  # a claim made in between has seen it beating
                    return
                self._beating = True
                continue
            while owners:
                owner = owners.pop()  # drop the reference: keeping it would keep the owner alive
                with contextlib.suppress(
                    StoreDownError
                ):  # the next beat tries again; finishing will report it
                    if owner.renew is not None:
                        owner.renew()
                del owner
