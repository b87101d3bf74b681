"""Where the trials of a run take place: here, or on workers elsewhere.

A backend is given cells and hands back batches of results; counting, storing and deciding stay with who asks for them,
so gates, budgets and progress see the same whatever the backend.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Protocol, Self

import msgspec

from rightcall.agents.open_agent import OpenAgent
from rightcall.agents.pool import Pool
from rightcall.decide.verdict import Verdict
from rightcall.files.project_files import enter_folder
from rightcall.metrics.score_case import Scorer
from rightcall.records.golden import AnyGolden
from rightcall.records.run import CaseResult, Summary
from rightcall.records.score import Note
from rightcall.records.tool import Tool
from rightcall.run.case_runner import CaseRunner
from rightcall.run.plan import Plan
from rightcall.run.watched_inputs import AgentWatch, WatchedInputs
from rightcall.store.sql.store import Store

Cell = tuple[AnyGolden, int]
"""A golden and the number of a trial: what is run once and stored once."""


class RunWork(msgspec.Struct, frozen=True):
    """What a backend runs. `left` counts the trials that are asked for.

    `definitions` are the tools as the run's fingerprint knows them, `tools` what the agent can be offered, `models`
    those that goldens name. `store` is where workers keep the keys of real tools, "" for a file.
    """

    plan: Plan
    run_id: str
    left: int
    definitions: tuple[Tool, ...] = ()
    tools: Mapping[str, Tool] = {}
    models: frozenset[str] = frozenset()
    affordable: Callable[[int], int] | None = None
    """How many more cells fit into the budgets of the run, at their worst, given the number in progress; None when the
    limits of a case do not bound its cost."""
    first: tuple[int, Callable[[], Awaitable[None]]] | None = None
    """How many cells come before the others, which start after this wait."""

    store: str = ""


class Batch(msgspec.Struct, frozen=True):
    """Results that are ready. `retries`, `at_once` and `workers` are those of the whole backend at that moment.

    `lag_ms` is the largest delay this machine added to a latency that is limited, `repeated` counts trials that were
    tried once more.
    """

    results: Sequence[CaseResult]
    retries: int = 0
    at_once: int = 0
    workers: int = 0
    lag_ms: float = 0.0
    repeated: int = 0


Take = Callable[[Batch], Awaitable[None]]


class Backend(Protocol):
    """Runs cells. `run` delivers each at most once, and raises when it cannot continue; cancelling it is clean."""

    remote: bool
    """Whether agents run elsewhere: then they are opened and checked there, not here."""

    async def open(self) -> None:
        """Prepare; raises before the run is recorded."""
        ...

    async def run(self, work: RunWork, jobs: Iterator[Cell], take: Take) -> None: ...

    def stop(self, why: str) -> None:
        """Start no more cells; those in progress finish and are delivered."""
        ...

    def notices(self) -> list[Note]:
        """What a reader of the results should know about how they were made."""
        ...

    def watched(self) -> WatchedInputs | None:
        """What the agent's code read; None when the suite states all that determines the agent."""
        ...


class WorkerPool(Protocol):
    """Workers for the runs of a command; leaving its context ends what was started for them."""

    def backend(self, plan: Plan, store: Store, tell: Callable[[str], None]) -> Backend:
        """The backend of one run; raises when the plan cannot be run on workers."""
        ...

    def rescore(
        self,
        store: Store,
        run: str,
        scorer: Scorer,
        *,
        done: Callable[[int, int], None],
        tell: Callable[[str], None],
    ) -> tuple[str, Summary, Verdict]:
        """Score a stored run again: the new run, its summary and its verdict."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


BUDGET_SECONDS = 0.02
"""How often a fully reserved budget is checked again."""


class InProcess:
    """Runs cells here, on one session and one pool.

    With `repeat` a trial without an answer is tried once more, unless the first may have acted.
    """

    remote = False

    def __init__(self, session: OpenAgent, *, repeat: bool = False) -> None:
        self._session = session
        self._repeat = repeat and not session.acts
        self._pool = Pool(1)
        self._case: CaseRunner | None = None

    async def open(self) -> None:
        """The session is open already."""

    async def run(self, work: RunWork, jobs: Iterator[Cell] | AsyncIterator[Cell], take: Take) -> None:
        if self._pool.stopped:  # a resumed run may already be decided
            return
        if not isinstance(jobs, AsyncIterator) and (work.affordable or work.first):
            jobs = self._affordable_cells(work, jobs)
        self._case = case = self._case or CaseRunner(work.plan, self._session)
        asker = self._session.asker
        limited = LimitedLag(work.plan)

        async def do(cell: Cell) -> None:
            result = await case.result(*cell)
            repeated = int(self._repeat and bool(result.error))
            if repeated:
                result = await case.result(*cell)
            lag_ms = limited.lag_ms(cell[0], result)
            retries, at_once = (asker.retries, asker.throttle.limit) if asker else (0, 0)
            await take(Batch((result,), retries, at_once, lag_ms=lag_ms, repeated=repeated))

        self._pool.resize(min(work.plan.concurrency, max(1, work.left)))
        with enter_folder(work.plan.agent_sources.folder):
            await self._pool.run(jobs, do)

    async def _affordable_cells(self, work: RunWork, jobs: Iterator[Cell]) -> AsyncIterator[Cell]:
        for number, cell in enumerate(jobs):
            if work.first is not None and number == work.first[0]:
                await work.first[1]()
            while work.affordable is not None and work.affordable(self._pool.under_way) < 1:
                if self._pool.stopped:
                    return
                await asyncio.sleep(BUDGET_SECONDS)
            yield cell

    def stop(self, why: str) -> None:
        self._pool.stop(why)

    def notices(self) -> list[Note]:
        return self._session.notices()

    def watched(self) -> WatchedInputs | None:
        watch: AgentWatch | None = self._case.watch if self._case is not None else None
        return watch.inputs() if watch is not None else None


class LimitedLag:
    """How much of a latency was added by this machine, where a limit makes that matter."""

    def __init__(self, plan: Plan) -> None:
        self._always = plan.gate is not None and plan.gate.limits_latency

    def lag_ms(self, golden: AnyGolden, result: CaseResult) -> float:
        limited = self._always or getattr(golden, "max_latency_ms", None) is not None
        return result.trajectory.lag_ms if limited and result.trajectory is not None else 0.0
