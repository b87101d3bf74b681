"""Runs a plan: goldens → trajectories → results → store, from the preparation to the verdict."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from rightcall.records.run import Run, Summary
from rightcall.run.answers import verdict_by_answers
from rightcall.run.backend import Backend
from rightcall.run.conclude import with_verdict
from rightcall.run.gate_evidence import results_of_run
from rightcall.run.live_run import LiveRun, RunOutcome, Watcher
from rightcall.run.plan import Plan
from rightcall.run.preparation import PlanWarning, preflight
from rightcall.run.trials import Trials, TrialsDone, collect_facts, open_trials, resumable
from rightcall.store.address import Persistence
from rightcall.store.sql.store import Store

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
) -> RunOutcome:
    """Run every unfinished trial of the plan. Results are on disk before `watch` is called with them.

    Interrupting it keeps finished results; `resume` continues such a run, and fails if its setup has changed. A
    store that fails for longer than `persist` retries raises a `StoreError`: the run stops, stays unfinished and
    can be resumed. `warn` receives warnings before anything is sent. Trials are run on `backend` [default: this
    process]. `run_id` is the id of a new run [default: made of the time].
    """
    async with await preflight(plan, remote=backend is not None and backend.remote) as prepared:
        run = prepared.new_run(run_id)
        if warn is not None:
            for warning in prepared.warnings():
                warn(warning)
        if resume is not None:
            run = resumable(store, resume, run)
        plan = prepared.plan
        baseline = _baseline(plan, store, run)  # one that is refused leaves no trace
        planned = prepared.goldens * plan.trials
        async with open_trials(
            prepared,
            store,
            run,
            resumed=resume is not None,
            planned=planned,
            persist=persist,
            backend=backend,
        ) as trials:
            if started is not None:
                started(run)
            running = LiveRun(plan, trials, watch, planned=planned)
            await running.ask_everything()
        return await _conclude(trials, running, baseline)


async def _conclude(trials: Trials, running: LiveRun, baseline: Baseline | None) -> RunOutcome:
    """Decide about a run whose trials are over, and store the verdict."""
    store = trials.store
    run = trials.run
    facts = await collect_facts(TrialsDone(trials.prepared, store, run, running.complete))
    if trials.backend.remote or trials.resumed:  # whose results came without their trajectories
        running.recount(results_of_run(store, run.id, trajectories=True))
    notices = trials.backend.notices()
    keeps_state = next((notice.text for notice in notices if notice.code == "keeps_state"), "")
    summary = msgspec.structs.replace(running.tally.summary(), keeps_state=keeps_state)
    verdict = running.verdict(summary, baseline, facts)
    if not running.answers.answered:  # in this process
        verdict = await asyncio.to_thread(verdict_by_answers, verdict, store, run.id, run.agent)
    summary = with_verdict(
        summary,
        verdict,
        stopped_early=running.ended_early and not running.complete,
        **{name: facts[name] for name in facts.keys() & set(Summary.__struct_fields__)},
    )
    others = [notice.text for notice in notices if notice.code != "keeps_state"]
    outcome = running.outcome(summary, verdict, others)
    if outcome.stopped:
        await trials.note_replay()
    else:
        await trials.finish(summary, verdict.word, early=running.ended_early)
    return outcome


def _baseline(plan: Plan, store: Store, run: Run) -> Baseline | None:
    """The baseline outcomes of the gate; raises if that run is not comparable."""
    if plan.gate is None or plan.gate.baseline is None:
        return None
    from rightcall.run.baseline import baseline_for  # with what it loads of lint, for gates with a baseline

    baseline_gate = plan.gate.baseline
    return baseline_for(
        store, baseline_gate.run, run, plan.goldens, quarantine=plan.quarantine, anyway=baseline_gate.anyway
    )
