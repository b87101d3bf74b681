"""From jobs to drafts: concurrent, stored as they finish, resumable.

Generating is a run like any other: jobs go through the executor's pool, results through the suite's sink into a store,
and an interrupted run continues with what is missing. A kept golden is a case that passed; one that was
dropped is a case that failed, with the reason.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec

from rightcall.agents.limits import RunLimits, budget_text
from rightcall.agents.model_retries import Asker
from rightcall.agents.pool import Pool
from rightcall.core.errors import ConfigError, ProviderError
from rightcall.limbs.generate.scribe import Scribe
from rightcall.limbs.generate.verify import Duplicates
from rightcall.records.golden import AnyGolden
from rightcall.records.record import Record
from rightcall.records.run import CaseResult, Run
from rightcall.records.score import Score
from rightcall.records.trajectory import Trajectory, Usage
from rightcall.run.case_runner import ResultScrubber
from rightcall.run.sink import Sink
from rightcall.store.base import changes
from rightcall.store.sql.run_writer import RunWriter
from rightcall.store.sql.store import Store

NOTHING = Usage()
ROUNDS = 3
"""How often dropped goldens are planned again."""


@dataclass(frozen=True)
class Made:
    """The result of one job: a golden, or the reason why there is none; `scribe` asked a model for it."""

    golden: AnyGolden | None
    scores: dict[str, Score]
    reason: str = ""
    scribe: Scribe | None = None


class Job(Protocol):
    """Makes one golden. Its id is the golden's, and the same in every run with the same settings."""

    @property
    def id(self) -> str: ...

    async def make(self) -> Made: ...


class Dropped(Record, frozen=True):
    """A golden that was not kept, and why."""

    id: str
    reason: str


class SynthesisProgress(msgspec.Struct):
    """The progress of a generation."""

    run_id: str
    wanted: int
    done: int = 0
    kept: int = 0
    errors: int = 0
    usage: Usage = Usage()
    retries: int = 0
    at_once: int = 0


class Production(Record, frozen=True):
    """What was generated. `stopped` names the budget that ended it early, `refused` the tools without values."""

    goldens: tuple[AnyGolden, ...]
    dropped: tuple[Dropped, ...] = ()
    errors: tuple[Dropped, ...] = ()
    usage: Usage = Usage()
    run_id: str = ""
    stopped: str = ""
    refused: dict[str, str] = {}


@dataclass(frozen=True)
class Work:
    """What to generate, with the run that it is stored as.

    `jobs(start, count)` returns further jobs; possibly fewer than requested.
    """

    run: Run
    wanted: int
    jobs: Callable[[int, int], Sequence[Job]]
    rounds: int
    concurrency: int
    limits: RunLimits
    asker: Asker
    spent: Usage = NOTHING


async def produce(
    work: Work,
    store: Store | None = None,
    *,
    resume: str | None = None,
    watch: Callable[[SynthesisProgress], None] = lambda progress: None,
) -> Production:
    """Run the jobs. With a store every finished job is on disk at once, and `resume` continues such a run."""
    shift = _Shift(work, store, resume, watch)
    for _ in range(work.rounds):
        missing = work.wanted - len(shift.kept())
        jobs = shift.next_jobs(missing) if missing > 0 else []
        if not jobs or shift.stopped:
            break
        await shift.do(jobs)
    return shift.outcome()


class _Shift:
    """One run of a production."""

    def __init__(
        self, work: Work, store: Store | None, resume: str | None, watch: Callable[[SynthesisProgress], None]
    ) -> None:
        self._work = work
        self._store = store
        self._watch = watch
        self._order: list[str] = []
        self._results: dict[str, CaseResult] = {}
        self._goldens: dict[str, AnyGolden] = {}
        self._scrub = ResultScrubber()
        self._started = time.monotonic()
        self._spent = work.spent
        self.stopped = ""
        self._writer: RunWriter | None = None
        run = work.run if store is None else self._begin(store, work.run, resume)
        self.progress = SynthesisProgress(run.id, work.wanted, usage=work.spent)

    def next_jobs(self, count: int) -> list[Job]:
        """Jobs after the known ones, done or not."""
        jobs = list(self._work.jobs(len(self._order), count))
        self._order += [job.id for job in jobs]
        return jobs

    async def do(self, jobs: Sequence[Job]) -> None:
        todo = [job for job in jobs if job.id not in self._results]
        for job in jobs:
            if job.id in self._results:
                self._count(self._results[job.id])
        pool = Pool(max(1, min(self._work.concurrency, len(todo) or 1)))
        async with Sink(self._write, self._note_batch, broken=pool.fail) as sink:

            async def one(job: Job) -> None:
                result = await self._result(job)
                self._spend(result.usage, pool)
                await sink.put(result)

            await pool.run(iter(todo), one)
        self.stopped = self.stopped or pool.stopped

    def kept(self) -> list[AnyGolden]:
        """The kept goldens in job order, without duplicates; independent of the completion order."""
        return [golden for golden, earlier in self._without_duplicates() if not earlier]

    def outcome(self) -> Production:
        sifted = self._without_duplicates()
        repeats = [Dropped(golden.id, f"nearly repeats {earlier}") for golden, earlier in sifted if earlier]
        results = [self._results[name] for name in self._order if name in self._results]
        failed = [
            Dropped(r.golden_id, r.metrics["overall"].reason) for r in results if not r.passed and not r.error
        ]
        errors = tuple(Dropped(r.golden_id, r.error) for r in results if r.error)
        complete = not self.stopped and not errors
        if self._store is not None and self._writer is not None and complete:
            self._store.runs.finish(self._writer.run_id, None, early=True, epoch=self._writer.epoch)
        return Production(
            tuple([golden for golden, earlier in sifted if not earlier][: self._work.wanted]),
            tuple(sorted((*failed, *repeats), key=lambda rejection: rejection.id)),
            errors,
            self.progress.usage,
            run_id=self.progress.run_id if self._store is not None else "",
            stopped=self.stopped,
        )

    def _without_duplicates(self) -> list[tuple[AnyGolden, str]]:
        seen = Duplicates()
        goldens = [self._goldens[name] for name in self._order if name in self._goldens]
        return [(golden, seen.earlier(golden)) for golden in goldens]

    def _begin(self, store: Store, run: Run, resume: str | None) -> Run:
        if resume is None:
            self._writer = store.runs.begin(run, planned=self._work.wanted)
            return run
        stored = store.runs.get(resume)
        if different := changes(stored.run, run):
            raise ConfigError(
                f"generation {stored.id} cannot be resumed, because its inputs have changed:", *different
            )
        self._writer = store.runs.resume(stored.id)
        self._writer.drop_errors()
        self._results = {result.golden_id: result for result in store.runs.results(stored.id)}
        self._goldens = {golden.id: golden for golden in store.runs.goldens(stored.id)}
        return stored.run

    async def _result(self, job: Job) -> CaseResult:
        started = time.monotonic()
        try:
            made = await job.make()
        except ProviderError as error:
            scores = {"overall": Score.broken(str(error))}
            return CaseResult(job.id, 0, False, 0.0, metrics=scores, error=str(error))
        kept = made.golden is not None
        scribe = made.scribe
        if made.golden is not None:
            self._goldens[job.id] = made.golden
        result = CaseResult(
            job.id,
            0,
            kept,
            float(kept),
            metrics={**made.scores, "overall": Score(float(kept), kept, made.reason)},
            latency_ms=(time.monotonic() - started) * 1000,
            usage=scribe.usage if scribe is not None else Usage(),
            trajectory=Trajectory(tuple(scribe.messages)) if scribe is not None and scribe.messages else None,
        )
        return self._scrub(result)

    def _write(self, batch: Sequence[CaseResult]) -> None:
        if self._writer is not None:
            self._writer.add_goldens(
                [self._goldens[r.golden_id] for r in batch if r.golden_id in self._goldens]
            )
            self._writer.add(batch)

    def _note_batch(self, batch: Sequence[CaseResult]) -> None:
        for result in batch:
            self._results[result.golden_id] = msgspec.structs.replace(result, trajectory=None)
            self._count(result)
        self.progress.retries = self._work.asker.retries
        self.progress.at_once = self._work.asker.throttle.limit
        self._watch(self.progress)

    def _spend(self, usage: Usage, pool: Pool) -> None:
        """Start nothing new once a budget is used up; checked at once, not when the result is on disk."""
        limits = self._work.limits
        self._spent = self._spent.plus(usage)
        if limits.seconds is not None and time.monotonic() - self._started > limits.seconds:
            pool.stop(f"{limits.seconds:g} seconds have passed")
        pool.stop(budget_text(self._spent, limits.tokens, limits.cost_usd))

    def _count(self, result: CaseResult) -> None:
        self.progress.done += 1
        self.progress.kept += result.passed
        self.progress.errors += bool(result.error)
        self.progress.usage = self.progress.usage.plus(result.usage)
