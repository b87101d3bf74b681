"""The verdict of a run: by its gate, or, without one, by whether every case passed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from rightcall.core.text import pluralize
from rightcall.decide.config import Gate, JudgePolicy
from rightcall.decide.golden_outcomes import Outcome
from rightcall.decide.rule_source import Facts
from rightcall.decide.rules import PASS_RATES, Check, Word
from rightcall.decide.verdict import Verdict, decide, why_lines
from rightcall.metrics.dimensions import AGENTS_KNOWN
from rightcall.records.open_call import unknown_calls_text
from rightcall.records.run import (
    FailedTool,
    GroupSummary,
    Summary,
    missing_answers_text,
    nothing_checked_text,
    nothing_delivered_text,
)
from rightcall.run.request_templates import TemplateGroup, with_template_notice

if TYPE_CHECKING:
    from rightcall.decide.baseline import Baseline
    from rightcall.decide.early_stop import Stopped
    from rightcall.decide.judged_evidence import JudgedEvidence


NOTHING_CHECKED = "let `rightcall generate expected RUN` propose expected calls, write them, or name a metric"
"""What makes a case checked."""

NO_AGENT = "the goldens name agents, but no call says which agent made it, so nothing is known about agents"
NAME_AGENTS = 'name your agents, as in create_agent(…, name="billing"), or write `agent` on recorded calls'

MOST_ERRORS = 0.05
"""Share of trials without an answer from which a run is an ERROR."""


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


def verdict_of_gate(
    gate: Gate,
    outcomes: Sequence[Outcome],
    facts: Facts,
    counts: Summary,
    *,
    templates: Sequence[TemplateGroup],
    baseline: Baseline | None = None,
    stopped: Stopped | None = None,
    failed_tools: tuple[FailedTool, ...] | None = None,
) -> Verdict:
    """The verdict of a gate about a run, with what `counts` and its goldens add to it."""
    verdict = decide(gate, outcomes, facts, baseline=baseline, stopped=stopped, failed_tools=failed_tools)
    return with_counts(with_template_notice(verdict, templates), counts, gate)


def with_verdict(summary: Summary, verdict: Verdict, **fields: Any) -> Summary:
    """The summary with the verdict (its word, its reason, why at length, a gate's range) and other fields."""
    return msgspec.structs.replace(
        summary,
        word=verdict.word,
        reason=verdict.reason,
        clauses=verdict.lines,
        why=why_lines(verdict),
        overall=_with_range(summary.overall, verdict.checks),
        **fields,
    )


def _with_range(group: GroupSummary, checks: Sequence[Check]) -> GroupSummary:
    """The group, whose rate has the range of the rule about it: the only one that is shown anywhere."""
    rate = group.rate
    check = next((check for check in checks if check.name in PASS_RATES and check.range), None)
    if rate is None or check is None or check.value != rate.value:
        return group
    ranged = msgspec.structs.replace(rate, low=check.low, high=check.high, range=check.range)
    return msgspec.structs.replace(group, rate=ranged)


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


def verdict_unfinished(why: str) -> Verdict:
    return Verdict("INCONCLUSIVE", f"the run was stopped: {why}")


def verdict_incomplete(stored: int, planned: int) -> Verdict:
    """The verdict of a run with missing results: ERROR, because a partial run decides nothing."""
    return Verdict("ERROR", f"{stored:,} of {planned:,} results are stored, so there is no verdict")
