"""Group commit: steps of many calls in one transaction, because in SQLite the commit is what costs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from rightcall.tools.idempotency.store import IdempotencyStore


class GroupCommit:
    """Gathers the steps that calls want to take in one round of the event loop and commits them together.

    Each waiter goes on only after the commit, so a step reported as done has been committed.
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
