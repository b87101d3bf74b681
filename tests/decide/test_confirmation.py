"""The confirmation of an alarm by pairs: hand-worked numbers and laws."""

from __future__ import annotations

import math
import random

import pytest
from benchmarks.check_simulation import draw_trials, play_pairs
from hypothesis import given, settings, strategies as st

from rightcall.decide.check_rule import CheckRule
from rightcall.decide.check_settings import CheckSettings, Risks, strata_of
from rightcall.decide.confirmation import (
    PairedEvidence,
    PairedTrials,
    TrialScores,
    broken_goldens,
    pair_value,
)
from tests.support.examples import examples


def test_hand_worked_pairs():
    """x = (−1, −1, 0, −1, −1, −1, −1, −1): 1.8⁷ = 61.2 at pair 8, 34.0 at pair 7; 50 is enough."""
    evidence = PairedEvidence(0.02)
    confirmed = [evidence.feed(x) for x in (-1, -1, 0, -1, -1, -1, -1)]
    assert (confirmed, round(evidence.evidence, 1)) == ([False] * 7, 34.0)
    assert (evidence.feed(-1), evidence.pairs, round(evidence.evidence, 1)) == (True, 8, 61.2)
    couple = PairedEvidence(0.02)
    for x in (-1, 1):
        couple.feed(x)
    assert couple.evidence == pytest.approx(0.36)


def test_a_trial_without_an_answer_never_speaks_for_an_alarm():
    assert [pair_value(*pair) for pair in ((None, 1.0), (0.0, None), (None, None))] == [0.0, 0.0, 1.0]


def test_the_levels_of_the_settings():
    assert CheckSettings().confirm_level == pytest.approx(0.015)
    assert CheckSettings().regressed_risk == pytest.approx(1 / 250)
    assert CheckSettings(confirm="off").risks == Risks(0.05, 0.05)
    assert CheckSettings(confirm="base").risks == Risks(0.2, 0.05)


def test_the_most_broken_goldens_come_first_and_ties_by_id():
    sums = {"d": -1.0, "b": -1.0, "a": -0.5, "better": 1.0, "equal": 0.0}
    assert broken_goldens(sums) == ("b", "d", "a")
    assert broken_goldens({f"g{i:02}": -1.0 for i in range(20)}) == tuple(f"g{i:02}" for i in range(12))


def test_the_golden_that_lost_most_is_tried_next():
    seen = PairedTrials("ab", 0.004)
    assert seen.next_pairs() == ("a", "b", "a", "b", "a", "b", "a", "b")
    seen.feed("abababab", [TrialScores(1.0, 1.0), TrialScores(0.0, 1.0)] * 4)
    assert set(seen.next_pairs()) == {"b"}


@given(
    st.dictionaries(
        st.text("abcdef", min_size=1, max_size=3), st.tuples(st.floats(-3, 3), st.sampled_from("xyz"))
    )
)
def test_each_cluster_has_a_golden_before_one_has_two(goldens):
    sums = {name: total for name, (total, _) in goldens.items()}
    clusters = {name: cluster for name, (_, cluster) in goldens.items()}
    chosen = broken_goldens(sums, clusters)
    counts = [sum(clusters[name] == cluster for name in chosen) for cluster in "xyz"]
    available = [sum(sums[n] < -1e-12 for n in sums if clusters[n] == cluster) for cluster in "xyz"]
    for count, there in zip(counts, available, strict=True):
        assert count == there or count >= max(counts) - 1
    assert len(chosen) == min(12, sum(available))


def test_a_confirmation_of_nothing_is_rarer_than_its_level():
    """P(V ever ≥ 50) ≤ .02, whatever the rates: simulated where it is most likely."""
    rng = random.Random(5)
    for rate in (0.5, 0.9, 0.97):
        rates = dict.fromkeys("abc", rate)
        confirmed = sum(play_pairs("abc", rates, rates, rng, 0.02)[0] for _ in range(3_000))
        assert confirmed / 3_000 <= 0.02 + 2 * math.sqrt(0.02 * 0.98 / 3_000)
    worse = play_pairs("abc", dict.fromkeys("abc", 0.0), dict.fromkeys("abc", 1.0), rng, 0.02)
    assert worse == (True, 14)
    never = dict.fromkeys("abc", 0.0)
    assert play_pairs("abc", never, never, rng, 0.02)[0] is False


@given(st.integers(0, 10_000), st.integers(1, 4))
@settings(max_examples=examples(60), deadline=None)
def test_a_spent_alarm_leaves_pass_or_inconclusive_and_pass_as_without_it(seed, trials):
    """F does not depend on α: when it settles, and what it settles, is the same as in a rule that cannot be alarmed."""
    rng = random.Random(seed)
    rates = {f"g{i}": rng.choice((0.5, 0.9, 0.99)) for i in range(30)}
    before = draw_trials(rates, trials, rng)
    after = {name: rng.choice((0.0, rate)) if rng.random() < 0.3 else rate for name, rate in rates.items()}
    strata = strata_of(dict(list(before.items())[:10]), dict(list(before.items())[10:]), CheckSettings(), "s")
    scores = {
        (name, round_): float(rng.random() < after[name])
        for stratum in strata
        for unit in stratum.order
        for name in unit
        for round_ in range(stratum.rounds)
    }

    def words(alpha):
        rule = CheckRule(strata, Risks(alpha, 0.05))
        alarmed = False
        for step in rule.steps():
            decided = rule.feed(step, {name: scores[name, step.round] for name in step.unit})
            if decided is not None and decided.word == "WORSE":
                assert not alarmed  # an alarm is spent once
                alarmed = True
                rule.spend_alarm()
        if rule.end().word == "WORSE":
            assert not alarmed
            rule.spend_alarm()
        return rule.end().word, [state.settled_after for state in rule.states()]

    loose = words(0.5)
    never = words(1e-12)
    assert loose[0] in ("PASS", "INCONCLUSIVE")
    assert loose == never


def test_sums_are_of_every_trial_of_a_golden():
    (stratum,) = strata_of({"a": (1.0, 1.0, 0.0), "b": (1.0, 1.0, 1.0)}, {}, CheckSettings(rounds=3), "s")
    rule = CheckRule([stratum], Risks(0.2))
    for step in rule.steps():
        rule.feed(step, {"a": 0.0, "b": 0.0})
    assert rule.sums() == pytest.approx({"a": -2.0, "b": -3.0})
