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
        sentence = f"{verdict.sentence}; {NOT_CALIBRATED}"
        return msgspec.structs.replace(verdict, sentence=sentence, uncalibrated=metrics)
    counted = verdict.sentence.partition(": ")[2]
    if problem:
        sentence = f"INCONCLUSIVE: {counted}, by a judge that is not calibrated: {problem}"
        hint = label_command(evidence.run, metrics[0])
        return msgspec.structs.replace(verdict, word="INCONCLUSIVE", sentence=sentence, hint=hint)
    refused = sum(not word for word in people.values())
    if verdict.word == "PASS" and refused:
        sentence = f"FAIL: people fail {refused:,} of {pluralize(len(people), 'labelled case')}; {counted} by the judge"
        return msgspec.structs.replace(verdict, word="FAIL", sentence=sentence)
    return msgspec.structs.replace(
        verdict, sentence=f"{verdict.sentence}, by a judge with {pluralize(len(people), 'label')}"
    )


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
