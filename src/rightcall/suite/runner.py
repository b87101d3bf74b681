"""Runs a plan: goldens → trajectories → results → store, with news for whoever watches."""

from __future__ import annotations

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
from rightcall.metrics import measure_all, result_of
from rightcall.metrics.tally import Tally
from rightcall.model.case import TestCase
from rightcall.model.golden import Golden
from rightcall.model.run import CaseResult, Run, Summary
from rightcall.store import RunWriter, Store, changes
from rightcall.suite.outcome import Verdict, verdict_of
from rightcall.suite.plan import Plan, preflight
from rightcall.suite.sink import Sink
from rightcall.tools.offer import offered_tools


class Progress(msgspec.Struct):
    """How far a run is. `planned` counts trials of goldens; `done` those on disk, in earlier parts of it too."""

    run_id: str
    planned: int
    tally: Tally
    done: int = 0
    resumed: int = 0
    retries: int = 0
    at_once: int = 0
    stopped: str = ""
    started: float = 0.0


class Outcome(msgspec.Struct, frozen=True):
    """What came of a run."""

    run: Run
    summary: Summary
    verdict: Verdict
    stopped: str = ""
    planned: int = 0
    done: int = 0


Watcher = Callable[[Progress, Sequence[CaseResult]], None]


async def run_plan(
    plan: Plan,
    store: Store,
    *,
    resume: str | None = None,
    watch: Watcher | None = None,
    started: Callable[[Run], None] | None = None,
) -> Outcome:
    """Run every trial of the plan that is not done yet. Results are on disk before `watch` hears of them.

    Interrupting it stores what finished; `resume` goes on with such a run, and refuses when it would not be the
    same run any more.
    """
    goldens = await preflight(plan)
    run = new_run(plan)
    if resume is not None:
        run, writer, done = _resumed(store, resume, run)
    else:
        writer, done = store.begin_run(run, planned=goldens * plan.trials), set[tuple[str, int]]()
    if started is not None:
        started(run)
    progress = Progress(run.id, goldens * plan.trials, Tally(), started=time.monotonic())
    for result in store.results(run.id) if done else ():
        progress.tally.add(result)
    progress.done = progress.resumed = len(done)
    pool = Pool(min(plan.concurrency, max(1, progress.planned)))
    async with Session(plan.agent, concurrency=plan.concurrency, seed=plan.seed, run_id=run.id) as session:
        case = _Case(plan, session)

        def written(batch: Sequence[CaseResult]) -> None:
            for result in batch:
                progress.tally.add(result)
            progress.done += len(batch)
            if session.asker is not None:
                progress.retries, progress.at_once = session.asker.retries, session.asker.throttle.limit
            pool.stop(_used_up(plan, progress)) if _used_up(plan, progress) else None
            if watch is not None:
                watch(progress, batch)

        async with Sink(writer.add, written) as sink:

            async def do(job: tuple[Golden, int]) -> None:
                await sink.put(await case.result(*job))

            writer.add_goldens(plan.goldens())
            await pool.run(plan.jobs(done), do)
    summary = progress.tally.summary()
    verdict = verdict_of(plan, summary, pool.stopped)
    if not pool.stopped:
        store.finish_run(run.id, summary, verdict.word)
    return Outcome(run, summary, verdict, pool.stopped, progress.planned, progress.done)


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


class _Case:
    """Does one trial and measures it."""

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
        spent(progress.tally.summary().usage, limits.tokens, limits.cost_usd)
        if limits.tokens or limits.cost_usd
        else ""
    )
