"""Results on their way to the store: in batches, and only counted once they are on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

from rightcall.model.run import CaseResult

BATCH = 100
LONGEST_WAIT = 0.02


class Sink:
    """Takes results from many cases at once and writes them from one thread.

    A batch goes out when it is full or its first result has waited `LONGEST_WAIT` seconds. `written` is told of
    each batch after it is stored. Whoever puts a result into a full sink waits, so memory stays bounded.
    """

    def __init__(
        self,
        write: Callable[[Sequence[CaseResult]], object],
        written: Callable[[Sequence[CaseResult]], Awaitable[None] | None],
    ) -> None:
        self._write, self._written = write, written
        self._batch: list[CaseResult] = []
        self._writing = asyncio.Lock()
        self._thread = ThreadPoolExecutor(1, "rightcall-store")
        self._timer: asyncio.TimerHandle | None = None
        self._late: asyncio.Task[None] | None = None

    async def put(self, result: CaseResult) -> None:
        self._batch.append(result)
        if len(self._batch) >= BATCH:
            await self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(LONGEST_WAIT, self._begin_flush)

    async def flush(self) -> None:
        """Write what is there; all of it is on disk when this returns."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        async with self._writing:
            batch, self._batch = self._batch, []
            if batch:
                loop = asyncio.get_running_loop()
                await asyncio.shield(loop.run_in_executor(self._thread, self._write, batch))
                told = self._written(batch)
                if told is not None:
                    await told

    def _begin_flush(self) -> None:
        self._timer = None
        self._late = asyncio.create_task(self.flush())

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """What finished is stored even when the run was interrupted."""
        try:
            if self._late is not None:
                await asyncio.gather(self._late, return_exceptions=error is not None)
            await self.flush()
        finally:
            self._thread.shutdown()
