"""Results on their way to the store: in batches, and only counted once they are on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

from rightcall.errors import StoreError
from rightcall.model.run import CaseResult
from rightcall.store import Persistence

BATCH = 100
LONGEST_WAIT = 0.02


class Sink:
    """Takes results from many cases at once and writes them from one thread.

    A batch goes out when it is full or its first result has waited `LONGEST_WAIT` seconds. It is kept until it is
    stored, and `written` is called afterwards. Whoever puts a result into a full sink waits, so memory stays bounded
    while a store is slow or failing. When `persist` gives up, or `written` raises, the sink is broken: `broken` is
    called once with the error, and so is everybody who puts another result.
    """

    def __init__(
        self,
        write: Callable[[Sequence[CaseResult]], object],
        written: Callable[[Sequence[CaseResult]], None],
        *,
        broken: Callable[[Exception], None] = lambda error: None,
        persist: Persistence | None = None,
    ) -> None:
        self._write, self._written, self._broken = write, written, broken
        self._persist = persist or Persistence()
        self._batch: list[CaseResult] = []
        self._writing = asyncio.Lock()
        self._thread = ThreadPoolExecutor(1, "rightcall-store")
        self._timer: asyncio.TimerHandle | None = None
        self._late: asyncio.Task[None] | None = None
        self._error: Exception | None = None

    async def put(self, result: CaseResult) -> None:
        if self._error is not None:
            raise self._error
        self._batch.append(result)
        if len(self._batch) >= BATCH:
            await self.flush()
        elif self._timer is None and self._late is None:
            self._timer = asyncio.get_running_loop().call_later(LONGEST_WAIT, self._begin_flush)

    async def flush(self) -> None:
        """Write what is there; all of it is on disk when this returns."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        async with self._writing:
            if self._error is not None:
                raise self._error
            try:
                if batch := await self._stored():
                    self._written(batch)
            except Exception as error:
                self._error = error
                self._broken(error)
                raise

    async def _stored(self) -> Sequence[CaseResult]:
        """Write what is there, and only then forget it."""
        if not self._batch:
            return ()
        batch, loop = tuple(self._batch), asyncio.get_running_loop()
        # Shielded: a case that is cancelled while it waits does not take the results of others with it. The batch is
        # then still here, and is written a second time by whoever comes next, which changes nothing.
        await asyncio.shield(loop.run_in_executor(self._thread, self._persist, lambda: self._write(batch)))
        del self._batch[: len(batch)]
        return batch

    def _begin_flush(self) -> None:
        self._timer = None
        self._late = asyncio.create_task(self._flush_late())

    async def _flush_late(self) -> None:
        try:
            await self.flush()
        except Exception:
            return  # kept in `_error`, and `broken` has been called
        finally:
            self._late = None
        if self._batch and self._timer is None:  # what came while this was being written
            self._timer = asyncio.get_running_loop().call_later(LONGEST_WAIT, self._begin_flush)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """What finished is stored even when the run was interrupted; then nobody waits for a store that fails."""
        if error is not None:
            self._persist.hurry()
        try:
            if self._late is not None:
                await self._late
            if error is None or self._error is None:
                await self.flush()
            elif not isinstance(self._error, StoreError):  # whoever was told is gone, but the store is there
                await self._stored()
        except Exception:
            if error is None:
                raise
        finally:
            self._thread.shutdown()
