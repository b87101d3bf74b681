"""Where the trials of a run take place: here, or on workers elsewhere.

A backend is given cells and hands back batches of results; counting, storing and deciding stay with the runner, so
gates, budgets and progress see the same whatever the backend.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Protocol, Self

import msgspec

from rightcall.decide.verdict import Verdict
from rightcall.metrics.score_case import Scorer
from rightcall.records.golden import AnyGolden
from rightcall.records.note import Note
from rightcall.records.run import CaseResult, Summary
from rightcall.records.tool import Tool
from rightcall.run.plan import Plan
from rightcall.run.watched_inputs import WatchedInputs
from rightcall.store.sql.store import Store

Cell = tuple[AnyGolden, int]
"""A golden and the number of a trial: what is run once and stored once."""


class RunWork(msgspec.Struct, frozen=True):
    """What a backend runs. `planned` counts all trials of the run, `left` those still to be done.

    `definitions` are the tools as the run's fingerprint knows them, `tools` what the agent can be offered, `models`
    those that goldens name. `store` is where workers keep the keys of real tools, "" for a file.
    """

    plan: Plan
    run_id: str
    planned: int
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

    `lag_ms` is the largest delay this machine added to a latency that is limited.
    """

    results: Sequence[CaseResult]
    retries: int = 0
    at_once: int = 0
    workers: int = 0
    lag_ms: float = 0.0


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
