"""The verdict of a run: by its gate, or, without one, by whether every case passed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from rightcall.core.errors import ConfigError
from rightcall.core.text import pluralize
from rightcall.decide.config import Gate, JudgePolicy
from rightcall.decide.essay import why_lines
from rightcall.decide.golden_outcomes import Outcome, outcomes_of
from rightcall.decide.rules import Word
from rightcall.decide.verdict import Verdict
from rightcall.metrics.base import asks_model
from rightcall.metrics.dimensions import AGENTS_KNOWN
from rightcall.records.open_call import unknown_calls_text
from rightcall.records.run import (
    CaseResult,
    GroupSummary,
    Summary,
    missing_answers_text,
    nothing_checked_text,
    nothing_delivered_text,
)
from rightcall.run.gate_evidence import GateEvidence
from rightcall.run.plan import BLOCK, Plan
from rightcall.store.base import StoredRun
from rightcall.store.sql.store import Store

if TYPE_CHECKING:
    from rightcall.decide.early_stop import StopMonitor, Stopped
    from rightcall.decide.judged_evidence import JudgedEvidence


NOTHING_CHECKED = "let `rightcall generate expected RUN` propose expected calls, write them, or name a metric"
"""What makes a case checked."""

NO_AGENT = "the goldens name agents, but no call says which agent made it, so nothing is known about agents"
NAME_AGENTS = 'name your agents, as in create_agent(…, name="billing"), or write `agent` on recorded calls'

MOST_ERRORS = 0.05
"""Share of trials without an answer from which a run is an ERROR."""


def gather_outcomes(results: Iterable[CaseResult]) -> list[Outcome]:
    """Outcomes of results that include their golden's cluster and tags."""
    kept = list(results)
    clusters: Mapping[str, str | None] = {r.golden_id: r.cluster for r in kept if r.cluster is not None}
    return outcomes_of(kept, clusters=clusters, tags={r.golden_id: r.tags for r in kept if r.tags})


def verdict_without_gate(
    summary: Summary, judged: JudgedEvidence | None = None, policy: JudgePolicy | None = None
) -> Verdict:
    """PASS requires every case to be answered and to pass, and no metric to fail.

    Where judges decide cases, `judged` has what people say of them: without enough labels there is neither PASS nor
    FAIL by a judge, unless the `policy` allows it.
    """
    whole = summary.overall
    tried = whole.cases + whole.errors
    failed = whole.cases - whole.passed
    unanswered = summary.codes.get("infra_error", 0)
    broken = whole.errors - unanswered
    missing = missing_answers_text(whole.errors, tried, "golden" if summary.trials == 1 else "case")
    noun = "golden" if summary.trials == 1 else "trial"
    passed = f"{whole.passed:,} of {pluralize(whole.cases, noun)} passed"
    word: Word
    more = ""
    if broken > MOST_ERRORS * tried or (broken and not failed):
        word = "ERROR"
        reason = f"{pluralize(broken, 'case')} of {tried:,} could not be scored"
        more = missing
    elif whole.errors > MOST_ERRORS * tried or not whole.cases:
        word = "ERROR"
        reason = missing
    elif failed:
        by_judges = summary.failed_by_judges
        marked = f", {by_judges:,} failed by a model" if by_judges else ""
        word = "FAIL"
        reason = f"{passed}{marked}; all wanted"
        more = missing if whole.errors else ""
    elif whole.errors:
        word = "INCONCLUSIVE"
        reason = passed
        more = missing
    else:
        word = "PASS"
        reason = passed
    verdict = Verdict(word, reason, errors=whole.errors, trials=tried).with_clause(more)
    if judged is not None:
        from rightcall.decide.judged_cases import verdict_by_people

        exact = failed - summary.failed_by_judges
        verdict = verdict_by_people(verdict, judged, policy or JudgePolicy(), exact_failures=exact)
    return with_counts(verdict, summary)


def with_verdict(summary: Summary, verdict: Verdict) -> Summary:
    """The summary with the verdict: its word, its reason, and why at length."""
    return msgspec.structs.replace(
        summary, word=verdict.word, reason=verdict.reason, clauses=verdict.lines, why=why_lines(verdict)
    )


def with_counts(verdict: Verdict, summary: Summary, gate: Gate | None = None) -> Verdict:
    """The verdict with the notes of a run and what rates exclude: unchecked cases, calls whose outcome is unknown.

    Without a checked case there is no other verdict, whatever a gate says about undecided runs. A PASS of a gate that
    limits no pass rate says how many cases did not pass.
    """
    failed = summary.overall.cases - summary.overall.passed
    if gate is not None and not gate.limits_passes and verdict.word == "PASS" and failed:
        cases = pluralize(summary.overall.cases, "case")
        verdict = verdict.with_clause(f"{failed:,} of {cases} did not pass, and no pass rate is wanted")
    if summary.unchecked and not verdict.trials:
        verdict = nothing_checked(summary.unchecked, summary.unchecked_errors)
    elif summary.unchecked:
        verdict = by_delivery(verdict.with_clause(summary.unchecked_text), summary)
    if summary.overall.means.get(AGENTS_KNOWN) == 0.0:
        verdict = verdict.because(NO_AGENT, word="ERROR", hint=NAME_AGENTS)
    verdict = msgspec.structs.replace(verdict, notes=(*summary.notes, *verdict.notes))
    return verdict.with_clause(unknown_calls_text(summary.unknown_calls) if summary.unknown_calls else "")


def by_delivery(verdict: Verdict, summary: Summary) -> Verdict:
    """The verdict, which is not PASS where attacks were planned and none of them reached the agent."""
    if verdict.word != "PASS" or not summary.nothing_delivered:
        return verdict
    return verdict.because(nothing_delivered_text(summary.undelivered), *verdict.lines, word="INCONCLUSIVE")


def nothing_checked(cases: int, errors: int = 0) -> Verdict:
    """The verdict of a run without a checked case: INCONCLUSIVE, or ERROR if too many got no answer."""
    ran = nothing_checked_text(cases)
    if errors > MOST_ERRORS * cases:
        return Verdict("ERROR", ran).with_clause(f"{errors:,} of them got no answer")
    return Verdict("INCONCLUSIVE", ran, hint=NOTHING_CHECKED)


def counts_of_row(stored: StoredRun) -> Summary:
    """What the row of a run without a summary says about its unchecked cases."""
    nothing = GroupSummary(stored.judged, stored.passed, stored.errors, {})
    return Summary(nothing, {}, {}, unchecked=stored.unchecked)


def verdict_unfinished(why: str) -> Verdict:
    return Verdict("INCONCLUSIVE", f"the run was stopped: {why}")


def verdict_incomplete(stored: int, planned: int) -> Verdict:
    """The verdict of a run with missing results: ERROR, because a partial run decides nothing."""
    return Verdict("ERROR", f"{stored:,} of {planned:,} results are stored, so there is no verdict")


def earlier_stop(stored: StoredRun) -> Stopped | None:
    """How a stored run that stopped early may be judged again: not at all, except for damage; None for other runs.

    Its own monitor read the goldens in an order that is not stored, and an interval computed at a moment chosen by the
    data errs more often than it says.
    """
    summary = stored.run.summary
    if summary is None or not summary.stopped_early:
        return None
    used = stored.results
    reason = (
        f"the run stopped early, after {used:,} of {pluralize(max(stored.planned, used), 'result')}, at a moment that "
        f"its results chose, so they decide no other gate (its own said {stored.verdict}: {summary.reason})"
    )
    from rightcall.decide.early_stop import Stopped

    return Stopped("INCONCLUSIVE", used, used, reason, by="earlier")


def evidence_of_run(store: Store, run: str, gate: Gate, quarantine: frozenset[str]) -> Sequence[Outcome]:
    """The outcomes of a stored run as its gate needs them, each made when it is read.

    Delays added by the machine are stored only with trajectories, which are read if latencies are limited.
    """
    evidence = GateEvidence(gate, quarantine)
    for result in results_of_run(store, run, trajectories=gate.limits_latency):
        evidence.add(result)
    return evidence.outcomes()


def results_of_run(store: Store, run: str, *, trajectories: bool = False) -> Iterator[CaseResult]:
    """Every result of a run by golden id and trial, each with its golden's cluster and tags."""
    labels = {
        golden.id: (golden.cluster, golden.tags)
        for golden in store.runs.goldens(run)
        if golden.cluster or golden.tags
    }
    for result in store.runs.results(run, trajectories=trajectories):
        if result.golden_id in labels:
            cluster, tags = labels[result.golden_id]
            yield msgspec.structs.replace(result, cluster=cluster, tags=tags)
        else:
            yield result


def outcomes_of_run(store: Store, run: str, leave_out: frozenset[str] = frozenset()) -> list[Outcome]:
    """The outcomes of a stored run for a comparison, without quarantined goldens."""
    return gather_outcomes(
        result for result in results_of_run(store, run) if result.golden_id not in leave_out
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
