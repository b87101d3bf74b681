"""Runs a plan: goldens → trajectories → results → store, with news for whoever watches."""

from __future__ import annotations

import asyncio
import datetime
import platform
import secrets
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version

import msgspec

from rightcall.errors import ConfigError
from rightcall.executor import Pool, Session
from rightcall.executor.limits import spent
from rightcall.gate import Outcome, Verdict, decide, require_alike
from rightcall.metrics import measure_all, result_of
from rightcall.metrics.tally import Tally
from rightcall.model.case import TestCase
from rightcall.model.golden import Golden
from rightcall.model.run import CaseResult, Run, Summary
from rightcall.store import RunWriter, Store, changes
from rightcall.suite.early import EarlyStop
from rightcall.suite.outcome import Evidence, verdict_unfinished, verdict_without_gate
from rightcall.suite.plan import Plan, preflight
from rightcall.suite.sink import Sink
from rightcall.suite.stored import stored_outcomes, stored_results
from rightcall.tools.offer import offered_tools


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
    """What came of a run. `stopped` says which budget ended it; `saved` how many goldens need not be run."""

    run: Run
    summary: Summary
    verdict: Verdict
    stopped: str = ""
    planned: int = 0
    done: int = 0
    notices: tuple[str, ...] = ()


Watcher = Callable[[Progress, Sequence[CaseResult]], None]


async def run_plan(
    plan: Plan,
    store: Store,
    *,
    resume: str | None = None,
    watch: Watcher | None = None,
    started: Callable[[Run], None] | None = None,
) -> RunOutcome:
    """Run every trial of the plan that is not done yet. Results are on disk before `watch` hears of them.

    Interrupting it stores what finished; `resume` goes on with such a run, and refuses when it would not be the
    same run any more.
    """
    goldens = await preflight(plan)
    run = new_run(plan)
    if resume is not None:
        run, writer, done = _resumed(store, resume, run)
    else:
        writer, done = (
            store.begin_run(run, planned=goldens * plan.trials, documents=plan.documents()),
            set[tuple[str, int]](),
        )
    baseline = _baseline(plan, store, run)
    if started is not None:
        started(run)
    running = _Running(
        plan, Progress(run.id, goldens * plan.trials, Tally(), started=time.monotonic()), watch
    )
    for result in stored_results(store, run.id) if done else ():
        running.recall(result)
    # Goldens are kept for those who look at the run later: no case need wait for that.
    keeping = asyncio.create_task(asyncio.to_thread(writer.add_goldens, plan.goldens()))
    try:
        async with Session(
            plan.agent, concurrency=plan.concurrency, seed=plan.seed, run_id=run.id
        ) as session:
            await running.run(session, writer, done)
    finally:
        await keeping
    outcome = msgspec.structs.replace(running.outcome(run, baseline), notices=tuple(session.notices()))
    if not outcome.stopped:
        store.finish_run(run.id, outcome.summary, outcome.verdict.word)
    return outcome


class _Running:
    """One run under way: the pool, what has been counted, and whether it may end early."""

    def __init__(self, plan: Plan, progress: Progress, watch: Watcher | None) -> None:
        self._plan, self._progress, self._watch = plan, progress, watch
        self._pool = Pool(min(plan.concurrency, max(1, progress.planned)))
        self._evidence = Evidence(plan.gate, plan.quarantine) if plan.gate else None
        self._early = EarlyStop.of(plan)
        self._session: Session | None = None
        self._over_budget = ""

    async def run(self, session: Session, writer: RunWriter, done: set[tuple[str, int]]) -> None:
        self._session = session
        case = CaseRunner(self._plan, session)
        async with Sink(writer.add, self._written) as sink:

            async def do(job: tuple[Golden, int]) -> None:
                result = await case.result(*job)
                self._consider(result)
                await sink.put(result)

            if not self._pool.stopped:  # a resumed run may be decided already
                await self._pool.run(self._plan.jobs(done), do)

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

    def _consider(self, result: CaseResult) -> None:
        if self._early is not None and self._early.decided_by(result):
            self._pool.stop("decided")

    def outcome(self, run: Run, baseline: Sequence[Outcome] | None) -> RunOutcome:
        progress, gate = self._progress, self._plan.gate
        summary = progress.tally.summary()
        if self._over_budget:
            verdict = verdict_unfinished(self._over_budget)
        elif gate is not None and self._evidence is not None:
            stopped = self._early.stopped if self._early else None
            verdict = decide(gate, self._evidence.outcomes(), baseline=baseline, stopped=stopped)
        else:
            verdict = verdict_without_gate(summary)
        return RunOutcome(run, summary, verdict, self._over_budget, progress.planned, progress.done)

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


def _baseline(plan: Plan, store: Store, run: Run) -> list[Outcome] | None:
    """The outcomes of the run that the gate compares with; refused when it is not alike."""
    if plan.gate is None or plan.gate.baseline is None:
        return None
    earlier = store.run(plan.gate.baseline.run)
    require_alike(earlier.run, run)
    return stored_outcomes(store, earlier.id, plan.quarantine)


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
        fingerprints=plan.fingerprints(),
        versions={"rightcall": version("rightcall"), "python": platform.python_version()},
    )


class CaseRunner:
    """Does one trial of a plan and measures it."""

    def __init__(self, plan: Plan, session: Session) -> None:
        self._plan, self._session = plan, session

    async def result(self, golden: Golden, trial: int) -> CaseResult:
        trajectory = await self._session.performer.perform(golden, trial)
        tools = offered_tools(golden, self._session.tools)
        result = result_of(golden, trial, trajectory, tools, rules=self._plan.rules)
        metrics = result.metrics
        if self._plan.metrics:
            more = await measure_all(self._plan.metrics, TestCase(golden, trajectory, dict(tools)))
            metrics = {**metrics, **more}
        return msgspec.structs.replace(result, metrics=metrics, trajectory=trajectory)


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
