"""The trials of a run: asked for, run on a backend, and stored before whoever asked sees them.

`run` asks for everything, `check` for one wave after the other.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from functools import cached_property, partial
from typing import Any

import msgspec

from rightcall.core.codec import encode
from rightcall.core.errors import ConfigError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.seam import load
from rightcall.decide.rule_source import Facts
from rightcall.records.golden import AnyGolden
from rightcall.records.run import CaseResult, Run, Summary
from rightcall.run.backend import Backend, Batch, Cell, InProcess, RunWork
from rightcall.run.gate_evidence import results_of_run
from rightcall.run.plan import evidence_names
from rightcall.run.preparation import Prepared
from rightcall.run.run_record import REPLAYED, golden_set_name
from rightcall.run.sink import Sink, store_batch
from rightcall.run.watched_inputs import INTERRUPTED, watch_of_run, with_texts
from rightcall.store.address import Persistence
from rightcall.store.base import Key, changes
from rightcall.store.sql.run_writer import RunWriter
from rightcall.store.sql.store import Store
from rightcall.tools.idempotency.key_location import run_keys

TURNS_TO_SEND = 10
"""Turns of the event loop in which the first requests are sent: tasks start, connect and write."""


def resumable(store: Store, run_id: str, now: Run) -> Run:
    """The stored run to continue; an error if its setup is not the one of now."""
    stored = store.runs.get(run_id)
    if different := changes(stored.run, now):
        raise ConfigError(f"run {stored.id} cannot be resumed, because its setup has changed:", *different)
    return stored.run


@asynccontextmanager
async def open_trials(
    prepared: Prepared,
    store: Store,
    run: Run,
    *,
    resumed: bool,
    planned: int,
    persist: Persistence | None = None,
    backend: Backend | None = None,
    goldens: Sequence[AnyGolden] | None = None,
) -> AsyncIterator[Trials]:
    """The trials of a run that begins, or is resumed without its errors. `goldens` are stored [default: all].

    Leaving it ends what is in progress and stores what has finished.
    """
    backend = backend or InProcess(prepared.session)
    await backend.open()  # before the run is recorded
    if resumed:
        writer = store.runs.resume(run.id)
        writer.drop_errors()
        resumed = store.runs.get(run.id).results > 0
    else:
        writer = store.runs.begin(run, planned=planned, documents=prepared.documents)
    trials = Trials(prepared, store, run, writer, backend, persist=persist or Persistence(), resumed=resumed)
    prepared.session.begin(run.id, lambda: run_keys(store.file, store.url, scrubber()))
    try:
        async with trials.sink, trials.storing(goldens):
            yield trials
    finally:
        trials.keep_watched()


class Trials:
    """Asks a backend for trials of one run, one ask at a time. `spent` counts trials that `ask_all` was asked for."""

    def __init__(
        self,
        prepared: Prepared,
        store: Store,
        run: Run,
        writer: RunWriter,
        backend: Backend,
        *,
        persist: Persistence,
        resumed: bool,
    ) -> None:
        self.prepared = prepared
        self.store = store
        self.run = run
        self.backend = backend
        self.resumed = resumed
        self.spent = 0
        self._writer = writer
        self._persist = persist
        self._taken: Callable[[Sequence[CaseResult]], None] = lambda batch: None
        self._deciding = False
        self._asking: asyncio.Task[None] | None = None
        self._error: Exception | None = None
        write = partial(store_batch, store, writer)
        self.sink = Sink(write, self._hand_over, broken=self._fail, persist=persist)

    async def ask(
        self,
        cells: Iterator[Cell],
        taken: Callable[[Sequence[CaseResult]], None],
        *,
        left: int,
        arrived: Callable[[Batch], bool] = lambda batch: False,
        affordable: Callable[[int], int] | None = None,
        first: tuple[int, Callable[[], Awaitable[None]]] | None = None,
    ) -> None:
        """Run these cells; `taken` is called with results once they are on disk, and they all are when this returns.

        `arrived` sees results before: where it is true they are stored at once, and no case goes on until they are.
        Until a batch is full, or while it is written, a fast agent would run a hundred cases for nothing.
        """
        prepared = self.prepared
        work = RunWork(
            prepared.plan,
            self.run.id,
            left,
            definitions=prepared.definitions,
            tools=prepared.tools,
            models=prepared.models,
            affordable=affordable,
            first=first,
            store="" if self.store.file else self.store.url,
        )

        async def take(batch: Batch) -> None:
            self.spent += batch.repeated
            decides = arrived(batch)
            for result in batch.results:
                await self.sink.put(result)
            if decides or self._deciding:
                self._deciding = True
                try:
                    await self.sink.flush()
                finally:
                    self._deciding = False

        self._taken = taken
        self._asking = asyncio.create_task(self.backend.run(work, cells, take))
        try:
            await self._asking
        except asyncio.CancelledError:
            if self._error is None:
                raise
        if self._error is not None:
            raise self._error
        await self.sink.flush()

    async def ask_all(self, cells: Sequence[Cell]) -> list[CaseResult]:
        """Results in the order of the cells; what was stored before a resume is not asked for again."""
        self.spent += len(cells)
        wanted = {(golden.id, trial): (golden, trial) for golden, trial in cells}
        results = {key: self.answered[key] for key in wanted if key in self.answered}

        def keep(batch: Sequence[CaseResult]) -> None:
            results.update({(result.golden_id, result.trial): result for result in batch})

        left = [cell for key, cell in wanted.items() if key not in results]
        if left:
            await self.ask(iter(left), keep, left=len(left))
        return [results[golden.id, trial] for golden, trial in cells]

    @cached_property
    def answered(self) -> dict[Key, CaseResult]:
        """Results from before a resume."""
        stored = results_of_run(self.store, self.run.id, trajectories=True) if self.resumed else ()
        return {(result.golden_id, result.trial): result for result in stored}

    def _hand_over(self, batch: Sequence[CaseResult]) -> None:
        self._taken(batch)

    def stop(self, why: str) -> None:
        """Start no more trials; those in progress finish and are stored."""
        self.backend.stop(why)

    @asynccontextmanager
    async def storing(self, goldens: Sequence[AnyGolden] | None) -> AsyncIterator[None]:
        """Store the goldens for later inspection; no case waits for this."""
        plan = self.prepared.plan
        named = (plan.in_dataset_order(), golden_set_name(self.run)) if goldens is None else (goldens, "")
        keep = partial(self._persist, lambda: self._writer.add_goldens(*named))
        keeping = asyncio.create_task(_after_first_requests(keep))
        keeping.add_done_callback(self._stop_if_failed)
        try:
            yield
        except BaseException:
            self._persist.hurry()
            await asyncio.wait([keeping])
            raise
        await keeping

    def _stop_if_failed(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        """End the run with this error; cases in progress are cancelled."""
        self._error = self._error or error
        if self._asking is not None:
            self._asking.cancel()

    def keep_watched(self) -> None:
        """Store what the agent's code read, with what it read before the run was interrupted."""
        watched = self.backend.watched()
        if watched is None or "watched" not in self.run.fingerprints:
            return
        if self.resumed:
            watched = (watch_of_run(self.store, self.run) or INTERRUPTED).merge(watched)
        texts = with_texts(watched, self.prepared.plan.agent_sources, scrubber())
        self.store.runs.set_document(self.run.id, "watched", encode(texts))

    async def note_replay(self) -> None:
        """Tag a run with recorded answers in it."""
        recordings = self.prepared.plan.agent.recordings
        # In replay everything was, also what workers or an earlier process did, which is not counted here.
        if recordings is not None and (recordings.replayed or recordings.replays_only):
            await asyncio.to_thread(self._persist, partial(self.store.runs.tag, self.run.id, REPLAYED))

    async def finish(self, summary: Summary, word: str, *, early: bool) -> None:
        """Store that the run is over, with its verdict."""
        await self.note_replay()
        end = partial(
            self.store.runs.finish, self.run.id, summary, word, early=early, epoch=self._writer.epoch
        )
        await asyncio.to_thread(self._persist, end)


async def _after_first_requests(work: Callable[[], None]) -> None:
    """Do work in a thread while the first answers are awaited: before, it would compete with sending the requests."""
    for _ in range(TURNS_TO_SEND):
        await asyncio.sleep(0)
    await asyncio.to_thread(work)


class TrialsDone(msgspec.Struct, frozen=True):
    """A run whose trials are over; it is not complete when it was stopped."""

    prepared: Prepared
    store: Store
    run: Run
    complete: bool


Evidence = Callable[[TrialsDone], Awaitable[Facts]]
"""Collects facts of a run. What prevents a fact that was asked for is in the fact: it ends no run."""


async def collect_facts(done: TrialsDone) -> dict[str, Any]:
    """Everything that the gate of a run, or the run itself, asks for; in the order of the table."""
    plan = done.prepared.plan
    facts: dict[str, Any] = {"quarantined": len(plan.quarantine)}
    for name in evidence_names(plan.gate, done.run.fingerprints):
        evidence: Evidence = load("evidence", name)
        facts |= await evidence(done)
    return facts
