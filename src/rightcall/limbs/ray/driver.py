"""Hands cells to workers, collects their results, and replaces lost workers.

It talks to a `WorkerEngine`, which transports bytes and knows nothing about cells. A result counts once the runner has
accepted it; cells of a lost worker are run again, and only the store knows what is done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rightcall.agents.pool import first_error
from rightcall.limbs.ray.crew import (
    GRACE_SECONDS,
    START_SECONDS,
    Crew,
    Seat,
    deadly_result,
    fruitless_deaths,
    loop_time,
)
from rightcall.limbs.ray.engine import WorkerEngine, WorkerLost, WorkerOptions, next_sent, pack_setup
from rightcall.limbs.ray.lease import Lease, LeaseLedger, lease_size
from rightcall.limbs.ray.message import Sent, Stop, pack_lease, read_sent
from rightcall.records.run import CaseResult
from rightcall.records.score import Note
from rightcall.run.backend import Batch, Cell, RunWork, Take
from rightcall.run.watched_inputs import WatchedInputs, imports_of, join_watches

IN_THE_AIR = 2
"""Leases a worker has at a time, so that its pool never drains."""

BUDGET_SECONDS = 0.1


class Driver:
    """A backend whose cells run on the workers of an engine."""

    remote = True

    def __init__(
        self, engine: WorkerEngine, options: WorkerOptions, tell: Callable[[str], None] = lambda line: None
    ) -> None:
        self._engine = engine
        self._options = options
        self._tell = tell
        self._stopped = ""
        self._notices: list[Note] = []
        self._watched: WatchedInputs | None = None
        self._running: asyncio.Task[None] | None = None
        self._deaths: list[float] = []
        self._retries = 0

    async def open(self) -> None:
        if news := self._engine.opening():
            self._tell(news)
        await self._engine.open()

    def stop(self, why: str) -> None:
        if self._stopped:
            return
        self._stopped = why
        if self._running is not None:
            self._ledger.stop()
            for seat in self._crew.workers_present():
                self._crew.say(seat, Stop())
            self._wake()

    def notices(self) -> list[Note]:
        return self._notices

    def watched(self) -> WatchedInputs | None:
        return self._watched

    async def run(self, work: RunWork, jobs: Iterator[Cell], take: Take) -> None:
        if self._stopped:
            return
        self._work = work
        self._take = take
        self._ledger = LeaseLedger(jobs)
        self._watched = imports_of(work.plan.agent_sources)
        self._delivering = 0
        self._news = asyncio.Event()
        self._left = work.left
        worker_count = self._options.count or self._engine.count()
        self._crew = Crew(
            self._engine,
            self._options,
            work.plan,
            max(1, min(worker_count, work.plan.concurrency, work.left)),
            setup=pack_setup(work, self._options, self._engine.pack),
            expected=work.plan.fingerprints(tuple(work.definitions)),
            tell=self._tell,
        )
        self._running = running = asyncio.create_task(self._run())
        try:
            await asyncio.shield(running)
        except asyncio.CancelledError:
            self.stop("interrupted")
            await asyncio.wait([running], timeout=GRACE_SECONDS)
            running.cancel()
            await asyncio.wait([running])
            raise
        finally:
            await self._crew.end_all()
            self._notices = list(self._crew.notices)

    async def _run(self) -> None:
        """Serve every seat until all cells are settled, and watch the engine meanwhile."""
        try:
            async with asyncio.TaskGroup() as group:
                watching = [group.create_task(self._engine.watch())]
                if self._crew.dealer is not None:
                    watching.append(
                        group.create_task(self._crew.dealer.keep_dealing(self._crew.workers_present))
                    )
                serving = [group.create_task(self._serve(seat)) for seat in self._crew.seats]
                await asyncio.wait(serving)
                for watch in watching:
                    watch.cancel()
        except BaseExceptionGroup as errors:
            raise first_error(errors) from None

    async def _serve(self, seat: Seat) -> None:
        """Keep a worker on a seat for as long as there is work for it."""
        while not self._ledger.finished:
            try:
                if not await self._seat(seat):
                    return
                await self._lead(seat)
                await self._crew.dismiss(seat)
                return
            except WorkerLost as lost:
                await self._bury(seat, str(lost))

    async def _seat(self, seat: Seat) -> bool:
        """Start a worker and wait for its hello; False when the work was done before it arrived."""
        seat.vacate(loop_time())
        coming = asyncio.create_task(self._crew.welcome(seat))
        try:
            while not coming.done():
                if self._ledger.finished:
                    return False
                await self._wait({coming}, START_SECONDS)
                self._crew.tell_of_waiting()
            seat.worker = coming.result()
        finally:
            coming.cancel()
            await asyncio.wait([coming])
        self._crew.deal()
        if self._crew.dealer is not None:
            await self._crew.dealer.deal(self._crew.workers_present())
        return True

    async def _lead(self, seat: Seat) -> None:
        """Keep a worker supplied with leases until all work is done."""
        streams: set[asyncio.Task[None]] = set()
        try:
            while True:
                while len(streams) < IN_THE_AIR and (lease := self._next_lease(seat)) is not None:
                    streams.add(asyncio.create_task(self._stream(seat, lease)))
                if self._ledger.finished:
                    return
                # Reserved budget is released when a result is stored, which is not reported here.
                patience = None if self._work.affordable is None else BUDGET_SECONDS
                for ended in await self._wait(streams, patience):
                    streams.discard(ended)
                    ended.result()
        finally:
            for stream in streams:
                stream.cancel()
            if streams:
                await asyncio.wait(streams)

    def _next_lease(self, seat: Seat) -> Lease | None:
        now = loop_time()
        plan = self._work.plan
        size = lease_size(
            rate=seat.rate(now),
            at_once=seat.at_once,
            seconds=self._options.lease_seconds,
            left=self._left - self._ledger.out,
            workers=len(self._crew.seats),
            cautious=plan.gate is not None and plan.gate.stop != "off",
        )
        most = None
        if self._work.affordable is not None:
            most = self._work.affordable(self._ledger.out + self._delivering)
        lease = self._ledger.hand_out(seat.number, size, most)
        if lease is not None and not seat.first_lease:
            seat.first_lease = now
        return lease

    async def _stream(self, seat: Seat, lease: Lease) -> None:
        """Give a lease to a worker and collect what it sends."""
        payload = pack_lease(lease.number, list(lease.cells.values()), self._engine.pack)
        stream = self._engine.lease(seat.worker, payload)
        patience = max(self._options.silence_seconds, 2 * (self._work.plan.agent.limits.seconds or 0.0))
        while (data := await next_sent(stream, patience)) is not None:
            sent = read_sent(data)
            await self._take_in(seat, lease, sent)
            if sent.failed is not None:
                raise sent.failed.error(seat.name)
        self._ledger.end(lease.number)
        self._wake()

    async def _take_in(self, seat: Seat, lease: Lease, sent: Sent) -> None:
        self._retries += sent.retries - seat.reported.retries
        seat.reported = sent
        self._watched = join_watches(self._watched, sent.watched)
        keys = [lease.places[case.place] for case in sent.cases]
        new = self._ledger.settle(lease.number, keys)
        results = [
            case.result(cell)
            for case, key in zip(sent.cases, keys, strict=True)
            if (cell := new.get(key)) is not None
        ]
        seat.results += len(results)
        await self._deliver(results, lag_ms=sent.lag_ms)

    async def _deliver(self, results: Sequence[CaseResult], *, lag_ms: float = 0.0) -> None:
        """Pass settled results to the runner, whatever happens to the worker meanwhile."""
        if not results:
            return
        self._left -= len(results)
        seated = self._crew.workers_present()
        at_once = sum(seat.reported.at_once or seat.at_once for seat in seated)
        batch = Batch(results, self._retries, at_once, len(seated), lag_ms=lag_ms)
        self._delivering += len(results)  # neither out nor taken yet, but a part of hard budgets
        taking = asyncio.ensure_future(self._hand_over(batch))
        try:
            await asyncio.shield(taking)
        except asyncio.CancelledError:
            await asyncio.wait([taking])
            raise

    async def _hand_over(self, batch: Batch) -> None:
        self._delivering -= len(batch.results)  # the runner counts them from its first step
        await self._take(batch)

    async def _bury(self, seat: Seat, why: str) -> None:
        """Return the cells of a lost worker; end the run when workers keep dying."""
        reason = await self._crew.end(seat) or why
        loss = self._ledger.lose(seat.number)
        again = f", {loss.again:,} cases again" if loss.again else ""
        self._tell(f"{seat.name} lost ({reason}){again}")
        if loss.condemned:
            await self._deliver([await deadly_result(self._work, cell, reason) for cell in loss.condemned])
        if not seat.results and not loss.condemned:
            self._deaths = fruitless_deaths(self._deaths, loop_time(), reason)
        self._crew.deal()
        self._wake()

    async def _wait(
        self, tasks: set[asyncio.Task[Any]], seconds: float | None = None
    ) -> set[asyncio.Task[Any]]:
        """Those of the tasks that ended, once one has, or once something else has changed, or after `seconds`."""
        news = asyncio.create_task(self._news.wait())
        try:
            await asyncio.wait({news, *tasks}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            news.cancel()
        return {task for task in tasks if task.done()}

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()
