"""Gates on judged rates: labels decide, without them nothing does, and what exact metrics fail stays failed."""

from __future__ import annotations

import random
from typing import Any

import pytest

from rightcall.api.testing.summary import gate_verdict, group_notes
from rightcall.decide.config import BaselineGate, Gate, JudgePolicy
from rightcall.decide.golden_outcomes import Outcome
from rightcall.decide.judged_evidence import CaseEvidence, JudgedEvidence, MetricLabels
from rightcall.decide.verdict import decide
from tests.support.examples import examples

METRIC = "kind"
ALLOW = JudgePolicy(uncalibrated="allow")


def population(seed: int, cases: int, rate: float, right: float = 0.9, exact: float = 0.0):
    """(what people would say, what the judge says, whether an exact metric fails it), by case."""
    rng = random.Random(seed)
    rows = []
    for _ in range(cases):
        good = rng.random() < rate
        rows.append((good, good if rng.random() < right else not good, rng.random() < exact))
    return rows


def evidence(rows, labels: int, *, seed: int = 0, unsure: int = 0, none: int = 0, **about) -> JudgedEvidence:
    """The first of a random order are labelled; `none` cases get no verdict."""
    order = list(range(len(rows)))
    random.Random(seed).shuffle(order)
    answers: dict[int, bool | None] = {case: rows[case][0] for case in order[:labels]}
    answers |= dict.fromkeys(order[:unsure])
    silent = set(random.Random(seed + 1).sample(range(len(rows)), none))
    cases = {
        f"g{i}": CaseEvidence(
            f"g{i}",
            {METRIC: None if i in silent else judged},
            {METRIC: answers[i]} if i in answers else {},
            failed=failed,
        )
        for i, (_, judged, failed) in enumerate(rows)
    }
    return JudgedEvidence("run1", (METRIC,), {METRIC: MetricLabels("9f3c1a2bff", **about)}, cases)


def outcomes(found: JudgedEvidence) -> list[Outcome]:
    rows = []
    for name, case in found.cases.items():
        if case.judgements[METRIC] is None:
            rows.append(Outcome(name, errors=1))
        else:
            passed = float(bool(case.judgements[METRIC]) and not case.failed)
            rows.append(Outcome(name, (passed,), metrics={METRIC: (float(bool(case.judgements[METRIC])),)}))
    return rows


def verdict(found: JudgedEvidence, gate: Gate):
    return decide(gate, outcomes(found), {"judged": found})


GATE = Gate(min=0.85)


def test_without_labels_nothing_is_decided_and_the_command_is_named():
    found = verdict(evidence(population(1, 100, 1.0, right=1.0), labels=0), GATE)
    assert (found.word, found.exit_code) == ("INCONCLUSIVE", 3)
    assert "kind: 0 of 24 labels for rubric 9f3c1a2b…" in found.sentence
    assert found.hint == "rightcall judge label run1 --metric kind"
    (check,) = found.checks
    assert (check.judged, check.labels, check.judges) == (1.0, 0, ("kind",))


def test_stale_labels_are_named_and_decide_nothing():
    found = verdict(evidence(population(1, 100, 1.0), labels=0, stale=30), GATE)
    assert found.word == "INCONCLUSIVE" and "(30 labels of another rubric)" in found.sentence


def test_allowed_uncalibrated_judges_decide_and_everything_says_so():
    gate = Gate(min=0.85, judges=ALLOW)
    found = verdict(evidence(population(1, 100, 1.0, right=1.0), labels=0), gate)
    assert found.word == "PASS" and found.sentence.endswith("; judge not calibrated")
    assert found.uncalibrated == ("kind",) and found.checks[0].uncalibrated


def test_labels_decide_even_where_the_raw_rate_says_otherwise():
    rows = [(True, i % 10 < 6, False) for i in range(300)]  # a stern judge: people pass everything
    found = verdict(evidence(rows, labels=60), Gate(min=0.9))
    assert found.word == "PASS" and "by the judge alone it is 60%" in found.sentence
    lenient = [(i % 10 < 5, True, False) for i in range(300)]
    assert verdict(evidence(lenient, labels=60), Gate(min=0.9)).word == "FAIL"


def test_a_failure_of_exact_metrics_alone_stands_without_labels():
    rows = [(True, True, i % 2 == 0) for i in range(100)]
    for gate in (Gate(min=0.85), Gate(min=0.85, rule="point")):
        found = verdict(evidence(rows, labels=0), gate)
        assert found.word == "FAIL" and "whatever people say" in found.sentence


def test_exact_failures_are_known_in_the_rate_that_labels_estimate():
    rows = [(True, True, i % 5 == 0) for i in range(200)]
    (check,) = verdict(evidence(rows, labels=60), Gate(min=0.95)).checks
    assert check.word == "FAIL"  # 80% at most
    (check,) = verdict(evidence(rows, labels=60), Gate(min=0.7)).checks
    assert check.word == "PASS" and check.value == pytest.approx(0.8, abs=0.01)


def test_a_judged_metric_that_only_measures_does_not_touch_the_pass_rate():
    found = evidence(population(1, 100, 1.0, right=1.0), labels=0)
    observed = JudgedEvidence(found.run, (), found.metrics, found.cases)
    assert verdict(observed, GATE).word == "PASS"
    assert verdict(observed, Gate(metrics={METRIC: 0.8})).word == "INCONCLUSIVE"


def test_many_unsure_labels_need_both_bounds():
    rows = [(True, True, False)] * 200
    assert verdict(evidence(rows, labels=60), GATE).word == "PASS"
    found = verdict(evidence(rows, labels=60, unsure=20), GATE)
    assert found.word == "INCONCLUSIVE" and found.checks[0].low < 0.7


def test_a_judge_below_the_floor_of_kappa_is_not_used():
    rows = population(3, 400, 0.5, right=0.62)
    weak = evidence(rows, labels=200)
    used = weak.rates((METRIC,), "cases_like_these", 0.05, JudgePolicy(kappa=-1.0), {})[0]
    alone = weak.rates((METRIC,), "cases_like_these", 0.05, JudgePolicy(kappa=0.9), {})[0]
    assert used.uses_judge and not alone.uses_judge
    assert alone.rate == pytest.approx(
        sum(rows[int(c[1:])][0] for c in weak.people_verdicts((METRIC,))) / 200
    )


def test_missing_verdicts_are_an_error_unless_labels_carry_them():
    rows = [(True, True, False)] * 200
    assert verdict(evidence(rows, labels=0, none=30), Gate(min=0.8, judges=ALLOW)).word == "ERROR"
    assert verdict(evidence(rows, labels=0, none=30), Gate(min=0.8)).word == "ERROR"
    assert verdict(evidence(rows, labels=80, none=30), Gate(min=0.8)).word == "PASS"
    few = [(True, True, False)] * 400
    assert (
        verdict(evidence(few, labels=24, none=30, seed=5), Gate(min=0.5)).word == "ERROR"
    )  # 3 labels of them


def test_several_rules_share_the_error_rate():
    rows = [(i % 10 < 9, i % 10 < 9, False) for i in range(300)]
    found = verdict(evidence(rows, labels=100), Gate(min=0.8, metrics={METRIC: 0.8}))
    assert found.hypotheses == 2 and [check.word for check in found.checks] == ["PASS", "PASS"]


def test_a_baseline_decides_nothing_where_judges_do():
    found = evidence([(True, True, False)] * 100, labels=60)
    before = [Outcome(o.golden_id, (0.0,)) for o in outcomes(found)]
    gate = Gate(min=0.8, baseline=BaselineGate("main"))
    judged = decide(gate, outcomes(found), {"judged": found}, baseline=before)
    assert judged.word == "INCONCLUSIVE" and "judged, not corrected" in judged.sentence


def test_two_deciding_judges_are_decided_by_cases_labelled_for_both():
    cases = {
        f"g{i}": CaseEvidence(
            f"g{i}", {"a": True, "b": i % 4 > 0}, {"a": True, "b": i % 4 > 0} if i < 60 else {}
        )
        for i in range(120)
    }
    both = JudgedEvidence("run1", ("a", "b"), {"a": MetricLabels(), "b": MetricLabels()}, cases)
    rows = [Outcome(name, (float(case.judgements["b"] or 0),)) for name, case in cases.items()]
    (check,) = decide(Gate(min=0.9), rows, {"judged": both}).checks
    assert (check.word, check.labels, check.value) == ("FAIL", 60, 0.75)


def test_an_undecided_rate_says_how_many_labels_or_cases_are_short():
    rows = population(8, 400, 0.9, right=0.85)
    short = verdict(evidence(rows, labels=40), Gate(min=0.84))
    assert short.word == "INCONCLUSIVE" and "labels would decide it, there are 40" in short.hint
    needed = int(short.hint.split()[1])
    assert 40 < needed <= 400
    assert verdict(evidence(rows, labels=needed), Gate(min=0.84)).word == "PASS"  # at this seed
    whole = verdict(evidence(population(2, 60, 0.9), labels=60), Gate(min=0.85))
    assert whole.word == "INCONCLUSIVE" and "labels alone would hardly decide it" in whole.hint


@pytest.mark.stories
@pytest.mark.parametrize(
    ("cases", "labels", "rate", "right"),
    [
        (120, 24, 0.7, 0.5),
        (300, 48, 0.85, 0.8),
        (300, 48, 0.85, 1.0),
        (400, 72, 0.95, 0.9),
        (120, 72, 0.6, 0.7),
    ],
)
def test_at_the_boundary_the_gate_errs_no_more_often_than_it_says(cases, labels, rate, right):
    """Seeds from 0, 250 or in a long search 1,000: at most 5% of wrong verdicts on either side and 3 standard errors."""
    words = []
    for seed in range(examples(1000, few=250)):
        found = evidence(population(seed, cases, rate, right), labels, seed=seed)
        words.append(verdict(found, Gate(min=rate)).word)
    allowed = 0.05 + 3 * (0.05 * 0.95 / len(words)) ** 0.5
    assert words.count("PASS") / len(words) <= allowed
    assert words.count("FAIL") / len(words) <= allowed


def notes_of_tests(passes: list[bool], failed: list[bool]) -> list[dict[str, Any]]:
    """What tests with a judged metric note, one golden each."""
    common = {
        "run": "run1",
        "test": "test_kind",
        "agent": "a",
        "category": "golden",
        "cluster": None,
        "answered": True,
    }
    return [
        {**common, "golden": f"g{i}", "passes": [p], "errors": 0, "unchecked": 0, "codes": {}, "judges": [METRIC],
         "failed": [f], "by_judge": p}
        for i, (p, f) in enumerate(zip(passes, failed, strict=True))
    ]  # fmt: skip


@pytest.mark.parametrize("rule", ["point", "interval"])
def test_tests_are_not_decided_by_their_judges_unless_allowed(rule):
    groups = group_notes(notes_of_tests([True] * 60, [False] * 60))
    refused = gate_verdict(groups, 0.8, rule)
    assert refused.word == "INCONCLUSIVE" and "0 of 24 labels" in refused.sentence
    allowed = gate_verdict(groups, 0.8, rule, uncalibrated="allow")
    assert allowed.word == "PASS" and "judge not calibrated" in allowed.sentence
    broken = group_notes(notes_of_tests([False] * 60, [True] * 60))
    assert gate_verdict(broken, 0.8, rule).word == "FAIL"
