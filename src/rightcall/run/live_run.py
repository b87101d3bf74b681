"""A run in progress: its totals, early stopping, and what its budgets still allow."""

from __future__ import annotations

import asyncio
import copy
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import msgspec

from rightcall.agents.limits import budget_text
from rightcall.core.text import percent
from rightcall.decide.check_rule import CheckWord
from rightcall.decide.rule_source import Facts
from rightcall.decide.rules import Word
from rightcall.decide.verdict import Verdict, decide
from rightcall.metrics.base import asks_model
from rightcall.metrics.tally import Tally
from rightcall.records.run import CaseResult, Run, Summary, missing_answers_text
from rightcall.records.tool import Tool
from rightcall.run.answers import AnswerWatch
from rightcall.run.backend import Backend, Batch, Cell, RunWork
from rightcall.run.gate_evidence import GateEvidence
from rightcall.run.local_trials import DecidedTrials
from rightcall.run.outcome import (
    MOST_ERRORS,
    EarlyStop,
    verdict_incomplete,
    verdict_unfinished,
    verdict_without_gate,
    with_counts,
    with_verdict,
)
from rightcall.run.plan import Plan
from rightcall.run.request_templates import with_template_notice
from rightcall.run.run_record import DoneCells
from rightcall.run.sink import Sink
from rightcall.store.address import Persistence
from rightcall.store.sql.run_writer import RunWriter

if TYPE_CHECKING:
    from rightcall.decide.baseline import Baseline

LEAST_ERRORS = 10
"""Trials without an answer from which a run may stop asking: in a small run the others cost little and say more."""
TURNS_TO_SEND = 10
"""Turns of the event loop in which the first requests are sent: tasks start, connect and write."""


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


Write = Callable[[Sequence[CaseResult]], Sequence[CaseResult]]


_WORDS_OF_CHECKS: dict[CheckWord, Word] = {
    "SAME": "PASS",
    "PASS": "PASS",
    "NO LOSS SEEN": "INCONCLUSIVE",
    "WORSE": "FAIL",
    "INCONCLUSIVE": "INCONCLUSIVE",
    "ERROR": "ERROR",
}


class LiveRun:
    """A running backend, and everything that follows from each of its results."""

    def __init__(
        self,
        plan: Plan,
        progress: Progress,
        watch: Watcher | None,
        persist: Persistence,
        backend: Backend,
        goldens: str,
        decided_trials: DecidedTrials | None = None,
    ) -> None:
        self._plan = plan
        self._progress = progress
        self._watch = watch
        self._persist = persist
        self._backend = backend
        self._goldens = goldens
        self._decided_trials = decided_trials
        self._evidence = GateEvidence(plan.gate, plan.quarantine) if plan.gate else None
        self._early = EarlyStop.of(plan) if plan.gate else None
        self._foresight = copy.deepcopy(self._early)
        self._deciding = False
        self._over_budget = self._too_silent = ""
        self._lag_ms = 0.0
        self.keeps_state = ""
        # An agent that a change broke is what a decider decides about.
        self.answers = AnswerWatch(plan) if decided_trials is None else None
        self._taken = self._written_since = 0
        self._cells: asyncio.Task[None] | None = None
        self._error: Exception | None = None
        self._broken_setup: Exception | None = None

    async def run(self, work: RunWork, write: Write, writer: RunWriter, done: DoneCells) -> None:
        async with (
            Sink(write, self._count_written, broken=self._fail, persist=self._persist) as sink,
            self._store_goldens(writer),
        ):

            async def take(batch: Batch) -> None:
                progress = self._progress
                progress.retries = batch.retries
                progress.at_once = batch.at_once
                progress.workers = batch.workers
                self._lag_ms = max(self._lag_ms, batch.lag_ms)
                self._taken += len(batch.results)
                self._watch_answers(batch)
                for result in batch.results:
                    await sink.put(result)
                    if self._deciding or self._may_decide(result):
                        await self._settle(sink)

            self._cells = asyncio.create_task(self._backend.run(work, self._jobs(done), take))
            try:
                await self._cells
            except asyncio.CancelledError:
                if self._error is None:
                    raise
            if self._error is not None:
                raise self._error
        if self._broken_setup is not None:  # once everything that finished is stored
            raise self._broken_setup

    def _jobs(self, done: DoneCells) -> Iterator[Cell]:
        """The trials to run: those first that show whether the setup works."""
        jobs = self._plan.jobs(done if done.count else None)
        if self.answers is None or done.count:
            return jobs
        first = {golden.id for golden, _ in self.answers.first}
        return chain(self.answers.first, (job for job in jobs if job[1] or job[0].id not in first))

    @property
    def first(self) -> tuple[int, Callable[[], Awaitable[None]]] | None:
        """The number of trials that the others wait for, and how; None where there are none."""
        answers = self.answers
        return (len(answers.first), answers.wait_for_first) if answers and answers.first else None

    def _fail(self, error: Exception) -> None:
        """End the run with this error; cases in progress are cancelled."""
        self._error = self._error or error
        if self._cells is not None:
            self._cells.cancel()

    def _watch_answers(self, batch: Batch) -> None:
        if self.answers is None:
            return
        for result in batch.results:
            if error := self.answers.add(result):
                self._broken_setup = self._broken_setup or error
                self._backend.stop(str(error))

    @asynccontextmanager
    async def _store_goldens(self, writer: RunWriter) -> AsyncIterator[None]:
        """Store the goldens for later inspection; no case waits for this."""
        asked = self._decided_trials
        goldens = (
            (self._plan.in_dataset_order(), self._goldens) if asked is None else (asked.decider.goldens, "")
        )
        keep = partial(self._persist, lambda: writer.add_goldens(*goldens))
        keeping = asyncio.create_task(_after_first_requests(keep))
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
            self._fail(error)

    @property
    def tally(self) -> Tally:
        """What was counted so far."""
        return self._progress.tally

    @property
    def ended_early(self) -> bool:
        """Whether the run stopped early because its verdict was known."""
        stopped = self._early is not None and self._early.stopped is not None
        return self._decided_trials is not None or stopped

    def count(self, result: CaseResult) -> None:
        """Count a result that is on disk; the run stops once it is decided."""
        self._progress.tally.add(result)
        self._progress.done += 1
        if self._evidence is not None:
            self._evidence.add(result)
        if self._early is not None and self._early.decides(result):
            self._backend.stop("decided")

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

    def recall(self, result: CaseResult) -> None:
        """Count a result from before the resume."""
        self.count(result)
        self._may_decide(result)

    def _may_decide(self, result: CaseResult) -> bool:
        """Whether a result decides the run once it is stored; True once."""
        if self._foresight is None or not self._foresight.decides(result):
            return False
        self._foresight = None
        return True

    async def _settle(self, sink: Sink) -> None:
        """Store what is pending now, and block other results meanwhile: until a batch is full, or while it
        is written, a fast agent would run a hundred cases for nothing.
        """
        self._deciding = True
        try:
            await sink.flush()
        finally:
            self._deciding = False

    def outcome(
        self,
        run: Run,
        baseline: Baseline | None,
        tools: Mapping[str, Tool],
        facts: Facts,
    ) -> RunOutcome:
        progress = self._progress
        gate = self._plan.gate
        summary = msgspec.structs.replace(progress.tally.summary(), keeps_state=self.keeps_state)
        if self._decided_trials is not None:
            word, reason = self._decided_trials.decision
            verdict = Verdict(_WORDS_OF_CHECKS[word], reason)
        elif self._too_silent:
            errors = progress.tally.errors
            verdict = Verdict("ERROR", self._too_silent, errors=errors, trials=progress.done)
            verdict = with_counts(verdict, summary)
        elif self._over_budget:
            verdict = verdict_unfinished(self._over_budget)
        elif progress.done < progress.planned and not self.ended_early:
            verdict = verdict_incomplete(progress.done, progress.planned)
        elif gate is not None and self._evidence is not None:
            stopped = self._early.stopped if self._early else None
            verdict = decide(
                gate,
                self._evidence.outcomes(),
                facts,
                baseline=baseline,
                stopped=stopped,
                failed_tools=summary.failed_tools,
            )
            verdict = with_template_notice(verdict, self._plan.undeclared_templates)
            verdict = msgspec.structs.replace(with_counts(verdict, summary, gate), rate=summary.overall.rate)
        else:
            verdict = verdict_without_gate(summary, facts.get("judged"), self._plan.judges)
        return RunOutcome(
            run,
            msgspec.structs.replace(
                with_verdict(summary, verdict),
                **{name: facts[name] for name in facts.keys() & set(Summary.__struct_fields__)},
                stopped_early=self.ended_early and progress.done < progress.planned,
            ),
            verdict,
            self._over_budget or self._too_silent,
            planned=progress.planned,
            done=progress.done,
            lag_ms=self._lag_ms,
            notices=(hint,) if self.answers is not None and (hint := self.answers.hint()) else (),
            tools=tools,
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
            self._backend.stop(self._over_budget)
        return left

    def _count_written(self, batch: Sequence[CaseResult]) -> None:
        self._written_since += len(batch)
        for result in batch:
            self.count(result)
        self._over_budget = self._over_budget or _budget_problem(self._plan, self._progress)
        self._too_silent = self._too_silent or self._silence()
        if stop := self._over_budget or self._too_silent:
            self._backend.stop(stop)
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
        if judged or not left or self._decided_trials is not None or few:
            return ""
        return (
            f"{missing_answers_text(errors, progress.done, 'case')}, more than {percent(most)} of "
            f"{progress.planned:,}; {left:,} were not asked any more"
        )


async def _after_first_requests(work: Callable[[], None]) -> None:
    """Do work in a thread while the first answers are awaited: before, it would compete with sending the requests."""
    for _ in range(TURNS_TO_SEND):
        await asyncio.sleep(0)
    await asyncio.to_thread(work)


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
