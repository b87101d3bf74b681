"""A trial without an answer counts as whatever speaks against the word."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from rightcall.decide.comparison import compare
from rightcall.decide.config import CostLimit, Gate, LatencyLimit
from rightcall.decide.early_stop import StopMonitor, shuffle_order
from rightcall.decide.golden_outcomes import Outcome
from rightcall.decide.verdict import decide
from tests.support.examples import examples


def goldens(count: int, *, unanswered: int, failed: int = 0, latency: float = 10.0) -> list[Outcome]:
    """Goldens of one trial: the first have no answer, the next fail, the others pass."""
    outcomes = [Outcome(f"g{i}", errors=1) for i in range(unanswered)]
    return outcomes + [
        Outcome(f"g{i}", (float(i >= unanswered + failed),), latencies_ms=(latency,), metrics={"m": (1.0,)})
        for i in range(unanswered, count)
    ]


def as_read(outcomes: list[Outcome], score: float) -> list[Outcome]:
    """What the outcomes were, if every trial without an answer had this score."""
    return [replace(o, passes=o.passes + (score,) * o.errors, errors=0) for o in outcomes]


MOST = 0.99
"""Of these tests: an error rate above the gate's is an ERROR, whatever a rule says."""


@pytest.mark.parametrize("unanswered", [1, 2, 4])
@pytest.mark.parametrize(
    "gate",
    [
        {"min": 0.9, "rule": "point"},
        {"min": 0.92},
        {"min": 0.92, "about": "these_goldens"},
        {"metrics": {"m": 0.92}},
        {"by": {"categories": {"golden": 0.92}}},
        {"forbid": ["wrong_tool"]},
        {"latency_ms": LatencyLimit(max=20)},
    ],
    ids=str,
)
def test_a_gate_that_passes_on_the_answers_names_what_is_missing(gate: dict, unanswered: int):
    outcomes = goldens(40 + unanswered, unanswered=unanswered)
    gate = {**gate, "max_error_rate": MOST}
    assert decide(Gate(**gate), outcomes[unanswered:]).word == "PASS"
    verdict = decide(Gate(**gate), outcomes)
    observed = gate.get("rule") == "point"  # 36 of 40 are 90 %
    assert verdict.word == ("PASS" if observed else "INCONCLUSIVE"), verdict.sentence
    assert f"{unanswered} of {40 + unanswered} goldens got no answer" in verdict.sentence


def test_what_was_spent_is_known_also_without_an_answer():
    outcomes = [Outcome("a", (1.0,), costs_usd=(1.0,)), Outcome("b", errors=1, costs_usd=(1.0,))]
    gate = Gate(cost=CostLimit(run_usd=3.0), max_error_rate=MOST)
    assert decide(gate, outcomes).word == "PASS"


def test_a_trial_in_which_a_measured_metric_broke_counts_against_its_rate():
    known = [Outcome(f"g{i}", (1.0,), metrics={"m": (1.0,)}) for i in range(36)]
    broken = [Outcome(f"b{i}", (1.0,), broken_metrics={"m": 1}) for i in range(4)]
    assert decide(Gate(metrics={"m": 0.9}), known).word == "PASS"
    assert decide(Gate(metrics={"m": 0.9}), known + broken).word == "INCONCLUSIVE"


def random_outcomes(rng: random.Random) -> list[Outcome]:
    rate = rng.choice((0.2, 0.7, 0.9, 1.0))
    missing = rng.choice((0.0, 0.02, 0.1))
    trials = rng.choice((1, 1, 3))
    many = rng.choice((5, 20, 60))
    outcomes = []
    for golden in range(many):
        scores = [None if rng.random() < missing else float(rng.random() < rate) for _ in range(trials)]
        known = tuple(score for score in scores if score is not None)
        outcomes.append(Outcome(f"g{golden}", known, errors=trials - len(known)))
    return outcomes


def test_a_gate_decides_only_what_both_readings_decide():
    for seed in range(examples(600, 12)):
        rng = random.Random(seed)
        outcomes = random_outcomes(rng)
        least = rng.choice((0.5, 0.8, 0.95))
        gate = Gate(min=least, max_error_rate=MOST)
        readings = {decide(gate, as_read(outcomes, score)).word for score in (0.0, 1.0)}
        word = decide(gate, outcomes).word
        if word != "ERROR":  # nothing was answered at all
            assert word == (readings.pop() if len(readings) == 1 else "INCONCLUSIVE")


def test_a_comparison_claims_only_what_every_reading_claims():
    for seed in range(examples(600, 12)):
        rng = random.Random(seed)
        a = random_outcomes(rng)
        b = random_outcomes(rng)
        margin = rng.choice((0.0, 0.1))
        found = compare(a, b, margin=margin, max_error_rate=MOST)
        least = compare(as_read(a, 1.0), as_read(b, 0.0), margin=margin)
        most = compare(as_read(a, 0.0), as_read(b, 1.0), margin=margin)
        allowed = {
            "IMPROVED": least.change == "IMPROVED",
            "NON_INFERIOR": least.change in ("IMPROVED", "NON_INFERIOR"),
            "REGRESSED": most.change == "REGRESSED",
            "INCONCLUSIVE": True,
        }
        assert allowed[found.change], (seed, found.sentence)


def test_two_goldens_that_never_answer_now_are_broken_and_named_first():
    before = [Outcome(f"g{i}", (1.0,)) for i in range(40)]
    after = [Outcome(f"g{i}", (0.0,)) if i == 3 else replace(o) for i, o in enumerate(before)]
    after[7:9] = [Outcome("g7", errors=1), Outcome("g8", errors=1)]
    found = compare(before, after, margin=0.1)
    assert found.change == "INCONCLUSIVE" and found.broken == ("g7", "g8", "g3")
    assert found.sentence.endswith("2 of 40 goldens got no answer in B")


def test_goldens_that_did_not_answer_before_do_not_make_a_candidate_better():
    after = [Outcome(f"g{i}", (1.0,)) for i in range(100)]
    before = [Outcome(f"g{i}", errors=1) if i < 5 else Outcome(f"g{i}", (float(i > 10),)) for i in range(100)]
    answered = compare(before[5:], after[5:])
    assert answered.change == "IMPROVED" and compare(before, after).change == "IMPROVED"
    fewer = [Outcome(f"g{i}", errors=1) if i < 5 else Outcome(f"g{i}", (1.0,)) for i in range(100)]
    worse = [replace(o, passes=(0.0,)) if i in range(5, 11) else o for i, o in enumerate(after)]
    assert compare(worse, fewer[:5] + after[5:]).change == "INCONCLUSIVE"


@pytest.mark.parametrize(("answer", "word"), [(1.0, "PASS"), (0.0, "FAIL")])
def test_an_early_stop_needs_more_goldens_for_each_without_an_answer(answer: float, word: str):
    def goldens_used(unanswered: int) -> tuple[str, int, str]:
        outcomes = []
        order = shuffle_order(map(str, range(200)), 1)
        monitor = StopMonitor(order, 0.8, 0.95)
        for place, golden in enumerate(order.ids):
            scores, errors = ((), 1) if place < unanswered else ((answer,), 0)
            outcomes.append(Outcome(golden, scores, errors))
            stopped = monitor.feed(golden, scores, errors)
            if stopped is not None:
                verdict = decide(Gate(min=0.8, max_error_rate=1.0), outcomes, stopped=stopped)
                return verdict.word, stopped.used, verdict.reason
        raise AssertionError

    assert goldens_used(0)[0] == goldens_used(2)[0] == word
    assert goldens_used(2)[1] >= goldens_used(0)[1] + 2
    assert "2 of " in goldens_used(2)[2] and "got no answer" in goldens_used(2)[2]


def test_a_metric_that_broke_is_counted_in_the_sentence_of_its_rule():
    broken = Outcome("g0", (1.0,), broken_metrics={"m": 1}, metrics={})
    verdict = decide(Gate(metrics={"m": 0.5}, rule="point"), [broken, *goldens(39, unanswered=0)])
    assert verdict.word == "PASS" and "1 without a value" in verdict.reason
