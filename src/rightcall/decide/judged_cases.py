"""A run without a gate whose cases judges decide: every case must pass, and somebody must have measured the judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rightcall.core.errors import InputError
from rightcall.core.text import pluralize
from rightcall.decide.config import JudgePolicy
from rightcall.decide.judged_evidence import JudgedEvidence
from rightcall.decide.judged_rule import NOT_CALIBRATED, label_command, label_shortage

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
