"""The rule of `check` against numbers worked out by hand, full enumeration, and its promises by simulation."""

from __future__ import annotations

import itertools
import math
import random

import pytest
from benchmarks.check_simulation import draw_trials, play, worse_rates

from rightcall.decide.check_rule import CheckRule, settles_at_best
from rightcall.decide.check_settings import CheckSettings, Risks, Stratum, noise_of, rounds_for, strata_of
from rightcall.stats.permutation import ExchangeTable, exchange_p


def test_exchange_p_of_the_page_worked_by_hand():
    tables = [((1, 1, 1), (0,)), ((0, 0, 0), (1,)), ((0, 0, 0), (0,)), ((1, 1, 1), (1,))]
    # t = 3, 1, 0, 4 of 4: P(1 + Bernoulli(3/4) + Bernoulli(1/4) ≤ 2)
    assert exchange_p([ExchangeTable(*t) for t in tables]) == pytest.approx(0.8125)


def test_exchange_p_equals_full_enumeration():
    rng = random.Random(4)
    for _ in range(200):
        tables = []
        for _ in range(rng.randint(1, 3)):
            before = tuple(float(rng.random() < 0.6) for _ in range(rng.randint(1, 3)))
            tables.append(
                ExchangeTable(before, tuple(float(rng.random() < 0.4) for _ in range(rng.randint(1, 2))))
            )
        assert exchange_p(tables) == pytest.approx(enumerated(tables))


def enumerated(tables):
    """P(sum ≤ observed) over every way to say which trials were the candidate's."""
    observed = sum(sum(t.after) for t in tables)
    choices = [list(itertools.combinations((*t.before, *t.after), len(t.after))) for t in tables]
    sums = [sum(map(sum, each)) for each in itertools.product(*choices)]
    return sum(one <= observed for one in sums) / len(sums)


def test_graded_scores_are_exchanged_by_draws_close_to_the_exact_answer():
    tables = [ExchangeTable((1.0, 1.0, 0.5), (0.25,)), ExchangeTable((0.75, 1.0), (0.5, 0.25))]
    assert exchange_p(tables) == pytest.approx(enumerated(tables), abs=0.02)


def test_evidence_of_the_page_worked_by_hand():
    before = {"a": (1.0, 1.0, 1.0), "b": (1.0, 1.0, 1.0), "c": (1.0, 1.0, 0.0)}
    stratum = Stratum("rest", 0.1, (("a",), ("b",), ("c",)), before, noise=0.02)
    rule = CheckRule([stratum])
    for step, score in zip(rule.steps(), (1.0, 0.0, 1.0), strict=True):
        rule.feed(step, dict.fromkeys(step.unit, score))
    (state,) = rule.states()
    assert (state.e_worse, state.e_fine) == pytest.approx((1.318560, 0.157667), abs=1e-6)
    assert state.difference == pytest.approx(-2 / 9)


def test_each_round_has_its_own_share_of_the_baseline():
    stratum = Stratum("affected", 0.2, (("a",),), {"a": (0.0, 1.0, 2.0, 3.0, 4.0)}, rounds=2)
    assert (stratum.share("a", 0), stratum.share("a", 1)) == ((0.0, 2.0, 4.0), (1.0, 3.0))


@pytest.mark.parametrize(
    ("goldens", "trials", "rounds"),
    [(6, 3, 3), (6, 10, 7), (20, 3, 3), (20, 1, 1), (100, 10, 3), (1, 50, 40)],
)
def test_rounds_make_forty_pairs_and_never_outnumber_the_baselines_trials(goldens, trials, rounds):
    assert rounds_for(goldens, trials) == rounds


def test_noise_is_the_same_when_passes_and_failures_change_places():
    trials = [(1.0, 1.0, 0.0), (1.0, 1.0, 1.0), (0.0, 1.0, 0.0)]
    turned = [tuple(1 - score for score in scores) for scores in trials]
    assert noise_of(trials) == pytest.approx(noise_of(turned)) == pytest.approx(2 / 9)


@pytest.mark.parametrize(("margin", "least"), [(0.2, 17), (0.1, 36)])
def test_too_few_pairs_can_never_pass(margin, least):
    for pairs in (least - 1, least):
        order = tuple((f"g{i}",) for i in range(pairs))
        stratum = Stratum("rest", margin, order, {f"g{i}": (1.0,) for i in range(pairs)}, noise=0.2)
        rule = CheckRule([stratum])
        for step in rule.steps():
            rule.feed(step, dict.fromkeys(step.unit, 1.0))
        assert (rule.end().word == "PASS") is settles_at_best(stratum) is (pairs >= least)


def test_affected_goldens_are_judged_at_ends_of_rounds_only():
    before = {f"g{i}": (1.0,) * 3 for i in range(30)}
    (stratum,) = strata_of(before, {}, CheckSettings(), "s")
    rule = CheckRule([stratum])
    for step in rule.steps():
        rule.feed(step, dict.fromkeys(step.unit, 1.0))
    (state,) = rule.states()
    assert state.settled_after is not None
    assert state.settled_after % 30 == 0


def test_a_cluster_is_drawn_whole_and_counts_once():
    rest = {f"g{i}": (1.0, 1.0) for i in range(40)}
    clusters = {f"g{i}": "twins" for i in range(10)}
    (stratum,) = strata_of({}, rest, CheckSettings(sample=15), "s", clusters=clusters)
    assert sum(map(len, stratum.order)) <= 15
    assert all(len(unit) in (1, 10) for unit in stratum.order)


@pytest.mark.parametrize(
    ("before", "unanswered_before", "after", "unanswered_after", "word"),
    [
        (1.0, 0, 1.0, 0, "PASS"),
        (1.0, 0, 1.0, 2, "INCONCLUSIVE"),  # as failed, though all that were answered passed
        (0.0, 2, 0.0, 0, "INCONCLUSIVE"),  # as passed before
        (0.0, 0, 0.0, 0, "PASS"),
        (1.0, 0, 0.0, 0, "WORSE"),
        (1.0, 0, 0.0, 38, "INCONCLUSIVE"),  # as passed now
    ],
)
def test_what_got_no_answer_speaks_against_either_word(
    before, unanswered_before, after, unanswered_after, word
):
    names = [f"g{i:02}" for i in range(40)]
    rest = dict.fromkeys(names, (before,))
    unanswered = dict.fromkeys(names[:unanswered_before], 1)
    rule = CheckRule(strata_of({}, rest, CheckSettings(), "s", unanswered=unanswered))
    scores = {name: None if int(name[1:]) < unanswered_after else after for name in names}
    for step in rule.steps():
        rule.feed(step, {name: scores[name] for name in step.unit})
    assert rule.end().word == word
    (state,) = rule.states()
    assert state.difference in (after - before, None)


MIXED = {f"g{i}": 0.98 if i % 10 < 8 else 0.02 if i % 20 == 8 else 0.5 for i in range(200)}


def shares(change, runs=150):
    rng = random.Random(3)
    settings = CheckSettings()
    words = []
    for run in range(runs):
        before = draw_trials(MIXED, 3, rng)
        after, cut = change(rng)
        names = list(MIXED)
        strata = strata_of(
            {g: before[g] for g in names[:cut]}, {g: before[g] for g in names[cut:]}, settings, str(run)
        )
        words.append(play(strata, after, rng, settings, MIXED).word)
    return {word: words.count(word) / runs for word in ("PASS", "WORSE", "INCONCLUSIVE")}


def test_without_a_change_it_seldom_regresses_and_mostly_passes():
    found = shares(lambda rng: (MIXED, 20))
    assert found["WORSE"] <= 0.05
    assert found["PASS"] >= 0.8


def test_a_drop_at_the_margin_of_the_affected_goldens_is_found_and_does_not_pass():
    found = shares(
        lambda rng: ({**MIXED, **worse_rates({g: MIXED[g] for g in list(MIXED)[:20]}, 0.2, rng)}, 20)
    )
    assert found["PASS"] <= 0.05
    assert found["WORSE"] >= 0.75


def test_a_drop_everywhere_is_found():
    found = shares(lambda rng: (worse_rates(MIXED, 0.2, rng), 0))
    assert found["WORSE"] >= 0.95


def test_half_better_and_half_worse_is_not_a_regression():
    def change(rng):
        names = list(MIXED)[:20]
        moved = {
            g: min(1.0, MIXED[g] + 0.3) if i % 2 else max(0.0, MIXED[g] - 0.02) for i, g in enumerate(names)
        }
        return {**MIXED, **moved}, 20

    assert shares(change)["WORSE"] <= 0.05


def test_risks_are_shared_between_early_stopping_and_the_last_look():
    before = {f"g{i}": (1.0,) for i in range(50)}
    (stratum,) = strata_of({}, before, CheckSettings(), "s")
    rule = CheckRule([stratum], Risks(alpha=0.05))
    fed = 0
    for step in rule.steps():
        fed += 1
        rule.feed(step, dict.fromkeys(step.unit, 0.0))
    bet = min(0.95, 0.1 / (0.1 + 0.02 * 2))
    assert fed == math.ceil(math.log(2 / 0.05) / math.log(1 + bet))
    assert rule.end().word == "WORSE"


def test_six_goldens_of_which_one_breaks_are_judged_as_worked_by_hand():
    """111 → 000 has p 1/20, 111 → 100 has 1/5 among the ways to share four passes: 1/100, below 0.05 / 4."""
    before = {f"g{i}": (1.0, 1.0, 1.0) for i in range(6)}
    rest = {f"r{i}": (1.0, 1.0, 1.0) for i in range(54)}
    rule = CheckRule(strata_of(before, rest, CheckSettings(), "s"))
    for step in rule.steps():
        fails = step.unit == ("g0",) or (step.unit == ("g1",) and step.round > 0)
        rule.feed(step, dict.fromkeys(step.unit, float(not fails)))
    assert rule.end().word == "WORSE"
    affected, _ = rule.states()
    assert affected.p == pytest.approx(1 / 20 * 1 / 5)
    assert rule.p == pytest.approx(4 * affected.p)


def test_p_is_the_least_alpha_that_regresses():
    """Whatever happened, WORSE comes at an alpha of p and not at one a little smaller."""
    rng = random.Random(5)
    for _ in range(40):
        before = draw_trials({f"g{i}": 0.9 for i in range(30)}, 3, rng)
        falls = rng.uniform(0, 0.5)
        scores = {(golden, r): float(rng.random() < 0.9 - falls) for golden in before for r in range(3)}

        def word(alpha, before=before, scores=scores):
            rule = CheckRule(
                strata_of(before, {}, CheckSettings(drop=0.4), "s"), Risks(alpha=alpha, beta=1e-9)
            )
            for step in rule.steps():
                rule.feed(step, {golden: scores[golden, step.round] for golden in step.unit})
            return rule.end().word, rule.p

        _, p = word(1e-12)
        assert p >= 0.5 or (word(p * 1.001)[0] == "WORSE" and word(p * 0.999)[0] != "WORSE")
