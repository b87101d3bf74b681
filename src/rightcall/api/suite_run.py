"""Runs of a suite: `run_suite`, a plan per model, estimates, faulty runs with their control, named runs."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from rightcall.agents.kinds import open_problems
from rightcall.api.run_result import RunResult, announce, warn_of_mode
from rightcall.core.errors import ConfigError, InputError
from rightcall.core.event_loop import as_blocking
from rightcall.core.options import takes
from rightcall.decide.rules import Word
from rightcall.decide.verdict import Verdict
from rightcall.metrics.tally import Tally
from rightcall.records.run import Run
from rightcall.run.answers import verdict_by_answers
from rightcall.run.conclude import verdict_without_gate
from rightcall.run.gate_evidence import facts_of_run
from rightcall.run.live_run import RunOutcome
from rightcall.run.options import RunSuiteOptions, SuiteOptions
from rightcall.run.plan import Plan, Selection
from rightcall.run.preparation import preflight
from rightcall.run.runner import run_plan
from rightcall.run.suite import Suite, is_goldens, load_suite, suite_of_goldens
from rightcall.run.suite_actions import with_record_mode
from rightcall.run.suite_plan import plan_suite
from rightcall.run.trust import agent_of_run, require_trust
from rightcall.store.address import open_store
from rightcall.store.base import RunFilter, StoredRun, changes
from rightcall.store.sql.store import Store

if TYPE_CHECKING:
    from rightcall.improve.robustness import FaultReport
    from rightcall.run.cost_estimate import CostEstimate

RunOne = Callable[[Plan, str | None], RunOutcome]
"""Runs a plan to its end; the text is the run to resume."""


@takes(RunSuiteOptions)
async def arun_suite(options: RunSuiteOptions) -> RunResult:
    """Run a suite, score every case and store the results, as `rightcall run` does.

    Options replace the suite's own settings; metrics are added to its own. With `faults` only the faulty run is made:
    `rc.compare` it with a run without faults.
    """
    (plan,) = SuiteRun(Path(options.suite), options, (options.model,) if options.model else ()).plans()
    store = open_store(options.store)
    outcome = await run_plan(plan, store, resume=options.resume, warn=warn_of_mode)
    run = RunResult(outcome.run.id, outcome.summary, outcome.verdict, store)
    announce(run, quiet=options.quiet)
    return run


run_suite = as_blocking("run_suite", arun_suite)


@dataclass(frozen=True)
class SuiteRun:
    """A suite and what replaces its settings, or goldens with `models`; without `models` the suite's is used."""

    file: Path
    options: SuiteOptions
    models: Sequence[str] = ()
    observe: str = ""

    def plans(self) -> list[Plan]:
        """A plan per model. The folder of the suite must be trusted."""
        require_trust(self.file, trust=self.options.trust)
        return [self._plan(self.suite, model) for model in self._models]

    async def estimates(self) -> list[tuple[Plan, CostEstimate]]:
        """What each plan would send; nothing is sent, started or imported."""
        from rightcall.run.cost_estimate import estimate

        suite = self.suite
        estimates = []
        for model in self._models:
            plan = self._plan(suite, model, start_nothing=True)
            estimates.append((plan, await estimate(plan)))
        return estimates

    @property
    def _models(self) -> Sequence[str | None]:
        return self.models or (None,)

    @cached_property
    def suite(self) -> Suite:
        """The suite with what the command line adds to it."""
        suite = with_record_mode(self._written(), self.options.record)
        agent = msgspec.structs.replace(suite.agent, observe=self.observe) if self.observe else suite.agent
        return msgspec.structs.replace(suite, agent=agent, metrics=(*suite.metrics, *self.options.metrics))

    def _written(self) -> Suite:
        if not is_goldens(self.file):
            return load_suite(self.file)
        if not self.models:
            hint = "add --agent module:function, provider:model, http:URL or exec:COMMAND"
            raise InputError(str(self.file), "has goldens and names no agent", hint)
        return suite_of_goldens(self.file, self.models[0])

    def _plan(self, suite: Suite, model: str | None, *, start_nothing: bool = False) -> Plan:
        plan = plan_suite(
            suite,
            self.file.parent,
            model=model,
            trials=self.options.trials,
            concurrency=self.options.concurrency,
            selection=Selection(tuple(self.options.only), self.options.limit),
            overrides={
                "faults": str(Path(self.options.faults).resolve()) if self.options.faults else None,
                "attacks": _attack_source(self.options.attacks),
            },
            start_nothing=start_nothing,
        )
        return replace(plan, suite_file=_relative_path(self.file), run_options=self._options(model))

    def _options(self, model: str | None) -> str:
        """The options that matter when one golden is run again, for a shell."""
        faults = self.options.faults
        attacks = self.options.attacks
        options = [
            ("--agent" if is_goldens(self.file) else "--model", model),
            ("--observe", self.observe or None),
            *(("--metric", name) for name in self.options.metrics),
            ("--record", self.options.record),
            ("--faults", _relative_path(Path(faults)) if faults else None),
            ("--attacks", str(attacks) if attacks else None),
        ]
        return shlex.join(chain.from_iterable((name, value) for name, value in options if value is not None))


def _attack_source(attacks: str | Path | None) -> str | None:
    """`auto`, or the path of a plan of attacks, whatever folder the suite is in."""
    if not attacks or str(attacks) in ("auto", "none"):
        return str(attacks) if attacks else None
    return str(Path(attacks).resolve())


def plan_of_run(file: Path, run: Run, *, trust: bool = False) -> Plan:
    """The plan of the suite of a stored run, with the agent of that run."""
    suite = load_suite(file)
    require_trust(file, trust=trust)
    return plan_suite(suite, file.parent, model=agent_of_run(suite, file.parent, run.agent))


def _relative_path(file: Path) -> str:
    """The path of a suite relative to the working folder; absolute on another drive."""
    try:
        return Path(os.path.relpath(file)).as_posix()
    except ValueError:
        return str(file.resolve())


def run_with_control(
    plan: Plan, run: RunOne, store: str | PathLike[str] | None, resume: str | None = None
) -> tuple[RunOutcome, FaultReport]:
    """Run a plan without and with its faults; the outcome with faults, and what they changed.

    `resume` names either of the two runs; if it is the one with faults, the control run has already finished.
    """
    from rightcall.improve.robustness import fault_report

    assert plan.agent.faults is not None
    _, problems = open_problems(plan.agent)  # before the control spends anything
    if problems:
        raise ConfigError(*problems)
    # The control is only compared with: no gate applies to it.
    name = f"{plan.name} (no faults)"
    calm = replace(plan, agent=replace(plan.agent, faults=None), name=name, gate=None)
    control = None
    if resume:
        with open_store(store, must_exist=True) as opened:
            control = control_of(opened, resume, calm.name)
    if control is None:
        control = run(calm, resume).run.id
        resume = None
    broken = run(plan, resume)
    with open_store(store) as opened:
        report = fault_report(opened, control, broken.run.id, plan.agent.faults.labels(), tools=broken.tools)
    return broken, report


def control_of(store: Store, resume: str, name: str) -> str | None:
    """The finished run without faults that belongs to a run with faults; None when `resume` is itself without."""
    run = store.runs.get(resume).run
    if "faults" not in run.fingerprints:
        return None
    before = store.runs.page(RunFilter(name=name, state="finished", until=run.started_at), limit=1)
    if not before:
        raise InputError(f"run {run.id}", f"its twin '{name}' is not in the store", "start a new run instead")
    return before[0].id


def add_to_baseline(path: Path, run: str, store: str | PathLike[str] | None, *, suite: Suite) -> None:
    """Add a run to a baseline file, or create it; one in which nothing passed is refused."""
    from rightcall.run.baseline_file import load_baseline, merge_baselines, require_passed, write_baseline
    from rightcall.run.baseline_pool import pool_runs

    with open_store(store, must_exist=True) as opened:
        pool = pool_runs(opened, [opened.runs.get(run)])
    if suite.check.compare != "score":
        require_passed(pool)
    pools = [pool, load_baseline(path)] if path.is_file() else [pool]
    write_baseline(merge_baselines(pools), path)


async def require_same_setup(plan: Plan, stored: StoredRun) -> None:
    """Raise when a finished run had another setup: its outcome says nothing about this plan."""
    async with await preflight(plan, remote=True) as prepared:
        different = changes(stored.run, prepared.new_run())
    if different:
        problem = f"run {stored.id} is finished, and the setup has changed since; start a new run:"
        raise ConfigError(problem, *different)


def outcome_of(plan: Plan, store: Store, stored: StoredRun) -> RunOutcome:
    """The outcome of a finished run, as reported when it finished."""
    from rightcall.run.decisions import gate_run

    summary = stored.run.summary or Tally(plan.scorer.names).summary()
    if plan.gate is not None:
        verdict = gate_run(store, stored.id, plan.gate, plan.quarantine)
    else:
        alone = verdict_without_gate(summary, facts_of_run(store, stored.run).get("judged"), plan.judges)
        verdict = verdict_by_answers(alone, store, stored.id, stored.run.agent)
    if stored.verdict and verdict.word != stored.verdict:  # decided early, or by another gate
        word: Word = stored.verdict  # type: ignore[assignment]
        verdict = Verdict(word, f"{word}: decided when the run finished")
    return RunOutcome(stored.run, summary, verdict, planned=stored.planned, done=stored.results)
