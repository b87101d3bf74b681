"""A run without a gate whose cases judges decide: every case must pass, and somebody must have measured the judges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from rightcall.core.errors import InputError
from rightcall.core.text import percent, pluralize, points
from rightcall.decide.comparison import Comparison, LabelledDifference
from rightcall.decide.comparison_claim import Change
from rightcall.decide.config import JudgePolicy
from rightcall.decide.judged_evidence import JudgedEvidence
from rightcall.decide.judged_rule import NOT_CALIBRATED, label_command, label_shortage
from rightcall.stats.gaffke import gaffke_bounds, units
from rightcall.stats.paired_tests import bonett_price

if TYPE_CHECKING:
    from rightcall.decide.verdict import Verdict


def verdict_by_people(
    verdict: Verdict, evidence: JudgedEvidence, policy: JudgePolicy, *, exact_failures: int
) -> Verdict:
    """The verdict by cases as people's labels leave it: without enough of them judges decide nothing.

    A FAIL by `exact_failures`, of cases that fail whatever judges say, stands.
    """
    metrics = evidence.deciding
    if not metrics or verdict.word not in ("PASS", "FAIL") or exact_failures:
        return verdict
    people = {case: word for case, word in evidence.people_verdicts(metrics).items() if word is not None}
    problem = label_shortage(evidence, metrics, len(people), policy) or _weakness(evidence, policy)
    if problem and policy.uncalibrated == "allow":
        return msgspec.structs.replace(verdict.with_clause(NOT_CALIBRATED), uncalibrated=metrics)
    if problem:
        hint = label_command(evidence.run, metrics[0])
        judged = evidence.cases
        if len(judged) < policy.labels:  # labelling all of them would not do
            goldens = pluralize(policy.labels - len(judged), "more golden")
            problem = f"{goldens} and their labels are needed"
            hint = "`measure:` instead of `metrics:` shows the score without deciding"
        *before, last = verdict.lines
        reason = f"{last}, but the judge is not proven: {problem}"
        return verdict.because(*before, reason, word="INCONCLUSIVE", hint=hint)
    refused = sum(not word for word in people.values())
    if verdict.word == "PASS" and refused:
        cases = pluralize(len(people), "labelled case")
        *before, last = verdict.lines
        return verdict.because(
            f"people fail {refused:,} of {cases}", *before, f"{last} by the judge", word="FAIL"
        )
    labels = pluralize(len(people), "label")
    *before, last = verdict.lines
    return verdict.because(*before, f"{last}, by a judge with {labels}")


def _weakness(evidence: JudgedEvidence, policy: JudgePolicy) -> str:
    """Why a judge with labels enough is not believed case by case; empty when it is."""
    try:
        rates = evidence.rates(evidence.deciding, "these_cases", 0.05, policy, {})
    except InputError as error:
        return str(error)
    kappa = rates[0].kappa
    if kappa is None or kappa >= policy.kappa:
        return ""
    return f"its κ with people is {kappa:.2f}, below {policy.kappa:g}; require a rate, which labels decide: --min"


LEAST_PAIRS = 24
"""Goldens with both answers labelled that a claim about a judged difference needs."""


def as_judged(
    comparison: Comparison, judges: Sequence[str], labelled: LabelledDifference | None = None
) -> Comparison:
    """The comparison with the claim that labelled pairs allow; without them there is none.

    A judge's difference is off by what its errors differ between two agents. New damage was found by exact metrics, and
    stays.
    """
    marked = msgspec.structs.replace(comparison, judges=tuple(judges), labelled=labelled)
    if comparison.alarms or not comparison.n:
        return marked
    rates = f"{percent(comparison.rate_a)} → {percent(comparison.rate_b)} over {pluralize(comparison.n, 'golden')}"
    observed = f"{' and '.join(judges)} {rates}, observed difference {points(comparison.difference)}"
    if labelled is None:
        sentence = (
            f"judged, not corrected: by {observed}; a judge's errors differ between agents, so this shows neither "
            f"better nor worse: compare exact metrics, or label the same {LEAST_PAIRS} goldens in both runs"
        )
        return msgspec.structs.replace(marked, change="INCONCLUSIVE", sentence=sentence)
    change, words = _claim(labelled, comparison.margin)
    sentence = (
        f"{words}: by {pluralize(labelled.pairs, 'golden')} with both answers labelled, people's pass rate differs by "
        f"{points(labelled.difference)} ({points(labelled.low)} to {points(labelled.high)}); by the judge {observed}"
    )
    return msgspec.structs.replace(marked, change=change, sentence=sentence)


def _claim(labelled: LabelledDifference, margin: float) -> tuple[Change, str]:
    if labelled.lower > 0:
        return "IMPROVED", "B is better than A"
    if labelled.upper < -margin:
        return "REGRESSED", "B is worse than A"
    if labelled.lower >= -margin:
        return "NON_INFERIOR", f"B is not worse than A by more than {points(margin).lstrip('+')}"
    return "INCONCLUSIVE", "no difference shown"


def difference_by_labels(
    a: JudgedEvidence, b: JudgedEvidence, metrics: Sequence[str], alpha: float
) -> LabelledDifference | None:
    """The difference by goldens that people labelled in both runs; None when these are too few.

    For runs with one trial a golden, labelled at random: a plan by one run's verdicts does not draw pairs.
    """
    first, second = (_labels(evidence, metrics) for evidence in (a, b))
    pairs = [
        int(after) - int(before)
        for golden, before in first.items()
        if before is not None and (after := second.get(golden)) is not None
    ]
    if len(pairs) < LEAST_PAIRS:
        return None
    low, high = bonett_price(len(pairs), pairs.count(-1), pairs.count(1))
    bounds = gaffke_bounds(units((1 + change) / 2 for change in pairs), alpha / 2)
    return LabelledDifference(
        len(pairs), sum(pairs) / len(pairs), low, high, lower=2 * bounds.low - 1, upper=2 * bounds.high - 1
    )


def _labels(evidence: JudgedEvidence, metrics: Sequence[str]) -> dict[str, bool | None]:
    """What people say by golden, exact failures as such; nothing unless each golden has one trial drawn at random."""
    goldens = [case.golden for case in evidence.cases.values()]
    if len(set(goldens)) < len(goldens) or any(case.strata for case in evidence.cases.values()):
        return {}
    passes = tuple(metrics) == evidence.deciding
    return {
        evidence.cases[name].golden: False if passes and evidence.cases[name].failed else label
        for name, label in evidence.people_verdicts(metrics).items()
    }
