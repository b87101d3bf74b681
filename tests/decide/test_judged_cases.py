"""Runs without a gate: a judge that nobody has measured gives neither PASS nor FAIL, whoever wrote it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, strategies as st

import rightcall as rc
from rightcall.decide.config import JudgePolicy
from rightcall.decide.judged_cases import verdict_by_people
from rightcall.decide.judged_evidence import CaseEvidence, JudgedEvidence, MetricLabels
from rightcall.decide.verdict import Verdict
from rightcall.deepeval.metrics import BaseMetric
from rightcall.metrics.judged.rubric import Rubric
from rightcall.providers.scripted import ScriptedProvider

CASES = 40
GOLDENS = [rc.Golden(f"request {at}", id=f"g{at}") for at in range(CASES)]
WORDS = st.sampled_from([True, False, None])


@dataclass(frozen=True)
class OwnJudge(rc.Metric):
    """A judge that RightCall has not written: it holds its model."""

    model: str = "own"
    rubric: str = "The answer is kind."
    passes: bool = True

    def measure(self, case: rc.TestCase) -> rc.Score:
        return rc.Score(0.7, self.passes)


class OwnDeepEvalJudge(BaseMetric):
    criteria = "The answer is kind."

    def __init__(self) -> None:
        self.model = "own"
        self.threshold = 0.5

    def measure(self, test_case: Any, *args: Any, **options: Any) -> float:
        self.score = 0.9
        self.success = True
        return 0.9

    @property
    def __name__(self) -> str:
        return "own judge"


def judge_that_always(verdict: str) -> Rubric:
    answer = rc.ToolCall("give_verdict", {"criteria": [], "reason": "so", "verdict": verdict})
    return Rubric(ScriptedProvider(lambda request: answer, "judge"), "It is kind.", votes=1, cache="")


def evaluate(*metrics: Any, goldens: Any = GOLDENS, **options: Any) -> Any:
    return rc.evaluate(
        lambda golden: rc.Trajectory(output="yes"),
        dataset=goldens,
        metrics=metrics,
        **options,
    )


@pytest.mark.parametrize(
    "metric",
    [
        judge_that_always("pass"),
        judge_that_always("fail"),
        OwnJudge(),
        OwnJudge(passes=False),
        OwnDeepEvalJudge(),
    ],
    ids=lambda metric: type(metric).__name__,
)
def test_unmeasured_judge_decides_no_run(metric: Any):
    for options in ({}, {"gate": {"min": 0.5}}):
        verdict = evaluate(metric, **options).verdict
        assert verdict.word == "INCONCLUSIVE"
        assert verdict.exit_code == 3
        assert "0 of 24 labels" in verdict.sentence or "their labels are needed" in verdict.sentence


def test_name_with_a_space_can_be_typed():
    assert "--metric 'own judge'" in evaluate(OwnDeepEvalJudge(), gate={"min": 0.5}).verdict.hint


def test_metric_that_says_that_it_asks_no_model_decides():
    class Exact(OwnJudge):
        asks_model = False

    assert evaluate(Exact()).verdict.word == "PASS"


def test_judge_that_only_measures_decides_nothing_else():
    goldens = [rc.Golden("hello", id="g", no_calls=True)]
    result = rc.evaluate(lambda golden: rc.Trajectory(output="yes"), dataset=goldens, measure=[OwnJudge()])
    assert result.verdict.word == "PASS"


def test_exact_failure_fails_whatever_the_judge_says():
    goldens = [rc.Golden("hello", id="g", expected_calls=(rc.ExpectedCall("greet"),)), *GOLDENS]
    assert evaluate(OwnJudge(), goldens=goldens).verdict.word == "FAIL"


def evidence_of(labels: list[bool | None], verdicts: list[bool]) -> JudgedEvidence:
    cases = {
        f"g{at}": CaseEvidence(
            f"g{at}", {"judge": verdict}, {"judge": labels[at]} if at < len(labels) else {}
        )
        for at, verdict in enumerate(verdicts)
    }
    return JudgedEvidence("run", ("judge",), {"judge": MetricLabels("rule")}, cases)


@given(
    st.lists(WORDS, max_size=CASES),
    st.lists(st.booleans(), min_size=CASES, max_size=CASES),
    st.booleans(),
    st.booleans(),
)
def test_pass_needs_labels_and_no_person_against_it(
    labels: list[bool | None], verdicts: list[bool], passed: bool, allowed: bool
):
    word = "PASS" if passed else "FAIL"
    policy = JudgePolicy(uncalibrated="allow" if allowed else "refuse")
    verdict = verdict_by_people(
        Verdict(word, "counted"), evidence_of(labels, verdicts), policy, exact_failures=0
    )
    answers = [label for label in labels if label is not None]
    if len(answers) < policy.labels and not allowed:
        assert verdict.word == "INCONCLUSIVE"
    if verdict.word == "PASS" and not verdict.uncalibrated:
        assert len(answers) >= policy.labels
        assert all(answers)
    if verdict.uncalibrated:
        assert allowed
        assert "judge not calibrated" in verdict.sentence
        assert verdict.word == word


def test_measured_judge_decides_case_by_case():
    labels: list[bool | None] = [True] * 24
    verdict = verdict_by_people(
        Verdict("PASS", "all 40 cases passed"),
        evidence_of(labels, [True] * CASES),
        JudgePolicy(),
        exact_failures=0,
    )
    assert verdict.sentence == "PASS: all 40 cases passed, by a judge with 24 labels"
    labels[3] = False
    verdict = verdict_by_people(
        Verdict("PASS", "all 40 cases passed"),
        evidence_of(labels, [True] * CASES),
        JudgePolicy(),
        exact_failures=0,
    )
    assert verdict.sentence == "FAIL: people fail 1 of 24 labelled cases; all 40 cases passed by the judge"
