"""Writes results to the store in batches; a result counts once it is on disk."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Self

from msgspec import structs

from rightcall.core.errors import StoreError
from rightcall.records.run import CaseResult
from rightcall.store.address import Persistence
from rightcall.store.base import Key
from rightcall.store.sql.run_writer import RunWriter
from rightcall.store.sql.store import Store

BATCH = 100
LONGEST_WAIT = 0.05


def store_batch(store: Store, writer: RunWriter, batch: Sequence[CaseResult]) -> Sequence[CaseResult]:
    """Write a batch, and return each result as stored: an existing one counts, not the new one.

    A key already exists when the connection broke during a commit that succeeded, and the batch is written again.
    """
    new = writer.add(batch)
    if len(new) == len(batch):
        return batch
    there = store.runs.results_of(
        writer.run_id, [key for result in batch if (key := _key(result)) not in new]
    )
    return [
        structs.replace(there[_key(mine)], cluster=mine.cluster, tags=mine.tags)
        if _key(mine) in there
        else mine
        for mine in batch
    ]


def _key(result: CaseResult) -> Key:
    return result.golden_id, result.trial


class Sink:
    """Takes results from concurrent cases and writes them from one thread.

    A batch is written when it is full or its first result has waited `LONGEST_WAIT` seconds. It is kept until it is
    stored; then `written` is called with what `write` returned, or with the batch if that was None. Putting a result
    into a full sink waits, so memory stays bounded while a store is slow or failing. When `persist` gives up, or
    `written` raises, the sink is broken: `broken` is called once with the error, and every later put raises it.
    """

    def __init__(
        self,
        write: Callable[[Sequence[CaseResult]], Sequence[CaseResult] | None],
        written: Callable[[Sequence[CaseResult]], None],
        *,
        broken: Callable[[Exception], None] = lambda error: None,
        persist: Persistence | None = None,
    ) -> None:
        self._write = write
        self._written = written
        self._broken = broken
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
            await self.flush(least=BATCH)
        self._flush_later()

    async def flush(self, *, least: int = 1) -> None:
        """Write all pending results; they are on disk when this returns.

        Fewer than `least` are left for the next batch. Of many cases that wait for one write, the first then writes
        what came meanwhile, and the others do not write a few results each.
        """
        async with self._writing:
            if self._error is not None:
                raise self._error
            if len(self._batch) < least:
                return
            self._cancel_timer()
            try:
                if batch := await self._store_pending():
                    self._written(batch)
            except Exception as error:
                self._error = error
                self._broken(error)
                raise

    async def _store_pending(self) -> Sequence[CaseResult]:
        """Write pending results, and drop them only once stored."""
        if not self._batch:
            return ()
        batch = tuple(self._batch)
        loop = asyncio.get_running_loop()
        # Shielded: cancelling a waiting case must not lose the results of others. The batch is
        # then still pending and is written again by the next caller, which is idempotent.
        stored = await asyncio.shield(
            loop.run_in_executor(self._thread, self._persist, lambda: self._write(batch))
        )
        del self._batch[: len(batch)]
        return batch if stored is None else stored

    def _flush_later(self) -> None:
        """See that pending results are written soon, whether or not more of them come."""
        if self._batch and self._timer is None and self._late is None:
            self._timer = asyncio.get_running_loop().call_later(LONGEST_WAIT, self._begin_flush)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

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
        self._flush_later()  # results that arrived during the write

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Store finished results even if the run was interrupted; in that case, do not wait for a failing store."""
        if error is not None:
            self._persist.hurry()
        try:
            if self._late is not None:
                await self._late
            if error is None or self._error is None:
                await self.flush()
            elif not isinstance(self._error, StoreError):  # the watcher is gone, but the store works
                await self._store_pending()
        except Exception:
            if error is None:
                raise
        finally:
            self._cancel_timer()
            self._thread.shutdown()
