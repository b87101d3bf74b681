"""Verdicts: three answers and an error, each with its numbers."""

from __future__ import annotations

import re
from typing import get_args

import pytest
from hypothesis import given, strategies as st

from rightcall.core.errors import ConfigError
from rightcall.decide.config import read_gate
from rightcall.decide.golden_outcomes import Outcome, outcomes_of
from rightcall.decide.options import About
from rightcall.decide.rules import rules_of
from rightcall.decide.verdict import decide, why_lines
from rightcall.records import CaseResult, Failure, Score, Usage
from rightcall.stats.intervals import clopper_pearson_bounds
from rightcall.stats.paired_tests import holm
from rightcall.stats.power import gate_cuts


def run_of(passed: int, failed: int, **fields) -> list[Outcome]:
    verdicts = [1.0] * passed + [0.0] * failed
    return [Outcome(f"g{i}", (x,), **fields) for i, x in enumerate(verdicts)]


@pytest.mark.parametrize(
    ("passed", "word", "exit_code"), [(97, "PASS", 0), (90, "INCONCLUSIVE", 3), (80, "FAIL", 1)]
)
def test_a_rate_is_judged_with_both_errors_in_mind(passed, word, exit_code):
    verdict = decide(read_gate({"min": 0.9}), run_of(passed, 100 - passed))
    assert (verdict.word, verdict.exit_code) == (word, exit_code)


def test_the_sentence_holds_the_numbers():
    verdict = decide(read_gate({"min": 0.9}), run_of(97, 3))
    assert verdict.sentence == ("PASS: 97 of 100 goldens passed (97%, range 92–100%); 90% wanted")


@given(st.integers(1, 120).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_ruling_is_that_of_the_cuts(kn):
    k, n = kn
    k_pass, k_fail = gate_cuts(n, 0.8)
    word = decide(read_gate({"min": 0.8}), run_of(k, n - k)).word
    assert (word == "PASS") == (k_pass is not None and k >= k_pass)
    assert (word == "FAIL") == (k_fail is not None and k <= k_fail)


def test_an_undecided_run_says_how_many_goldens_are_needed():
    verdict = decide(read_gate({"min": 0.9}), run_of(57, 3))
    assert verdict.hint == "119 more goldens would likely decide it, if they pass at this rate"


@pytest.mark.parametrize(("policy", "exit_code"), [("fail", 1), ("pass", 0), ("warn", 3)])
def test_what_undecided_means_is_the_users_choice(policy, exit_code):
    verdict = decide(read_gate({"min": 0.9, "on_inconclusive": policy}), run_of(9, 1))
    assert (verdict.word, verdict.exit_code) == ("INCONCLUSIVE", exit_code)


def test_the_claim_about_these_goldens_rests_on_their_trials():
    outcomes = [Outcome(f"g{i}", (1.0,) * 10) for i in range(29)] + [Outcome("hard", (0.0,) * 10)]
    claims = {about: decide(read_gate({"min": 0.9, "about": about}), outcomes) for about in get_args(About)}
    assert {about: verdict.word for about, verdict in claims.items()} == {
        "cases_like_these": "INCONCLUSIVE",
        "these_goldens": "PASS",
    }
    sentence = claims["these_goldens"].sentence
    assert "290 of 300 trials of exactly these 30 goldens passed" in sentence
    check = claims["these_goldens"].checks[0]
    assert (check.low, check.high) == clopper_pearson_bounds(290, 300)


def test_an_undecided_run_of_many_trials_suggests_goldens():
    outcomes = [Outcome(f"g{i}", (1.0,) * 10) for i in range(29)] + [Outcome("hard", (0.0,) * 10)]
    hint = decide(read_gate({"min": 0.9}), outcomes).hint
    assert re.match(r"\d+ more goldens would likely decide it, if they pass at this rate; more trials", hint)


def test_the_bare_rule_is_labelled():
    verdict = decide(read_gate({"min": 0.9, "rule": "point"}), run_of(9, 1))
    assert verdict.word == "PASS" and "without error control" in " ".join(why_lines(verdict))


def test_one_forbidden_call_fails_a_run_that_otherwise_passes():
    outcomes = [*run_of(200, 0), Outcome("bad", (1.0,), codes={"forbidden_call": 1})]
    verdict = decide(read_gate({"min": 0.9, "forbid": ["forbidden_call"]}), outcomes)
    assert verdict.sentence == (
        "FAIL: 201 of 201 goldens passed (100%, range 98–100%); 90% wanted; DANGER a forbidden tool was called in 1 golden"
    )


def test_never_seen_is_not_said_to_be_impossible():
    verdict = decide(read_gate({"forbid": ["forbidden_call"]}), run_of(100, 0))
    assert verdict.word == "PASS" and "up to 3% of goldens" in " ".join(why_lines(verdict))


def test_too_many_errors_decide_nothing_whatever_the_rest_says():
    outcomes = [*run_of(90, 0), *(Outcome(f"e{i}", errors=1, codes={}) for i in range(10))]
    verdict = decide(read_gate({"min": 0.5}), outcomes)
    assert (verdict.word, verdict.exit_code) == ("ERROR", 4)
    assert "10 trials of 100 could not be run (10%, at most 5% allowed)" in verdict.sentence


def test_goldens_that_could_not_be_scored_are_named_and_in_no_rate():
    outcomes = [*run_of(99, 0), Outcome("down", errors=1)]
    verdict = decide(read_gate({"min": 0.9}), outcomes)
    assert verdict.unscored == ("down",) and verdict.checks[0].n == 99


def test_a_run_with_nothing_scored_is_an_error():
    assert decide(read_gate({"min": 0.9}), [Outcome("down", errors=3)]).word == "ERROR"


def test_several_rules_are_corrected_for_their_number():
    alone = decide(read_gate({"min": 0.8}), run_of(86, 14))
    negatives = [Outcome(f"n{i}", (float(i >= 2),), category="negative") for i in range(20)]
    gate = read_gate({"min": 0.77, "by": {"categories": {"negative": 0.7}}})
    both = decide(gate, [*run_of(86, 14), *negatives])
    assert alone.hypotheses == 1 and both.hypotheses == 2
    single = [rule.look([*run_of(86, 14), *negatives], 0.05) for rule in rules_of(gate)]
    adjusted = holm([check.p_pass for check in single])
    assert [check.p_pass for check in both.checks] == adjusted


def test_a_decision_changed_by_the_correction_says_so():
    good = [Outcome(f"g{i}", (1.0,), category="golden") for i in range(29)]
    few = [Outcome(f"n{i}", (1.0,), category="negative") for i in range(14)]
    gate = read_gate({"by": {"categories": {"golden": 0.9, "negative": 0.8}}})
    verdict = decide(gate, [*good, *few])
    assert verdict.word == "INCONCLUSIVE"
    assert "2 rules are tested together, so each is held to a stricter level" in why_lines(verdict)[-1]
    assert [check.low < check.limit for check in verdict.checks] == [True, True]  # by the range shown


def test_metrics_are_judged_by_their_own_values():
    outcomes = [Outcome(f"g{i}", (1.0,), metrics={"call_f1": (0.5 + (i % 3) / 10,)}) for i in range(90)]
    verdict = decide(read_gate({"metrics": {"call_f1": 0.8}}), outcomes)
    assert verdict.word == "FAIL" and "metric call_f1: 60%" in verdict.sentence


def test_time_and_money_are_compared_as_observed():
    outcomes = run_of(50, 0, latencies_ms=(900.0,), costs_usd=(0.02,))
    gate = read_gate({"latency_ms": {"p95": 1000}, "cost": {"run_usd": 0.5}})
    verdict = decide(gate, outcomes)
    assert [check.word for check in verdict.checks] == ["PASS", "FAIL"]
    assert "cost of the run 1 USD is over the limit of 0.5 USD" in verdict.sentence


@pytest.mark.parametrize(("lag", "word"), [(0.0, "FAIL"), (300.0, "FAIL"), (500.0, "INCONCLUSIVE")])
def test_a_latency_over_its_limit_only_by_what_a_busy_machine_added_decides_nothing(lag, word):
    outcomes = run_of(50, 0, latencies_ms=(1400.0,), lags_ms=(lag,))
    for limit in ("p50", "p95", "max"):
        verdict = decide(read_gate({"latency_ms": {limit: 1000}}), outcomes)
        assert verdict.word == word
    assert word == "FAIL" or "900 ms are certain" in verdict.sentence


def test_a_baseline_must_be_brought():
    with pytest.raises(ConfigError, match="outcomes of the baseline 'main' are needed"):
        decide(read_gate({"baseline": {"run": "main"}}), run_of(5, 0))


def test_a_baseline_gate_passes_within_its_margin_and_fails_beyond():
    gate = read_gate({"baseline": {"run": "main", "margin": 0.05}})
    before = run_of(190, 10)
    assert decide(gate, run_of(190, 10), baseline=before).word == "PASS"
    assert decide(gate, run_of(150, 50), baseline=before).word == "FAIL"


def test_case_results_are_gathered_by_golden():
    broken = Score.broken("judge was down")
    results = [
        CaseResult("a", 1, False, 0.0, {"f1": Score(0.5, False)}, (Failure("no_call"),), "negative"),
        CaseResult("a", 0, True, 1.0, {"f1": broken}, usage=Usage(cost_usd=0.1), category="negative"),
        CaseResult("a", 2, False, 0.0, {}, error="rate limit", category="negative"),
    ]
    (outcome,) = outcomes_of(results, clusters={"a": "weather"}, tags={"a": ["x"]})
    assert (outcome.passes, outcome.errors, outcome.category) == ((1.0, 0.0), 1, "negative")
    assert outcome.metrics == {"f1": (0.5,)} and outcome.codes == {"no_call": 1}
    assert (outcome.cluster, outcome.tags, outcome.costs_usd) == ("weather", ("x",), (0.1,))


def test_goldens_of_one_cluster_count_as_one():
    apart = decide(read_gate({"min": 0.9}), run_of(60, 0))
    together = decide(read_gate({"min": 0.9}), run_of(60, 0, cluster="same document"))
    assert (apart.word, together.word) == ("PASS", "INCONCLUSIVE")
