"""The rule of `check` for few goldens: hand-worked courses, and its promises through the simulation."""

from __future__ import annotations

import pytest
from benchmarks.check import simulate_few

from rightcall.decide.confirmation import TrialScores
from rightcall.decide.small_suite import NoBaseError, PairedBets, SmallSuiteRule, visible_drop
from tests.support.examples import examples

BEFORE = dict.fromkeys("abcde", (1.0, 1.0, 1.0))


def play(now, then=lambda golden: 1.0, *, base=True, before=BEFORE, rounds=3):
    """The decision about an agent that answers by `now`, and how many trials of the candidate it took."""
    rule = SmallSuiteRule(before, dict.fromkeys(before, rounds), 0.004, base=base)
    steps = rule.steps()
    trials = 0
    ask = next(steps)
    while True:
        trials += len(ask.goldens)
        scores = [TrialScores(now(golden), then(golden) if ask.pairs else None) for golden in ask.goldens]
        try:
            ask = steps.send(scores)
        except StopIteration as end:
            return end.value, trials


def test_a_golden_that_stopped_working_is_named_after_one_round_a_second_failure_and_six_pairs():
    decision, trials = play(lambda golden: float(golden != "c"))
    assert (decision.word, decision.goldens, trials) == ("WORSE", ("c",), 5 + 1 + 6)


def test_a_golden_that_the_base_fails_now_as_well_is_not_called_flaky():
    decision, _ = play(lambda golden: float(golden != "c"), lambda golden: float(golden != "c"))
    assert (decision.word, decision.goldens, decision.cause) == ("INCONCLUSIVE", ("c",), "moved")


def test_without_a_loss_every_round_is_run_once():
    assert play(lambda golden: 1.0) == (("NO LOSS SEEN", (), ""), 15)


def test_a_trial_without_an_answer_raises_no_suspicion():
    assert play(lambda golden: None if golden == "c" else 1.0)[0].word == "NO LOSS SEEN"


@pytest.mark.parametrize(("trials", "word", "cause"), [(3, "WORSE", ""), (1, "INCONCLUSIVE", "weak")])
def test_without_the_base_its_own_baseline_decides_if_it_is_long_enough(trials, word, cause):
    before = dict.fromkeys("abcde", (1.0,) * trials)
    decision, _ = play(lambda golden: float(golden != "c"), base=False, before=before, rounds=trials)
    assert (decision.word, decision.goldens, decision.cause) == (word, ("c",), cause)


def test_a_base_that_cannot_be_run_after_all_is_replaced_by_its_baseline():
    rule = SmallSuiteRule(BEFORE, dict.fromkeys(BEFORE, 3), 0.004, base=True)
    steps = rule.steps()
    ask = next(steps)
    while not ask.pairs:
        ask = steps.send([TrialScores(float(golden != "c")) for golden in ask.goldens])
    steps.throw(NoBaseError("no git"))
    assert (rule.base, rule.problem) == (False, "no git")


def test_the_smallest_drop_that_would_have_been_seen():
    """One trial of each of 20 goldens: 1 − (p + (1−p)p²)²⁰ first reaches .8 at p = .79."""
    assert visible_drop([1] * 20) == pytest.approx(0.21)
    assert visible_drop([3] * 20) < visible_drop([3] * 5) < visible_drop([3])


@pytest.mark.stories
def test_the_promises_of_small_suites():
    runs = examples(4_000, 300)
    nothing = simulate_few("mixed", 5, 3, "nothing", 4 * runs, 1)
    assert nothing.worse <= 0.004 and nothing.passed >= 0.9
    assert simulate_few("mixed", 5, 3, "one dead", runs, 1).worse >= 0.9


@pytest.mark.parametrize("rate", [0.5, 0.7, 0.9])
def test_pairs_without_a_change_confirm_an_alarm_at_most_as_often_as_stated(rate):
    """Every course of twelve pairs, exactly."""
    lost = rate * (1 - rate)
    courses = {(0, 0): 1.0}
    confirmed = 0.0
    for pairs in range(1, 13):
        longer: dict[tuple[int, int], float] = {}
        for (minus, plus), chance in courses.items():
            for more, p in (((1, 0), lost), ((0, 1), lost), ((0, 0), 1 - 2 * lost)):
                counts = (minus + more[0], plus + more[1])
                longer[counts] = longer.get(counts, 0.0) + chance * p
        enough = {c for c in longer if wealth(c[0], pairs - sum(c), c[1]) >= 250}
        confirmed += sum(longer[counts] for counts in enough)
        courses = {counts: chance for counts, chance in longer.items() if counts not in enough}
    assert confirmed <= 0.004


def wealth(minus: int, zero: int, plus: int) -> float:
    """W as its formula has it."""
    return 2 / 3 * 1.8**minus * 0.2**plus + 1 / 3 * 3.0**minus / 3.0 ** (zero + plus)


def test_the_evidence_of_pairs_is_its_formula():
    seen = PairedBets(0.004)
    for x in (-1.0, 0.0, 1.0, -1.0, -1.0):
        seen.feed(x)
    assert seen.evidence == pytest.approx(wealth(3, 1, 1))
    assert PairedBets(0.004).pairs_needed == 6
