"""Early stop: the drawn order decides, whatever finishes first."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, strategies as st

from rightcall.core.errors import ConfigError, InputError
from rightcall.decide.config import read_gate
from rightcall.decide.early_stop import StopMonitor, in_file_order, monitor_for, shuffle_order
from rightcall.decide.golden_outcomes import Outcome
from rightcall.decide.verdict import decide

verdicts = st.lists(st.sampled_from([(1.0,), (0.0,), ()]), min_size=1, max_size=50).filter(any)


def feed_all(monitor, scores, finishing):
    for golden_id in finishing:
        if monitor.feed(golden_id, scores[golden_id]):
            break
    return monitor.stopped


@given(verdicts, st.integers(0, 99), st.integers(0, 99))
def test_the_answer_does_not_depend_on_what_finishes_first(trials, seed, luck):
    scores = {f"g{i}": xs for i, xs in enumerate(trials)}
    order = shuffle_order(scores, seed)
    finishing = list(order.ids)
    random.Random(luck).shuffle(finishing)
    in_turn = feed_all(StopMonitor(order, 0.6, 0.9), scores, order.ids)
    assert feed_all(StopMonitor(order, 0.6, 0.9), scores, finishing) == in_turn


def test_file_order_is_refused():
    gate = read_gate({"min": 0.8, "target": 0.9, "stop": "evalue"})
    with pytest.raises(ConfigError, match="requires a seeded random order of goldens"):
        monitor_for(gate, in_file_order(["a", "b"]))


def test_nothing_but_passes_stops_as_soon_as_the_formula_says():
    order = shuffle_order([f"g{i}" for i in range(100)], 3)
    stopped = feed_all(StopMonitor(order, 0.85, 0.95), dict.fromkeys(order.ids, (1.0, 1.0)), order.ids)
    assert (stopped.word, stopped.used, stopped.saved) == ("PASS", 27, 73)
    assert stopped.reason.startswith("decided after 27 of 100 goldens, 73 saved")


def test_a_spent_budget_is_inconclusive():
    order = shuffle_order(["a", "b"], 0)
    stopped = feed_all(StopMonitor(order, 0.85, 0.95), {"a": (1.0,), "b": (1.0,)}, order.ids)
    assert (stopped.word, stopped.saved) == ("INCONCLUSIVE", 0)


def test_trials_of_one_golden_are_one_piece_of_evidence():
    order = shuffle_order([f"g{i}" for i in range(40)], 1)
    once = feed_all(StopMonitor(order, 0.7, 0.9), dict.fromkeys(order.ids, (1.0,)), order.ids)
    often = feed_all(StopMonitor(order, 0.7, 0.9), dict.fromkeys(order.ids, (1.0,) * 5), order.ids)
    assert once.used == often.used == 12


def test_sorted_goldens_would_have_fooled_it_and_shuffled_ones_do_not():
    """50 goldens that always pass and 50 that pass 60%: mean 0.8, the very `min` that must not PASS."""
    rng = random.Random(9)
    fooled = 0
    for seed in range(200):
        scores = {f"g{i}": (float(i < 50 or rng.random() < 0.6),) for i in range(100)}
        stopped = feed_all(StopMonitor(shuffle_order(scores, seed), 0.8, 0.95), scores, list(scores))
        fooled += stopped.word == "PASS"
    assert fooled / 200 <= 0.08


def test_the_monitors_ruling_stands_for_the_pass_rate():
    gate = read_gate({"min": 0.85, "target": 0.95, "stop": "evalue", "forbid": ["forbidden_call"]})
    order = shuffle_order([f"g{i}" for i in range(100)], 3)
    stopped = feed_all(monitor_for(gate, order), dict.fromkeys(order.ids, (1.0,)), order.ids)
    outcomes = [Outcome(i, (1.0,)) for i in order.ids[: stopped.used]]
    verdict = decide(gate, outcomes, stopped=stopped)
    assert (verdict.word, verdict.saved) == ("PASS", 73)
    assert verdict.sentence.startswith("PASS: decided after 27 of 100 goldens")


def test_clustered_goldens_are_refused():
    gate = read_gate({"min": 0.8, "target": 0.9, "stop": "evalue"})
    with pytest.raises(ConfigError, match="without clusters"):
        monitor_for(gate, shuffle_order("abc", 1), clustered=True)


def test_a_golden_that_was_not_drawn_is_refused():
    with pytest.raises(InputError, match="'x' is not in the seeded order"):
        StopMonitor(shuffle_order("abc", 1), 0.5, 0.9).feed("x", (1.0,))


def test_a_gate_without_stop_has_no_monitor():
    assert monitor_for(read_gate({"min": 0.9}), in_file_order("abc")) is None
