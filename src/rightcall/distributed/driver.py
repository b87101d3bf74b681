"""Hands cells to workers, takes their results in, and replaces workers that are lost.

It speaks to a `WorkerEngine`, which carries bytes and knows nothing of cells. A result counts once the runner has
taken it; what a lost worker had is run again, and only the store knows what is done.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import msgspec

from rightcall.distributed.engine import WorkerEngine, WorkerLost, WorkerOptions
from rightcall.distributed.lease import Lease, LeaseLedger, lease_size, shares
from rightcall.distributed.message import (
    Close,
    Deal,
    Instruction,
    OpenAgent,
    Sent,
    Stop,
    WorkerSetup,
    encode,
    pack_lease,
    read_farewell,
    read_hello,
    read_sent,
)
from rightcall.distributed.rate_dealer import RateDealer
from rightcall.distributed.seat import Seat, refuse_unfit
from rightcall.errors import ConfigError, InfrastructureError
from rightcall.model.run import CaseResult
from rightcall.model.trajectory import Trajectory
from rightcall.store import Key
from rightcall.suite import Batch, Cell, RunWork, Take

IN_THE_AIR = 2
"""Leases a worker has at a time, so that its pool never drains."""

SILENCE_SLICES = 20
BUDGET_SECONDS = 0.1
GRACE_SECONDS = 10.0
"""How long cells under way may take to end after an interruption."""

START_SECONDS = 30.0
"""How long a worker that is being started keeps its share of the concurrency."""

MOST_DEATHS, DEATHS_SECONDS = 10, 60.0
"""Workers lost within these seconds, none with a result, that end the run."""


class Driver:
    """A backend whose cells run on the workers of an engine."""

    remote = True

    def __init__(
        self, engine: WorkerEngine, options: WorkerOptions, tell: Callable[[str], None] = lambda line: None
    ) -> None:
        self._engine, self._options, self._tell = engine, options, tell
        self._stopped = ""
        self._notices: dict[str, None] = {}
        self._ledger: LeaseLedger | None = None
        self._deaths: deque[float] = deque()
        self._retries = 0
        self._messages: set[asyncio.Task[None]] = set()
        self._told_of_waiting = False

    async def open(self) -> None:
        if news := self._engine.opening():
            self._tell(news)
        await self._engine.open()

    def stop(self, why: str) -> None:
        if self._stopped:
            return
        self._stopped = why
        if self._ledger is not None:
            self._ledger.stop()
            for seat in self._seated():
                self._say(seat, Stop())
            self._wake()

    def notices(self) -> list[str]:
        return list(self._notices)

    async def run(self, work: RunWork, jobs: Iterator[Cell], take: Take) -> None:
        if self._stopped:
            return
        self._work, self._take, self._ledger = work, take, LeaseLedger(jobs)
        self._news = asyncio.Event()
        self._left = work.left
        self._setup = self._packed_setup(work)
        self._expected = work.plan.fingerprints(tuple(work.definitions))
        wanted = self._options.count or self._engine.count()
        count = max(1, min(wanted, work.plan.concurrency, work.left))
        self._seats = [Seat(number) for number in range(count)]
        rate = work.plan.agent.rate
        self._dealer = (
            RateDealer(rate, lambda seat, share: self._said(seat.worker, share)) if rate is not None else None
        )
        running = asyncio.create_task(self._run())
        try:
            await asyncio.shield(running)
        except asyncio.CancelledError:
            self.stop("interrupted")
            await asyncio.wait([running], timeout=GRACE_SECONDS)
            running.cancel()
            await asyncio.wait([running])
            raise
        finally:
            await self._end_workers()

    async def _end_workers(self) -> None:
        """End workers that are left when a run breaks off; after a good end there are none."""
        for message in tuple(self._messages):
            message.cancel()
        for seat in self._seated():
            worker, seat.worker = seat.worker, None
            await self._engine.lost(worker)

    def _packed_setup(self, work: RunWork) -> bytes:
        """The setup, packed inside the places where its modules are: those must be known before it is unpacked."""
        plan, options, pack = work.plan, self._options, self._engine.pack
        light = replace(plan, dataset=(), in_memory=None, quarantine=frozenset())
        setup = WorkerSetup(
            light, work.run_id, tuple(work.models), work.store, work.epoch, writes=options.writes
        )
        try:
            inner = pack(setup)
        except Exception as error:  # whatever a foreign object raises when it is pickled
            raise ConfigError(
                f"the agent cannot be sent to workers ({type(error).__name__}: {error}); an open client or connection "
                "stays where it is: name a function that makes it, module:function"
            ) from None
        return pack((options.paths, options.folder, inner))

    async def _run(self) -> None:
        """Serve every seat until all cells are settled, and watch the engine meanwhile."""
        try:
            async with asyncio.TaskGroup() as group:
                watching = [group.create_task(self._engine.watch())]
                if self._dealer is not None:
                    watching.append(group.create_task(self._dealer.keep_dealing(self._seated)))
                serving = [group.create_task(self._serve(seat)) for seat in self._seats]
                await asyncio.wait(serving)
                for watch in watching:
                    watch.cancel()
                await self._count_left_behind()
        except BaseExceptionGroup as errors:
            raise _first(errors) from None

    async def _serve(self, seat: Seat) -> None:
        """Keep a worker on a seat for as long as there is work for it."""
        while not self._done:
            try:
                if not await self._seat(seat):
                    return
                await self._lead(seat)
                await self._dismiss(seat)
                return
            except WorkerLost as lost:
                await self._bury(seat, str(lost))

    @property
    def _done(self) -> bool:
        return self._ledger is None or self._ledger.finished

    async def _seat(self, seat: Seat) -> bool:
        """Start a worker and hear its hello; False when the work was done before it came."""
        seat.vacate(self._now())
        coming = asyncio.create_task(self._welcome(seat))
        try:
            while not coming.done():
                if self._done:
                    return False
                await self._wait({coming}, START_SECONDS)
                self._tell_of_waiting()
            seat.worker = coming.result()
        finally:
            coming.cancel()
            await asyncio.wait([coming])
        self._deal()
        if self._dealer is not None:
            await self._dealer.deal(self._seated())
        return True

    async def _welcome(self, seat: Seat) -> Any:
        """A worker that has said hello and is fit to work; ended if nobody waits for it any more."""
        worker = await self._engine.spawn(seat.number, self._setup)
        try:
            seat.at_once = self._share(seat)
            hello = read_hello(await self._greeted(worker, OpenAgent(seat.at_once, seat.number)))
            seat.node = hello.node
            refuse_unfit(seat, hello, self._expected)
        except BaseException:
            await self._engine.lost(worker)
            raise
        return worker

    async def _greeted(self, worker: Any, greeting: OpenAgent) -> bytes:
        patience = self._options.hello_seconds
        try:
            async with asyncio.timeout(patience):
                return await self._engine.tell(worker, encode(greeting))
        except TimeoutError:
            raise WorkerLost(f"no hello within {patience:g} s") from None

    def _tell_of_waiting(self) -> None:
        """Say once that there is no room for some workers; they are used when there is."""
        waiting = [seat for seat in self._seats if seat.worker is None]
        late = [seat for seat in waiting if self._now() - seat.since >= START_SECONDS]
        if late and not self._told_of_waiting:
            self._told_of_waiting = True
            self._tell(
                f"{len(self._seats) - len(waiting)} of {len(self._seats)} workers run; the others wait for room"
            )

    async def _lead(self, seat: Seat) -> None:
        """Keep leases in the air for a worker until all work is done."""
        streams: set[asyncio.Task[None]] = set()
        try:
            while True:
                while len(streams) < IN_THE_AIR and (lease := self._next_lease(seat)) is not None:
                    streams.add(asyncio.create_task(self._stream(seat, lease)))
                if self._done:
                    return
                # Money that is spoken for becomes free when a result is stored, which is not reported here.
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
        assert self._ledger is not None
        now, plan = self._now(), self._work.plan
        size = lease_size(
            rate=seat.rate(now),
            at_once=seat.at_once,
            seconds=self._options.lease_seconds,
            left=self._left - self._ledger.out,
            workers=len(self._seats),
            cautious=plan.gate is not None and plan.gate.stop != "off",
        )
        most = None if self._work.affordable is None else self._work.affordable(self._ledger.out)
        lease = self._ledger.hand_out(seat.number, size, most)
        if lease is not None and not seat.first_lease:
            seat.first_lease = now
        return lease

    async def _stream(self, seat: Seat, lease: Lease) -> None:
        """Give a lease to a worker and take in what it sends."""
        assert self._ledger is not None
        payload = pack_lease(
            lease.number, list(lease.cells.values()), self._engine.pack, plain=self._work.plan.from_json
        )
        stream = self._engine.lease(seat.worker, payload)
        while True:
            data = await self._next_of(stream)
            if data is None:
                break
            sent = read_sent(data)
            await self._take_in(seat, lease, sent)
            if sent.failed is not None:
                raise sent.failed.error(seat.name)
        self._ledger.end(lease.number)
        self._wake()

    async def _next_of(self, stream: AsyncIterator[bytes]) -> bytes | None:
        """What a worker sends next; None at the end.

        Silence is waited for in slices: one in which this process itself stood still counts as one, not as its length.
        """
        coming = asyncio.ensure_future(_next(stream))
        try:
            for _ in range(SILENCE_SLICES):
                await asyncio.wait([coming], timeout=self._patience / SILENCE_SLICES)
                if coming.done():
                    return coming.result()
        finally:
            coming.cancel()
        raise WorkerLost(f"silent for {self._patience:g} s")

    @property
    def _patience(self) -> float:
        return max(self._options.silence_seconds, 2 * (self._work.plan.agent.limits.seconds or 0.0))

    async def _take_in(self, seat: Seat, lease: Lease, sent: Sent) -> None:
        assert self._ledger is not None
        self._retries += sent.retries - seat.reported.retries
        seat.reported = sent
        keys = [lease.places[case.place] for case in sent.cases]
        new = self._ledger.settle(lease.number, keys)
        results = [
            case.result(cell)
            for case, key in zip(sent.cases, keys, strict=True)
            if (cell := new.get(key)) is not None
        ]
        seat.results += len(results)
        await self._deliver(results, lag_ms=sent.lag_ms, stored=sent.stored)

    async def _deliver(
        self, results: Sequence[CaseResult], *, lag_ms: float = 0.0, stored: bool = False
    ) -> None:
        """Give settled results to the runner, whatever happens to the worker meanwhile."""
        if not results:
            return
        self._left -= len(results)
        seated = self._seated()
        at_once = sum(seat.reported.at_once or seat.at_once for seat in seated)
        batch = Batch(results, self._retries, at_once, len(seated), lag_ms, stored)
        taking = asyncio.ensure_future(self._take(batch))
        try:
            await asyncio.shield(taking)
        except asyncio.CancelledError:
            await asyncio.wait([taking])
            raise

    async def _bury(self, seat: Seat, why: str) -> None:
        """Put back what a lost worker had; end the run when workers only die."""
        assert self._ledger is not None
        worker, seat.worker = seat.worker, None
        said = (await self._engine.lost(worker) if worker is not None else "") or why
        await self._recover_stored(seat)
        loss = self._ledger.lose(seat.number)
        again = f", {loss.again:,} cases again" if loss.again else ""
        self._tell(f"{seat.name} lost ({said}){again}")
        if loss.condemned:
            await self._deliver([await self._deadly(cell, said) for cell in loss.condemned])
        if not seat.results and not loss.condemned:
            self._count_death(said)
        self._deal()
        self._wake()

    async def _recover_stored(self, seat: Seat) -> None:
        """Count what a worker that writes for itself had stored before it was lost."""
        assert self._ledger is not None
        if not self._options.writes or self._work.stored is None:
            return
        for lease in self._ledger.leases_of(seat.number):
            found = await self._read_stored(lease.cells)
            new = self._ledger.settle(lease.number, [(r.golden_id, r.trial) for r in found])
            seat.results += len(new)
            await self._deliver([r for r in found if (r.golden_id, r.trial) in new], stored=True)

    async def _count_left_behind(self) -> None:
        """Count what lost workers stored of cells that nobody runs again, because the run was stopped.

        From then on they store nothing more: a lost worker may live on, paused or cut off.
        """
        assert self._ledger is not None
        left = self._ledger.left_behind()
        if left and self._options.writes and self._work.stored is not None:
            await self._work.fence()
            await self._deliver(await self._read_stored(left), stored=True)

    async def _read_stored(self, cells: Mapping[Key, Cell]) -> list[CaseResult]:
        assert self._work.stored is not None
        return [
            _placed(result, cells[result.golden_id, result.trial])
            for result in await self._work.stored(list(cells))
        ]

    def _count_death(self, why: str) -> None:
        now = self._now()
        self._deaths.append(now)
        while self._deaths[0] < now - DEATHS_SECONDS:
            self._deaths.popleft()
        if len(self._deaths) >= MOST_DEATHS:
            raise InfrastructureError(
                f"{len(self._deaths)} workers were lost within a minute without a result, the last one because: {why}"
            )

    async def _deadly(self, cell: Cell, why: str) -> CaseResult:
        """The result of a case that ended its process twice."""
        golden, trial = cell
        plan = self._work.plan
        ended = Trajectory(
            stop_reason="agent_error" if plan.own_agent else "infra_error",
            error=f"the process ended ({why}) while this case ran, twice",
        )
        result = await plan.scorer.result(golden, trial, ended, self._work.tools)
        return msgspec.structs.replace(result, trajectory=ended)

    async def _dismiss(self, seat: Seat) -> None:
        """Close a worker; one that dies now has nothing left to lose."""
        try:
            async with asyncio.timeout(GRACE_SECONDS):
                answer = await self._engine.tell(seat.worker, encode(Close()))
            self._notices |= dict.fromkeys(read_farewell(answer).notices)
        except (WorkerLost, TimeoutError):
            pass
        worker, seat.worker = seat.worker, None
        await self._engine.lost(worker)

    def _seated(self) -> list[Seat]:
        return [seat for seat in self._seats if seat.worker is not None]

    def _share(self, seat: Seat) -> int:
        """The concurrency of a seat: seats share it that have a worker, or will have one soon."""
        recent = self._now() - START_SECONDS
        active = [one for one in self._seats if one is seat or one.worker is not None or one.since > recent]
        return max(1, shares(self._work.plan.concurrency, len(active))[active.index(seat)])

    def _deal(self) -> None:
        """Tell workers whose share has changed; those that get less first."""
        changed = [(seat, share) for seat in self._seated() if (share := self._share(seat)) != seat.at_once]
        for seat, share in sorted(changed, key=lambda one: one[1] - one[0].at_once):
            seat.at_once = share
            self._say(seat, Deal(share))

    def _say(self, seat: Seat, message: Instruction) -> None:
        """Tell a worker something without waiting: one that hangs must not keep the others."""
        task = asyncio.create_task(self._said(seat.worker, message))
        self._messages.add(task)
        task.add_done_callback(self._messages.discard)

    async def _said(self, worker: Any, message: Instruction) -> None:
        with suppress(WorkerLost):  # whoever waits for its results learns that
            await self._engine.tell(worker, encode(message))

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
        """Let every seat look again at what there is to do."""
        self._news.set()
        self._news = asyncio.Event()

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


async def _next(stream: AsyncIterator[bytes]) -> bytes | None:
    try:
        return await anext(stream)
    except StopAsyncIteration:
        return None


def _placed(result: CaseResult, cell: Cell) -> CaseResult:
    """A result out of the store with what only its golden knows."""
    return msgspec.structs.replace(result, cluster=cell[0].cluster, tags=cell[0].tags)


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
