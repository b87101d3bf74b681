"""Runs a plan: goldens → trajectories → results → store, with news for whoever watches."""

from __future__ import annotations

import asyncio
import datetime
import platform
import secrets
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path

import msgspec

from rightcall.errors import ConfigError
from rightcall.executor import Pool, Session, spent
from rightcall.files import git_revision
from rightcall.gate import Baseline, LatencyLimit, Verdict, decide
from rightcall.metrics import Tally, time_to_score
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult, Run, Summary
from rightcall.store import Persistence, RunWriter, Store, changes
from rightcall.suite.baseline import baseline_for
from rightcall.suite.early_stopping import EarlyStop
from rightcall.suite.outcome import Evidence, verdict_incomplete, verdict_unfinished, verdict_without_gate
from rightcall.suite.plan import Plan, preflight
from rightcall.suite.run_outcomes import stored_results
from rightcall.suite.secret_scrubber import ResultScrubber
from rightcall.suite.sink import Sink
from rightcall.tools.idempotency import run_keys


class Progress(msgspec.Struct):
    """How far a run is. `planned` counts trials of goldens; `done` those on disk, in earlier parts of it too."""

    run_id: str
    planned: int
    tally: Tally
    done: int = 0
    retries: int = 0
    at_once: int = 0
    started: float = 0.0


class RunOutcome(msgspec.Struct, frozen=True):
    """What came of a run. `stopped` says which budget ended it; `lag_ms` how much of a latency that
    counts, because its golden or the gate limits it, may have been this machine's.
    """

    run: Run
    summary: Summary
    verdict: Verdict
    stopped: str = ""
    planned: int = 0
    done: int = 0
    lag_ms: float = 0.0


Watcher = Callable[[Progress, Sequence[CaseResult]], None]


async def run_plan(
    plan: Plan,
    store: Store,
    *,
    resume: str | None = None,
    watch: Watcher | None = None,
    started: Callable[[Run], None] | None = None,
    persist: Persistence | None = None,
) -> RunOutcome:
    """Run every trial of the plan that is not done yet. Results are on disk before `watch` hears of them.

    Interrupting it stores what finished; `resume` goes on with such a run, and refuses when it would not be the
    same run any more. A store that fails for longer than `persist` tries raises a `StoreError`: the run stops, stays
    unfinished and can be resumed.
    """
    persist = persist or Persistence()
    goldens = await preflight(plan)
    run = new_run(plan)
    baseline = None if resume is not None else _baseline(plan, store, run)
    if resume is not None:
        run, writer, done = _resumed(store, resume, run)
    else:
        writer, done = (
            store.begin_run(run, planned=goldens * plan.trials, documents=plan.documents()),
            set[tuple[str, int]](),
        )
    if resume is not None:
        baseline = _baseline(plan, store, run)
    if started is not None:
        started(run)
    running = _Running(
        plan,
        Progress(run.id, goldens * plan.trials, Tally(plan.scorer.names), started=time.monotonic()),
        watch,
        persist,
    )
    for result in stored_results(store, run.id) if done else ():
        running.recall(result)
    async with Session(
        plan.agent,
        concurrency=plan.concurrency,
        seed=plan.seed,
        run_id=run.id,
        keys=run_keys(store.file, store.url),
        user=plan.user,
    ) as session:
        await running.run(session, writer, done)
    outcome = running.outcome(run, baseline)
    if not outcome.stopped:
        finish = partial(
            store.finish_run, run.id, outcome.summary, outcome.verdict.word, early=running.decided
        )
        await asyncio.to_thread(persist, finish)
    return outcome


class _Running:
    """One run under way: the pool, what has been counted, and whether it may end early."""

    def __init__(self, plan: Plan, progress: Progress, watch: Watcher | None, persist: Persistence) -> None:
        self._plan, self._progress, self._watch, self._persist = plan, progress, watch, persist
        self._pool = Pool(min(plan.concurrency, max(1, progress.planned)))
        self._evidence = Evidence(plan.gate, plan.quarantine) if plan.gate else None
        self._early = EarlyStop.of(plan)
        self._session: Session | None = None
        self._over_budget = ""
        self._lag_ms = 0.0

    async def run(self, session: Session, writer: RunWriter, done: set[tuple[str, int]]) -> None:
        self._session = session
        case = CaseRunner(self._plan, session)
        async with (
            Sink(writer.add, self._written, broken=self._pool.fail, persist=self._persist) as sink,
            self._keeping_goldens(writer),
        ):

            async def do(job: tuple[AnyGolden, int]) -> None:
                result = await case.result(*job)
                self._consider(result)
                self._note_lag(job[0], result)
                await sink.put(result)

            if not self._pool.stopped:  # a resumed run may be decided already
                await self._pool.run(self._plan.jobs(done), do)

    @asynccontextmanager
    async def _keeping_goldens(self, writer: RunWriter) -> AsyncIterator[None]:
        """Keep the goldens for those who look at the run later; no case need wait for that."""
        keep = partial(self._persist, lambda: writer.add_goldens(self._plan.goldens()))
        keeping = asyncio.create_task(asyncio.to_thread(keep))
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
            self._pool.fail(error)

    @property
    def decided(self) -> bool:
        """Whether the run ended early because its verdict was known."""
        return self._early is not None and self._early.stopped is not None

    def count(self, result: CaseResult) -> None:
        """Take a result that is on disk into account."""
        self._progress.tally.add(result)
        self._progress.done += 1
        if self._evidence is not None:
            self._evidence.add(result)

    def recall(self, result: CaseResult) -> None:
        """Take a result of an earlier part of the run into account."""
        self.count(result)
        self._consider(result)

    def _note_lag(self, golden: AnyGolden, result: CaseResult) -> None:
        gate = self._plan.gate
        limited = getattr(golden, "max_latency_ms", None) is not None or (
            gate is not None and gate.latency_ms != LatencyLimit()
        )
        if limited and result.trajectory is not None:
            self._lag_ms = max(self._lag_ms, result.trajectory.lag_ms)

    def _consider(self, result: CaseResult) -> None:
        if self._early is not None and self._early.decided_by(result):
            self._pool.stop("decided")

    def outcome(self, run: Run, baseline: Baseline | None) -> RunOutcome:
        progress, gate = self._progress, self._plan.gate
        summary = progress.tally.summary()
        if self._over_budget:
            verdict = verdict_unfinished(self._over_budget)
        elif progress.done < progress.planned and not self.decided:
            verdict = verdict_incomplete(progress.done, progress.planned)
        elif gate is not None and self._evidence is not None:
            stopped = self._early.stopped if self._early else None
            verdict = decide(gate, self._evidence.outcomes(), baseline=baseline, stopped=stopped)
        else:
            verdict = verdict_without_gate(summary)
        return RunOutcome(
            run, summary, verdict, self._over_budget, progress.planned, progress.done, self._lag_ms
        )

    def _written(self, batch: Sequence[CaseResult]) -> None:
        for result in batch:
            self.count(result)
        asker = self._session.asker if self._session else None
        if asker is not None:
            self._progress.retries, self._progress.at_once = asker.retries, asker.throttle.limit
        self._over_budget = self._over_budget or _used_up(self._plan, self._progress)
        self._pool.stop(self._over_budget)
        if self._watch is not None:
            self._watch(self._progress, batch)


def _baseline(plan: Plan, store: Store, run: Run) -> Baseline | None:
    """The outcomes that the gate compares with; refused when they are of another kind of run."""
    if plan.gate is None or plan.gate.baseline is None:
        return None
    wanted = plan.gate.baseline
    return baseline_for(store, wanted.run, run, plan.goldens, plan.quarantine, anyway=wanted.anyway)


def new_run(plan: Plan) -> Run:
    """A run that begins now, with everything needed to repeat it."""
    now = datetime.datetime.now(datetime.UTC)
    return Run(
        id=f"{now:%y%m%d-%H%M%S}-{secrets.token_hex(3)}",
        name=plan.name,
        started_at=now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        agent=plan.agent.name,
        trials=plan.trials,
        seed=plan.seed,
        group=plan.group or plan.name,
        settings=dict(plan.settings),
        fingerprints=plan.fingerprints(),
        versions={"rightcall": version("rightcall"), "python": platform.python_version()}
        | git_revision(Path.cwd()),
    )


class CaseRunner:
    """Does one trial of a plan and scores it."""

    def __init__(self, plan: Plan, session: Session) -> None:
        self._session, self._scorer = session, plan.scorer
        self._seconds, self._scrub = plan.agent.limits.seconds, ResultScrubber()

    async def result(self, golden: AnyGolden, trial: int) -> CaseResult:
        trajectory = await self._session.performer.perform(golden, trial)
        left = time_to_score(self._seconds, trajectory)
        result = await self._scorer.result(golden, trial, trajectory, self._session.tools, left)
        return self._scrub(msgspec.structs.replace(result, trajectory=trajectory))


def _resumed(store: Store, wanted: str, now: Run) -> tuple[Run, RunWriter, set[tuple[str, int]]]:
    stored = store.run(wanted)
    if different := changes(stored.run, now):
        raise ConfigError(f"run {stored.id} cannot go on, because it would not be the same run:", *different)
    writer = store.resume_run(stored.id)
    writer.drop_errors()
    return stored.run, writer, set(store.finished(stored.id))


def _used_up(plan: Plan, progress: Progress) -> str:
    limits = plan.run_limits
    if limits.seconds is not None and time.monotonic() - progress.started > limits.seconds:
        return f"{limits.seconds:g} seconds are over"
    return (
        spent(progress.tally.usage, limits.tokens, limits.cost_usd)
        if limits.tokens or limits.cost_usd
        else ""
    )
