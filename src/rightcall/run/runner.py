"""Runs a plan: goldens → trajectories → results → store, from the preparation to the verdict."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from rightcall.agents.limits import RunLimits
from rightcall.core.codec import encode
from rightcall.core.errors import ConfigError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.records.run import Run
from rightcall.run.agent_sources import AgentSources
from rightcall.run.answers import verdict_by_answers
from rightcall.run.backend import Backend, RunWork
from rightcall.run.evidence import TrialsDone, collect_facts
from rightcall.run.live_run import LiveRun, Progress, RunOutcome, Watcher, worst_case
from rightcall.run.local_trials import DecidedTrials, Decider, InProcess
from rightcall.run.outcome import results_of_run, with_verdict
from rightcall.run.plan import Plan
from rightcall.run.preparation import PlanWarning, Prepared, preflight
from rightcall.run.run_record import REPLAYED, DoneCells, golden_set_name
from rightcall.run.sink import store_batch
from rightcall.run.watched_inputs import INTERRUPTED, WatchedInputs, watch_of_run, with_texts
from rightcall.store.address import Persistence
from rightcall.store.base import changes
from rightcall.store.sql.run_writer import RunWriter
from rightcall.store.sql.store import Store
from rightcall.tools.idempotency.key_location import run_keys

if TYPE_CHECKING:
    from rightcall.decide.baseline import Baseline


async def run_plan(  # noqa: PLR0913
    plan: Plan,
    store: Store,
    *,
    resume: str | None = None,
    watch: Watcher | None = None,
    started: Callable[[Run], None] | None = None,
    persist: Persistence | None = None,
    warn: Callable[[PlanWarning], None] | None = None,
    backend: Backend | None = None,
    run_id: str | None = None,
    stop: Decider | None = None,
) -> RunOutcome:
    """Run every unfinished trial of the plan. Results are on disk before `watch` is called with them.

    Interrupting it keeps finished results; `resume` continues such a run, and fails if its setup has changed. A
    store that fails for longer than `persist` retries raises a `StoreError`: the run stops, stays unfinished and
    can be resumed. `warn` receives warnings before anything is sent. Trials are run on `backend` [default: this
    process]. `run_id` is the id of a new run [default: made of the time]. With `stop` only the trials that it asks for
    are run, here, until it decides; the plan's gate and budgets are then its business.
    """
    persist = persist or Persistence()
    if stop is not None:
        plan = replace(plan, gate=None, run_limits=RunLimits())
    async with await preflight(plan, remote=backend is not None and backend.remote) as prepared:
        new = prepared.new_run(run_id)
        if stop is not None:
            new = stop.identify(new)
            resume = stop.find_interrupted(store, new)
            backend = DecidedTrials(prepared.session, stop)
        backend = backend or InProcess(prepared.session)
        job = _Job(prepared, store, persist, backend)
        return await _run_prepared(job, new, resume, watch, started=started, warn=warn)


class _Job(NamedTuple):
    """A prepared run, and where its trials and results go. `decided` asks for trials until it decides."""

    prepared: Prepared
    store: Store
    persist: Persistence
    backend: Backend

    @property
    def decided(self) -> DecidedTrials | None:
        return self.backend if isinstance(self.backend, DecidedTrials) else None


async def _run_prepared(
    job: _Job,
    new: Run,
    resume: str | None,
    watch: Watcher | None,
    started: Callable[[Run], None] | None,
    warn: Callable[[PlanWarning], None] | None,
) -> RunOutcome:
    prepared, store, persist, backend = job
    plan = prepared.plan
    decided = job.decided
    planned = prepared.goldens * plan.trials if decided is None else decided.decider.most_trials
    if warn is not None:
        for warning in prepared.warnings():
            warn(warning)
    resumed = None if resume is None else _resumable(store, resume, new)  # before a cluster is started for it
    await backend.open()
    begun = _begin(prepared, store, new, resumed, planned=planned)
    run = begun.run
    writer = begun.writer
    done = begun.done
    if started is not None:
        started(run)
    progress = Progress(run.id, planned, plan.tally(), started=time.monotonic())
    running = LiveRun(
        plan, progress, watch, persist, backend=backend, goldens=begun.goldens, decided_trials=decided
    )
    if decided is not None and resumed is not None:
        stored = store.runs.results(run.id, trajectories=True)
        decided.answered = {(result.golden_id, result.trial): result for result in stored}
    for result in results_of_run(store, run.id) if done.count else ():
        running.recall(result)
    prepared.session.begin(run.id, lambda: run_keys(store.file, store.url, scrubber()))

    work = RunWork(
        plan,
        run.id,
        planned,
        planned - done.count,
        definitions=prepared.definitions,
        tools=prepared.tools,
        models=prepared.models,
        affordable=running.affordable if worst_case(plan) else None,
        first=running.first if plan.concurrency > 1 and not done.count else None,
        store="" if store.file else store.url,
    )
    try:
        await running.run(work, lambda batch: store_batch(store, writer, batch), writer, done)
    finally:
        _keep_watched(store, run, backend.watched(), plan.agent_sources, resumed=done.count > 0)
    return await _conclude(job, running, begun, writer.epoch, complete=progress.done >= planned)


async def _conclude(job: _Job, running: LiveRun, begun: _Begun, epoch: int, *, complete: bool) -> RunOutcome:
    """Decide about a run whose trials are over, and store the verdict."""
    prepared, store, persist, backend = job
    plan = prepared.plan
    run = begun.run
    decided = job.decided
    facts = await collect_facts(TrialsDone(prepared, store, run, complete))
    if backend.remote or begun.done.count:  # whose results came without their trajectories
        running.recount(results_of_run(store, run.id, trajectories=True))
    notices = backend.notices()
    running.keeps_state = next((notice.text for notice in notices if notice.code == "keeps_state"), "")
    outcome = running.outcome(run, begun.baseline, prepared.tools, facts)
    others = [notice.text for notice in notices if notice.code != "keeps_state"]
    outcome = msgspec.structs.replace(outcome, notices=(*outcome.notices, *others))
    if running.answers is not None and not running.answers.answered:
        outcome = await asyncio.to_thread(_by_answers, outcome, store)
    word = outcome.verdict.word if decided is None else decided.decision.word
    for write in _last_writes(plan, store, outcome, word, early=running.ended_early, epoch=epoch):
        await asyncio.to_thread(persist, write)
    return outcome


def _by_answers(outcome: RunOutcome, store: Store) -> RunOutcome:
    """The outcome, with the verdict ERROR when no answer arrived, in this process or before a resume."""
    verdict = verdict_by_answers(outcome.verdict, store, outcome.run.id, outcome.run.agent)
    summary = with_verdict(outcome.summary, verdict)
    return msgspec.structs.replace(outcome, verdict=verdict, summary=summary)


class _Begun(NamedTuple):
    run: Run
    writer: RunWriter
    done: DoneCells
    baseline: Baseline | None
    goldens: str


def _begin(prepared: Prepared, store: Store, run: Run, resumed: Run | None, planned: int) -> _Begun:
    """A new run in the store, or the one to resume with what it has done."""
    plan = prepared.plan
    goldens = golden_set_name(run)
    if resumed is not None:
        writer = store.runs.resume(resumed.id)
        writer.drop_errors()
        done = DoneCells.of(plan, store, resumed.id)
        return _Begun(resumed, writer, done, _baseline(plan, store, resumed), goldens=goldens)
    baseline = _baseline(plan, store, run)  # before the run starts: one that is refused leaves no trace
    writer = store.runs.begin(run, planned=planned, documents=prepared.documents)
    return _Begun(run, writer, DoneCells(), baseline, goldens=goldens)


def _keep_watched(
    store: Store, run: Run, watched: WatchedInputs | None, sources: AgentSources, *, resumed: bool
) -> None:
    """Store what the agent's code read, with what it read before the run was interrupted."""
    if watched is None or "watched" not in run.fingerprints:
        return
    if resumed:
        watched = (watch_of_run(store, run) or INTERRUPTED).merge(watched)
    store.runs.set_document(run.id, "watched", encode(with_texts(watched, sources, scrubber())))


def _last_writes(
    plan: Plan, store: Store, outcome: RunOutcome, word: str, *, early: bool, epoch: int
) -> Iterator[Callable[[], object]]:
    """The final writes to the store: that answers were replayed, and that the run is finished."""
    recordings = plan.agent.recordings
    # In replay everything was, also what workers or an earlier process did, which is not counted here.
    if recordings is not None and (recordings.replayed or recordings.replays_only):
        yield partial(store.runs.tag, outcome.run.id, REPLAYED)
    if not outcome.stopped:
        yield partial(store.runs.finish, outcome.run.id, outcome.summary, word, early=early, epoch=epoch)


def _baseline(plan: Plan, store: Store, run: Run) -> Baseline | None:
    """The baseline outcomes of the gate; raises if that run is not comparable."""
    if plan.gate is None or plan.gate.baseline is None:
        return None
    from rightcall.run.baseline import baseline_for  # with what it loads of lint, for gates with a baseline

    baseline_gate = plan.gate.baseline
    return baseline_for(
        store, baseline_gate.run, run, plan.goldens, quarantine=plan.quarantine, anyway=baseline_gate.anyway
    )


def _resumable(store: Store, run_id: str, now: Run) -> Run:
    stored = store.runs.get(run_id)
    if different := changes(stored.run, now):
        raise ConfigError(f"run {stored.id} cannot be resumed, because its setup has changed:", *different)
    return stored.run
