"""What faults and harmless changes did to a run, compared with its clean control, golden by golden."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from rightcall.decide.candidates import compare_many
from rightcall.improve.perturbations import KINDS, PerturbTask, require_kind
from rightcall.model.golden import Golden
from rightcall.model.record import Record
from rightcall.model.tool import Tool
from rightcall.run.decisions import RunComparison
from rightcall.run.outcome import outcomes_of_run
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.sql.store import Store
from rightcall.tools.faults.measures import (
    FaultPair,
    FaultSummary,
    blind_retries,
    check_share,
    double_effects,
    fault_summary,
    faults_that_fired,
    in_plain_words,
    missing_effects,
)


class FaultReport(Record, frozen=True):
    """The paired measures. `doubled` says, for each case with a repeated side effect, what was repeated and why."""

    twin: str
    run: str
    summary: FaultSummary
    double_effects: int
    lost_effects: int
    blind_retries: int
    verified_before_retry: float | None
    doubled: dict[str, str]


def fault_report(
    store: Store, twin: str, run: str, planned: tuple[str, ...], tools: Mapping[str, Tool]
) -> FaultReport:
    """Compare a run with faults to its control, trial by trial; a fault that never fired is `not_run`."""
    twins = {(r.golden_id, r.trial): r for r in store.runs.results(twin, trajectories=True)}
    pairs: list[FaultPair] = []
    doubled: dict[str, str] = {}
    doubles = lost = blind = 0
    checked: list[float] = []
    for struck in store.runs.results(run, trajectories=True):
        before = twins.get((struck.golden_id, struck.trial))
        if before is None or not struck.judged or not before.judged or struck.trajectory is None:
            continue
        happened = struck.trajectory
        fired = faults_that_fired(happened.ledger)
        pairs.append(FaultPair(struck.golden_id, struck.trial, struck.passed, before.passed, fired))
        doubles += len(double_effects(happened.ledger))
        clean = before.trajectory.ledger if before.trajectory else ()
        lost += len(missing_effects(clean, happened.ledger)) if fired else 0
        blind += len(blind_retries(happened.calls, tools))
        if (share := check_share(happened.calls, tools)) is not None:
            checked.append(share)
        if words := in_plain_words(happened.calls, happened.ledger, tools):
            doubled[f"{struck.golden_id} trial {struck.trial}"] = words
    return FaultReport(
        twin=twin,
        run=run,
        summary=fault_summary(pairs, planned),
        double_effects=doubles,
        lost_effects=lost,
        blind_retries=blind,
        verified_before_retry=sum(checked) / len(checked) if checked else None,
        doubled=doubled,
    )


WITHIN = 0.05
"""A perturbed agent may be worse by less than this and is still called not worse."""

Paraphrased = Mapping[str, Sequence[str]]


async def run_perturbed(
    plan: Plan,
    store: Store,
    kinds: Sequence[str],
    *,
    paraphrases: Paraphrased | None = None,
    announce: Callable[[str], None] = lambda sentence: None,
) -> dict[str, RunComparison]:
    """A clean run and one of each kind, all at the same time, compared golden by golden.

    Every run is kept, marked as perturbed.
    """
    plan = plan.with_goldens()
    goldens = [golden for golden in plan.goldens() if isinstance(golden, Golden)]
    task = PerturbTask(plan, list(plan.definitions), goldens, paraphrases or {})
    plans = perturbed_plans(task, kinds)  # every problem before anything is spent
    fitting = [(kind, perturbed) for kind, perturbed in plans.items() if any(perturbed.goldens())]
    for kind in plans.keys() - dict(fitting):
        announce(f"{kind}: no golden fits, so nothing is run")
    jobs = [("clean", task.with_goldens(goldens)), *fitting]
    cases = sum(len(list(job.goldens())) * plan.trials for _, job in jobs)
    announce(f"{len(jobs)} runs, clean and perturbed, {cases:,} cases")
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_run_one(job, store, kind, len(jobs))) for kind, job in jobs]
    baseline, *candidates = [task.result() for task in tasks]
    outcomes = [(run, outcomes_of_run(store, run)) for run in candidates]
    compared = compare_many(outcomes_of_run(store, baseline), outcomes, margin=WITHIN) if outcomes else []
    return {
        kind: RunComparison(baseline, run, plan.agent.name, comparison, p)
        for (kind, _), (run, comparison, p) in zip(jobs[1:], compared, strict=True)
    }


def perturbed_plans(task: PerturbTask, kinds: Sequence[str]) -> dict[str, Plan]:
    """The plan of each kind."""
    return {kind: KINDS[kind](task) for kind in map(require_kind, kinds)}


async def _run_one(plan: Plan, store: Store, kind: str, runs: int) -> str:
    marked = replace(
        plan,
        gate=None,
        settings={**plan.settings, "perturb": kind},
        group=f"{plan.group or plan.name}/perturb",
        concurrency=max(1, plan.concurrency // runs),
    )
    outcome = await run_plan(marked, store)
    return outcome.run.id
