"""Two runs on the same goldens."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, strategies as st

from rightcall.core.errors import ConfigError
from rightcall.decide.baseline import require_alike
from rightcall.decide.candidates import compare_many
from rightcall.decide.comparison import compare
from rightcall.decide.golden_outcomes import Outcome
from rightcall.records import Run
from rightcall.stats.paired_tests import holm


def run_of(verdicts, category="golden") -> list[Outcome]:
    return [Outcome(f"g{i}", (float(x),), category=category) for i, x in enumerate(verdicts)]


def paired(n: int, broken: int, fixed: int) -> tuple[list[Outcome], list[Outcome]]:
    same = n - broken - fixed
    before = [1] * broken + [0] * fixed + [1] * same
    after = [0] * broken + [1] * fixed + [1] * same
    return run_of(before), run_of(after)


@pytest.mark.parametrize(
    ("broken", "fixed", "margin", "change"),
    [
        (1, 15, 0.0, "IMPROVED"),
        (15, 1, 0.0, "REGRESSED"),
        (3, 5, 0.0, "INCONCLUSIVE"),
        (2, 2, 0.05, "NON_INFERIOR"),
        (6, 4, 0.05, "INCONCLUSIVE"),
    ],
)
def test_real_changes_are_distinguished_from_noise(broken, fixed, margin, change):
    assert compare(*paired(150, broken, fixed), margin=margin).change == change


def test_single_trials_use_the_published_test_and_interval():
    found = compare(*paired(50, 3, 10))
    assert (found.p, found.difference) == pytest.approx((0.0922851562, 0.14), abs=1e-9)
    assert (found.low, found.high) == pytest.approx((-0.0067040086, 0.2759347778), abs=1e-9)


def test_goldens_that_changed_are_named():
    found = compare(run_of([1, 0, 1]), run_of([0, 1, 1]))
    assert (found.broken, found.fixed) == (("g0",), ("g1",))


def test_goldens_of_only_one_run_are_named_and_left_out():
    found = compare(run_of([1, 1, 1]), [*run_of([1, 1]), Outcome("new", (1.0,)), Outcome("down", errors=1)])
    assert (found.n, found.only_a, found.only_b) == (2, ("g2",), ("new", "down"))


def test_no_difference_comes_with_what_would_have_been_noticed():
    found = compare(*paired(100, 5, 5))
    assert found.change == "INCONCLUSIVE"
    assert found.mde == pytest.approx(0.0955, abs=1e-3)
    assert found.sentence.endswith("a true difference under 9.5 points would likely go undetected")


def rerun(counts, trials: int) -> list[Outcome]:
    return [Outcome(f"g{i}", (1.0,) * c + (0.0,) * (trials - c)) for i, c in enumerate(counts)]


def test_a_small_fall_everywhere_is_a_regression():
    found = compare(rerun([10] * 20, 10), rerun([9] * 20, 10))
    assert (found.change, found.exit_code) == ("REGRESSED", 1)
    assert found.p < 0.001 and found.sentence.startswith("B is worse than A (p = 0.0001)")


def test_a_fall_within_the_margin_is_not_a_regression_however_sure_it_is():
    before = rerun([50] * 20, 50)
    after = rerun([49] * 20, 50)
    assert compare(before, after).change == "REGRESSED"
    assert compare(before, after, margin=0.05).change == "INCONCLUSIVE"
    assert compare(before * 1, after, margin=0.3).change == "NON_INFERIOR"


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=20),
    st.sampled_from([0, 0.1]),
)
def test_better_and_worse_follow_the_exact_test(counts, margin):
    found = compare(rerun([x for x, _ in counts], 3), rerun([y for _, y in counts], 3), margin=margin)
    if found.change == "IMPROVED":
        assert found.p <= 0.05 and found.difference > 0
    if found.change == "REGRESSED":
        assert found.p <= 0.05 and found.difference < -margin


@given(st.integers(1, 9), st.integers(1, 5), st.data())
def test_no_sentence_names_a_difference_beyond_a_hundred_points(goldens, trials, data):
    counts = st.lists(st.integers(0, trials), min_size=goldens, max_size=goldens)
    found = compare(rerun(data.draw(counts), trials), rerun(data.draw(counts), trials))
    assert found.mde is None or found.mde < 1
    assert ("under" in found.sentence) == (found.change == "INCONCLUSIVE" and found.mde is not None)


def test_too_few_goldens_are_reported_with_how_many_are_needed():
    found = compare(rerun([0] * 4, 1), rerun([1] * 4, 1))
    assert found.sentence.endswith("4 goldens cannot show any difference; at least 6 are needed")


def test_a_handful_of_unchanged_goldens_proves_nothing():
    flat = [Outcome(f"g{i}", (1.0, 1.0, 1.0)) for i in range(20)]
    assert compare(flat, flat, margin=0.05).change == "INCONCLUSIVE"


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=20))
def test_changing_places_changes_the_sign(counts):
    a = [Outcome(f"g{i}", (1.0,) * x + (0.0,) * (3 - x)) for i, (x, _) in enumerate(counts)]
    b = [Outcome(f"g{i}", (1.0,) * y + (0.0,) * (3 - y)) for i, (_, y) in enumerate(counts)]
    there = compare(a, b)
    back = compare(b, a)
    assert there.difference == pytest.approx(-back.difference)
    assert (there.bound_low, there.p) == pytest.approx((-back.bound_high, back.p))
    assert (there.fixed, there.broken) == (back.broken, back.fixed)


def test_categories_are_adjusted_for_their_number():
    a = [*run_of([1] * 40), *(Outcome(f"n{i}", (0.0,), category="negative") for i in range(20))]
    b = [*run_of([1] * 40), *(Outcome(f"n{i}", (float(i < 8),), category="negative") for i in range(20))]
    negative = {s.name: s for s in compare(a, b).categories}["negative"]
    assert negative.p == pytest.approx(2 * 0.5**8) and negative.p_adjusted == pytest.approx(4 * 0.5**8)


def test_repeated_trials_flag_the_golden_that_changed():
    a = [Outcome(f"g{i}", (1.0,) * 10) for i in range(5)]
    b = [Outcome("g0", (0.0,) * 10), *a[1:]]
    assert compare(a, b).changed == ("g0",)


def test_one_cluster_settles_nothing():
    a = [Outcome(f"g{i}", (0.0,), cluster="c") for i in range(30)]
    b = [Outcome(f"g{i}", (1.0,), cluster="c") for i in range(30)]
    found = compare(a, b)
    assert (found.change, found.bound_low) == ("INCONCLUSIVE", None)


def test_runs_with_nothing_in_common_settle_nothing():
    found = compare([Outcome("a", (1.0,))], [Outcome("b", (1.0,))])
    assert (found.change, found.n, found.exit_code) == ("INCONCLUSIVE", 0, 3)


def test_several_candidates_are_adjusted_by_holm():
    a, b = paired(100, 1, 9)
    found = compare_many(a, [("x", b), ("y", a)])
    assert [p for _, _, p in found] == holm([c.p for _, c, _ in found])


def test_the_adjusted_p_decides_and_the_sentence_says_so():
    a, b = paired(100, 1, 9)
    alone = compare(a, b)
    assert (alone.change, round(alone.p, 4)) == ("IMPROVED", 0.0215)
    for others, change, p in ((1, "IMPROVED", "0.043"), (4, "INCONCLUSIVE", "0.11")):
        found = compare_many(a, [("x", b), *((f"y{n}", a) for n in range(others))])[0][1]
        assert (found.change, found.claim.change) == (change, change)
        assert f"(p = {p}, adjusted for {others + 1} candidates)" in found.sentence
        told = "alone it would be IMPROVED, but 5 candidates are compared (Holm's correction)"
        assert found.sentence.endswith(told) == (change == "INCONCLUSIVE")
        assert found.low < alone.low < alone.high < found.high  # an interval for all of them together


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=8, max_size=8), min_size=1, max_size=4),
    st.sampled_from([0.0, 0.3]),
)
def test_no_word_of_several_candidates_goes_beyond_holms_correction(columns, margin):
    a = rerun([2, 1, 3, 0, 2, 1, 3, 0], 3)
    candidates = [(f"c{n}", rerun(counts, 3)) for n, counts in enumerate(columns)]
    found = compare_many(a, candidates, margin=margin)
    for kind, words in (
        ("p", {"IMPROVED"}),
        ("p_regressed", {"REGRESSED"}),
        ("p_non_inferior", {"NON_INFERIOR"}),
    ):
        adjusted = holm([getattr(one, kind) for _, one, _ in found])
        for (_, one, _), p in zip(found, adjusted, strict=True):
            assert one.change not in words or p <= 0.05
            if one.change == "NON_INFERIOR":
                assert "not worse" in one.sentence or "but not" in one.sentence
    if len(candidates) == 1:
        assert found[0][1] == compare(a, candidates[0][1], margin=margin)


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=6, max_size=20),
    st.sampled_from([1, 3]),
)
def test_an_interval_that_disagrees_with_the_test_is_called_an_approximation(counts, trials):
    a, b = (rerun([min(x[side], trials) for x in counts], trials) for side in (0, 1))
    found = compare(a, b)
    assert found.low is not None and found.high is not None
    differs = not found.low <= 0 <= found.high
    assert (differs == (found.p <= 0.05)) == ("is an approximation" not in found.sentence)


def test_better_beside_an_interval_with_zero_names_the_test_that_decides():
    """Six gains of which one is large: every sign is positive, and the spread makes the t interval include 0."""
    a = [Outcome(f"g{i}", (0.0,) * 10) for i in range(6)]
    b = [Outcome(f"g{i}", (1.0,) * k + (0.0,) * (10 - k)) for i, k in enumerate([1, 1, 1, 1, 1, 10])]
    found = compare(a, b)
    assert found.change == "IMPROVED" and found.low < 0 < found.high
    assert "; the sign-flip test decides; the t interval, " in found.sentence


def test_metrics_are_compared_by_their_values():
    rng = random.Random(5)
    a = [Outcome(f"g{i}", (1.0,), metrics={"f1": (rng.uniform(0.4, 0.6),)}) for i in range(60)]
    b = [Outcome(f"g{i}", (1.0,), metrics={"f1": (rng.uniform(0.6, 0.8),)}) for i in range(60)]
    assert compare(a, b, metric="f1").change == "IMPROVED"


def test_unlike_runs_are_compared_only_on_request():
    one = Run("r1", "weather", "2026-01-01", fingerprints={"dataset": "d", "metrics": "aaa"})
    two = Run("r2", "weather", "2026-01-02", fingerprints={"dataset": "e", "metrics": "bbb"})
    with pytest.raises(ConfigError, match=r"runs r1 and r2 differ in their metrics \(aaa and bbb\)"):
        require_alike(one, two)
    assert len(require_alike(one, two, anyway=True)) == 1
    assert require_alike(one, one) == ()
