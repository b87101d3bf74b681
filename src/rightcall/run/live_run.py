"""A run in progress: its totals, early stopping, and what its budgets still allow."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from rightcall.agents.limits import budget_text
from rightcall.core.errors import ConfigError
from rightcall.core.text import percent
from rightcall.decide.rule_source import Facts
from rightcall.decide.verdict import Verdict
from rightcall.metrics.base import asks_model
from rightcall.metrics.tally import Tally
from rightcall.records.run import CaseResult, Run, Summary, missing_answers_text
from rightcall.records.tool import Tool
from rightcall.run.answers import AnswerWatch
from rightcall.run.backend import Batch, Cell
from rightcall.run.conclude import (
    MOST_ERRORS,
    verdict_incomplete,
    verdict_of_gate,
    verdict_unfinished,
    verdict_without_gate,
    with_counts,
)
from rightcall.run.gate_evidence import GateEvidence, results_of_run
from rightcall.run.plan import BLOCK, Plan
from rightcall.run.run_record import DoneCells
from rightcall.run.trials import Trials

if TYPE_CHECKING:
    from rightcall.decide.baseline import Baseline
    from rightcall.decide.early_stop import StopMonitor, Stopped

LEAST_ERRORS = 10
"""Trials without an answer from which a run may stop asking: in a small run the others cost little and say more."""


class Progress(msgspec.Struct):
    """The progress of a run. `planned` counts trials; `done` counts stored ones, including those before a resume."""

    run_id: str
    planned: int
    tally: Tally
    done: int = 0
    retries: int = 0
    at_once: int = 0
    workers: int = 0
    started: float = 0.0


class RunOutcome(msgspec.Struct, frozen=True):
    """The outcome of a run. `stopped` names the budget that ended it; `lag_ms` is how much of a limited latency may
    have been added by this machine.
    """

    run: Run
    summary: Summary
    verdict: Verdict
    stopped: str = ""
    planned: int = 0
    done: int = 0
    lag_ms: float = 0.0
    notices: tuple[str, ...] = ()
    tools: Mapping[str, Tool] = {}


Watcher = Callable[[Progress, Sequence[CaseResult]], None]


class LiveRun:
    """A run that asks for all of its trials, and everything that follows from each of its results."""

    def __init__(self, plan: Plan, trials: Trials, watch: Watcher | None, *, planned: int) -> None:
        self._plan = plan
        self._trials = trials
        self._watch = watch
        self._progress = Progress(trials.run.id, planned, plan.tally(), started=time.monotonic())
        self._evidence = GateEvidence(plan.gate, plan.quarantine) if plan.gate else None
        self._early = EarlyStop.of(plan) if plan.gate else None
        self._foresight = copy.deepcopy(self._early)
        self._over_budget = self._too_silent = ""
        self._lag_ms = 0.0
        self.answers = AnswerWatch(plan)
        self._taken = self._written_since = 0
        self._broken_setup: Exception | None = None

    async def ask_everything(self) -> None:
        """Run every trial that has no result yet."""
        trials = self._trials
        done = DoneCells()
        if trials.resumed:
            done = DoneCells.of(self._plan, trials.store, trials.run.id)
            for result in results_of_run(trials.store, trials.run.id):
                self.count(result)
                self._may_decide(result)
        await trials.ask(
            self._cells(done),
            self._count_written,
            left=self._progress.planned - done.count,
            arrived=self._arrived,
            affordable=self.affordable if worst_case(self._plan) else None,
            first=self._first if self._plan.concurrency > 1 and not done.count else None,
        )
        if self._broken_setup is not None:  # once everything that finished is stored
            raise self._broken_setup

    def _cells(self, done: DoneCells) -> Iterator[Cell]:
        """The trials to run: those first that show whether the setup works."""
        cells = self._plan.jobs(done if done.count else None)
        if done.count:
            return cells
        first = {golden.id for golden, _ in self.answers.first}
        return chain(self.answers.first, (cell for cell in cells if cell[1] or cell[0].id not in first))

    def _arrived(self, batch: Batch) -> bool:
        """Look at results that are not stored yet; True where one decides the run once it is."""
        progress = self._progress
        progress.retries = batch.retries
        progress.at_once = batch.at_once
        progress.workers = batch.workers
        self._lag_ms = max(self._lag_ms, batch.lag_ms)
        self._taken += len(batch.results)
        for result in batch.results:
            if error := self.answers.add(result):
                self._broken_setup = self._broken_setup or error
                self._trials.stop(str(error))
        return any([self._may_decide(result) for result in batch.results])

    @property
    def _first(self) -> tuple[int, Callable[[], Awaitable[None]]] | None:
        """The number of trials that the others wait for, and how; None where there are none."""
        answers = self.answers
        return (len(answers.first), answers.wait_for_first) if answers.first else None

    @property
    def tally(self) -> Tally:
        """What was counted so far."""
        return self._progress.tally

    @property
    def ended_early(self) -> bool:
        """Whether the run stopped early because its verdict was known."""
        return self._early is not None and self._early.stopped is not None

    @property
    def complete(self) -> bool:
        """Whether every trial has a result."""
        return self._progress.done >= self._progress.planned

    def count(self, result: CaseResult) -> None:
        """Count a result that is on disk; the run stops once it is decided."""
        self._progress.tally.add(result)
        self._progress.done += 1
        if self._evidence is not None:
            self._evidence.add(result)
        if self._early is not None and self._early.decides(result):
            self._trials.stop("decided")

    def recount(self, results: Iterable[CaseResult]) -> None:
        """Count all results again, because some were replaced."""
        self._progress.tally = self._plan.tally()
        if self._plan.gate is not None:
            self._evidence = GateEvidence(self._plan.gate, self._plan.quarantine)
        self._progress.done = 0
        for result in results:
            self._progress.done += 1
            self._progress.tally.add(result)
            if self._evidence is not None:
                self._evidence.add(result)

    def _may_decide(self, result: CaseResult) -> bool:
        """Whether a result decides the run once it is stored; True once."""
        if self._foresight is None or not self._foresight.decides(result):
            return False
        self._foresight = None
        return True

    def verdict(self, summary: Summary, baseline: Baseline | None, facts: Facts) -> Verdict:
        """What the results say, or why they say nothing."""
        progress = self._progress
        gate = self._plan.gate
        if self._too_silent:
            errors = progress.tally.errors
            silent = Verdict("ERROR", self._too_silent, errors=errors, trials=progress.done)
            return with_counts(silent, summary)
        if self._over_budget:
            return verdict_unfinished(self._over_budget)
        if not self.complete and not self.ended_early:
            return verdict_incomplete(progress.done, progress.planned)
        if gate is None or self._evidence is None:
            return verdict_without_gate(summary, facts.get("judged"), self._plan.judges)
        return verdict_of_gate(
            gate,
            self._evidence.outcomes(),
            facts,
            summary,
            templates=self._plan.undeclared_templates,
            baseline=baseline,
            stopped=self._early.stopped if self._early else None,
            failed_tools=summary.failed_tools,
        )

    def outcome(self, summary: Summary, verdict: Verdict, notices: Iterable[str]) -> RunOutcome:
        """The outcome of the run, with what a reader should know of it."""
        progress = self._progress
        return RunOutcome(
            self._trials.run,
            summary,
            verdict,
            self._over_budget or self._too_silent,
            planned=progress.planned,
            done=progress.done,
            lag_ms=self._lag_ms,
            notices=tuple(filter(None, (self.answers.hint(), *notices))),
            tools=self._trials.prepared.tools,
        )

    def affordable(self, under_way: int) -> int:
        """How many more cases fit into the budgets, if each case not stored yet costs its maximum."""
        worst = worst_case(self._plan)
        limits = self._plan.run_limits
        usage = self._progress.tally.usage
        fits = [
            math.floor((most - used) / worst_of_case)
            for most, used, worst_of_case in (
                (limits.tokens, usage.tokens, worst.get("tokens")),
                (limits.cost_usd, usage.cost_usd or 0.0, worst.get("cost_usd")),
            )
            if most is not None and worst_of_case is not None
        ]
        open_cells = under_way + self._taken - self._written_since
        left = max(0, min(fits) - open_cells)
        if not left and not open_cells and not self._over_budget:
            self._over_budget = "another case might exceed run_limits"
            self._trials.stop(self._over_budget)
        return left

    def _count_written(self, batch: Sequence[CaseResult]) -> None:
        self._written_since += len(batch)
        for result in batch:
            self.count(result)
        self._over_budget = self._over_budget or _budget_problem(self._plan, self._progress)
        self._too_silent = self._too_silent or self._silence()
        if stop := self._over_budget or self._too_silent:
            self._trials.stop(stop)
        if self._watch is not None:
            self._watch(self._progress, batch)

    def _silence(self) -> str:
        """Why the run asks no more: its verdict is ERROR, whatever the other trials say; empty when it goes on."""
        plan = self._plan
        progress = self._progress
        most = plan.gate.max_error_rate if plan.gate is not None else MOST_ERRORS
        judged = any(
            asks_model(metric) for metric in plan.scorer.metrics
        )  # labels may decide without its verdicts
        errors = progress.tally.errors
        left = progress.planned - progress.done
        few = errors < LEAST_ERRORS or errors <= most * progress.planned
        if judged or not left or few:
            return ""
        return (
            f"{missing_answers_text(errors, progress.done, 'case')}, more than {percent(most)} of "
            f"{progress.planned:,}; {left:,} were not asked any more"
        )


class EarlyStop:
    """Collects the trials of each golden and feeds the gate's monitor once a golden is complete.

    The monitor takes goldens in the seeded order, not in the order they finish.
    """

    def __init__(self, monitor: StopMonitor, trials: int, quarantine: frozenset[str]) -> None:
        self._monitor = monitor
        self._trials = trials
        self._quarantine = quarantine
        self._open: dict[str, list[CaseResult]] = {}
        self.stopped: Stopped | None = None

    @classmethod
    def of(cls, plan: Plan) -> EarlyStop | None:
        """The early stopping of the plan's gate; None without one."""
        if plan.gate is None or plan.gate.stop == "off":
            return None
        scorer = plan.scorer
        judged = [metric.name for metric in scorer.metrics if asks_model(metric)]
        if judged and plan.gate.judges.uncalibrated == "refuse":
            raise ConfigError(
                f"gate: stop: {plan.gate.stop} would end the run by the judged rate of {', '.join(judged)}, which"
                " labels decide at its end; leave out stop, or set judge: {uncalibrated: allow}"
            )
        goldens = [
            golden for golden in plan.goldens() if golden.id not in plan.quarantine and scorer.checks(golden)
        ]
        if len(goldens) > BLOCK:
            # Beyond one block the order is not a uniform shuffle, so stopping early would bias the result.
            raise ConfigError(f"gate: stop works for at most {BLOCK:,} goldens, got {len(goldens):,}")
        clustered = any(golden.cluster is not None for golden in goldens)
        from rightcall.decide.early_stop import RunOrder, monitor_for

        order = RunOrder(tuple(golden.id for golden in goldens), plan.seed)
        monitor = monitor_for(plan.gate, order, clustered=clustered)
        return cls(monitor, plan.trials, plan.quarantine) if monitor else None

    def decides(self, result: CaseResult) -> bool:
        """Add a result; returns whether the verdict is now known."""
        if self.stopped is not None or not result.checked or result.golden_id in self._quarantine:
            return self.stopped is not None
        trials = self._open.setdefault(result.golden_id, [])
        trials.append(result)
        if len(trials) == self._trials:
            del self._open[result.golden_id]
            scored = tuple(float(trial.passed) for trial in trials if trial.judged)
            self.stopped = self._monitor.feed(result.golden_id, scored, len(trials) - len(scored))
        return self.stopped is not None


def worst_case(plan: Plan) -> dict[str, float]:
    """The maximum cost of one case, in the units that the run has a budget for."""
    of_case = plan.agent.limits
    of_run = plan.run_limits
    return {
        name: most
        for name, most in (("tokens", of_case.tokens), ("cost_usd", of_case.cost_usd))
        if most is not None and getattr(of_run, name) is not None
    }


def _budget_problem(plan: Plan, progress: Progress) -> str:
    limits = plan.run_limits
    if limits.seconds is not None and time.monotonic() - progress.started > limits.seconds:
        return f"{limits.seconds:g} seconds have passed"
    return (
        budget_text(progress.tally.usage, limits.tokens, limits.cost_usd)
        if limits.tokens or limits.cost_usd
        else ""
    )
