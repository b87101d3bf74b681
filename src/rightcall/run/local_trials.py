"""Trials in this process: all of a plan, or those that somebody asks for until they are enough."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from rightcall.agents.open_agent import OpenAgent
from rightcall.agents.pool import Pool
from rightcall.decide.check_rule import CheckWord
from rightcall.files.project_files import enter_folder
from rightcall.records.golden import AnyGolden
from rightcall.records.note import Note
from rightcall.records.run import CaseResult, Run
from rightcall.run.backend import Batch, Cell, RunWork, Take
from rightcall.run.case_runner import CaseRunner
from rightcall.run.plan import Plan
from rightcall.run.watched_inputs import AgentWatch, WatchedInputs
from rightcall.store.base import Key
from rightcall.store.sql.store import Store

BUDGET_SECONDS = 0.02
"""How often a fully reserved budget is checked again."""


class InProcess:
    """Runs cells here, on one session and one pool."""

    remote = False

    def __init__(self, session: OpenAgent) -> None:
        self._session = session
        self._pool = Pool(1)
        self._watch: AgentWatch | None = None

    async def open(self) -> None:
        """The session is open already."""

    async def run(self, work: RunWork, jobs: Iterator[Cell], take: Take) -> None:
        if self._pool.stopped:  # a resumed run may already be decided
            return
        affordable = work.affordable
        first = work.first
        if affordable is None and first is None:
            await self._run_cells(work, jobs, take)
            return

        async def affordable_cells() -> AsyncIterator[Cell]:
            for number, cell in enumerate(jobs):
                if first is not None and number == first[0]:
                    await first[1]()
                while affordable is not None and affordable(self._pool.under_way) < 1:
                    if self._pool.stopped:
                        return
                    await asyncio.sleep(BUDGET_SECONDS)
                yield cell

        await self._run_cells(work, affordable_cells(), take)

    async def _run_cells(
        self, work: RunWork, cells: Iterator[Cell] | AsyncIterator[Cell], take: Take
    ) -> None:
        case = CaseRunner(work.plan, self._session)
        asker = self._session.asker
        limited = LimitedLag(work.plan)
        self._watch = case.watch

        async def do(cell: Cell) -> None:
            result = await case.result(*cell)
            lag_ms = limited.lag_ms(cell[0], result)
            retries, at_once = (asker.retries, asker.throttle.limit) if asker else (0, 0)
            await take(Batch((result,), retries, at_once, lag_ms=lag_ms))

        self._pool.resize(min(work.plan.concurrency, max(1, work.planned)))
        with enter_folder(work.plan.agent_sources.folder):
            await self._pool.run(cells, do)

    def stop(self, why: str) -> None:
        self._pool.stop(why)

    def notices(self) -> list[Note]:
        return self._session.notices()

    def watched(self) -> WatchedInputs | None:
        return self._watch.inputs() if self._watch is not None else None


class LimitedLag:
    """How much of a latency was added by this machine, where a limit makes that matter."""

    def __init__(self, plan: Plan) -> None:
        self._always = plan.gate is not None and plan.gate.limits_latency

    def lag_ms(self, golden: AnyGolden, result: CaseResult) -> float:
        limited = self._always or getattr(golden, "max_latency_ms", None) is not None
        return result.trajectory.lag_ms if limited and result.trajectory is not None else 0.0


class RunDecision(NamedTuple):
    """The word and the reason of a verdict."""

    word: CheckWord
    reason: str


class Decider(Protocol):
    """Decides which trials of a run take place. `goldens` are those it may ask for, `most_trials` how many at most."""

    goldens: Sequence[AnyGolden]
    most_trials: int

    def identify(self, run: Run) -> Run:
        """The run that begins, with what names its question in the store."""
        ...

    def find_interrupted(self, store: Store, run: Run) -> str | None:
        """The id of a stored run of the same question that was interrupted."""
        ...

    async def decide(self, trials: DecidedTrials) -> RunDecision: ...


class DecidedTrials(InProcess):
    """Runs the trials that a decider asks for, instead of all of the plan.

    A trial without an answer is tried once more before it is stored, unless the first may have acted. `spent` counts
    what was asked for, `answered` are results from before an interruption, which are not asked for again.
    """

    def __init__(self, session: OpenAgent, decider: Decider) -> None:
        super().__init__(session)
        self.decider = decider
        self._cells = asyncio.Queue[Cell | None]()
        self._asked: dict[Key, tuple[Cell, asyncio.Future[CaseResult]]] = {}
        self._retried: set[Key] = set()
        self.answered: Mapping[Key, CaseResult] = {}
        self.spent = 0
        self.decision = RunDecision("INCONCLUSIVE", "")

    async def ask(self, cells: Sequence[Cell]) -> list[CaseResult]:
        """Results in the order of the cells, each handed to the store."""
        self.spent += len(cells)
        return list(await asyncio.gather(*map(self._result, cells)))

    def _result(self, cell: Cell) -> asyncio.Future[CaseResult]:
        key = cell[0].id, cell[1]
        if key in self._asked:
            return self._asked[key][1]
        result = asyncio.get_running_loop().create_future()
        if (stored := self.answered.get(key)) is not None:
            result.set_result(stored)
        else:
            self._asked[key] = cell, result
            self._cells.put_nowait(cell)
        return result

    async def run(self, work: RunWork, jobs: Iterator[Cell], take: Take) -> None:
        async def answer(batch: Batch) -> None:
            (result,) = batch.results
            key = result.golden_id, result.trial
            cell, asked = self._asked[key]
            if result.error and not self._session.acts and key not in self._retried:
                self._retried.add(key)
                self.spent += 1
                self._cells.put_nowait(cell)
                return
            await take(batch)
            del self._asked[key]
            asked.set_result(result)

        deciding = asyncio.create_task(self._decide())
        try:
            await self._run_cells(work, self._cells_to_run(), answer)
            self.decision = await deciding
        finally:
            deciding.cancel()
            await asyncio.wait([deciding])

    async def _decide(self) -> RunDecision:
        try:
            return await self.decider.decide(self)
        finally:
            self._cells.put_nowait(None)

    async def _cells_to_run(self) -> AsyncIterator[Cell]:
        while (cell := await self._cells.get()) is not None:
            yield cell
