"""E-detectors: what they promise, against exact and independent computations."""

import math
import random

import numpy as np
import pytest
from benchmarks.drift import mean_delay
from hypothesis import given, strategies as st
from scipy import stats as scipy_stats

from rightcall.stats.detect import (
    Detector,
    bets,
    detector_step,
    detector_threshold,
    e_detector_step,
    new_detector,
    reference_rate,
    upper_quantile_rank,
)

shares = st.floats(0.001, 0.9)


@given(q0=shares, values=st.lists(st.floats(0, 1), max_size=60))
def test_evidence_is_never_negative_nor_nan(q0, values):
    state = new_detector(q0)
    for x in values:
        state = detector_step(state, x, q0)
    assert all(r >= 0 and math.isfinite(r) for r in state.r)
    assert all(0 <= since <= len(values) for since in state.since)


@given(q0=shares, values=st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_the_order_of_the_bets_does_not_matter(q0, values):
    lams = bets(q0)
    forward = (0.0,) * len(lams)
    backward = (0.0,) * len(lams)
    for x in values:
        forward = e_detector_step(forward, x, q0, lams)
        backward = e_detector_step(backward, x, q0, lams[::-1])
    assert forward == backward[::-1]


@given(q0=shares, x=st.floats(0, 1), r=st.floats(0, 1e6))
def test_a_value_at_the_reference_rate_adds_one_on_average(q0, x, r):
    """E[(R+1)(1+λ(x−q0))] = R+1 when E[x] = q0: R_t − t is a martingale."""
    for lam in bets(q0):
        (bad,) = e_detector_step((r,), 1, q0, (lam,))
        (good,) = e_detector_step((r,), 0, q0, (lam,))
        assert q0 * bad + (1 - q0) * good == pytest.approx(r + 1)


def test_no_room_above_the_rate_gives_no_alarm():
    state = new_detector(0.97)
    for _ in range(1000):
        state = detector_step(state, 1, 0.97)
    assert state.evidence == 0


@pytest.mark.parametrize(("q0", "threshold"), [(0.1, 60.0), (0.3, 25.0)])
def test_mean_time_to_alarm_of_one_bet_equals_that_of_its_markov_chain(q0, threshold):
    """The law of R is a Markov chain: its distribution is carried on exactly, on the finitely many values it reaches."""
    lam = bets(q0)[1]
    values = [0.0]
    places = {0.0: 0}
    moves = []
    for place, value in enumerate(values):  # which grow until no value leads to a new one
        for x, chance in ((1, q0), (0, 1 - q0)):
            (after,) = e_detector_step((value,), x, q0, (lam,))
            if after < threshold:
                key = round(after, 2)
                if key not in places:
                    places[key] = len(values)
                    values.append(key)
                moves.append((place, places[key], chance))
    start, end, chances = (np.array(column) for column in zip(*moves, strict=True))
    alive = np.zeros(len(values))
    mean = 0.0
    step = 0
    alive[0] = 1.0
    while alive.sum() > 1e-6 and step < 4000:
        mean += alive.sum()
        step += 1
        alive = np.bincount(end, alive[start] * chances, len(values))
    draw = random.Random(1)
    times = []
    for _ in range(1500):
        r = 0.0
        n = 0
        while r < threshold:
            n += 1
            (r,) = e_detector_step((r,), draw.random() < q0, q0, (lam,))
        times.append(n)
    error = scipy_stats.sem(times)
    assert abs(sum(times) / len(times) - mean) < 4 * error + 0.02 * mean
    assert mean >= threshold


@pytest.mark.parametrize(
    ("q0", "factor", "published"), [(0.05, 2, 142), (0.05, 5, 26), (0.2, 1.5, 119), (0.2, 3, 17)]
)
def test_delays_are_those_of_the_published_table(q0, factor, published):
    """The specification's table at A = 1000, 200 runs each."""
    found = mean_delay(q0, q0 * factor, 1000, runs=200)
    assert found == pytest.approx(published, rel=0.25)


def test_the_change_point_is_near_the_change():
    draw = random.Random(3)
    state = new_detector(0.05)
    for n in range(2000):
        state = detector_step(state, float(draw.random() < (0.03 if n < 1500 else 0.3)), 0.05)
    most_evidence = state.r.index(max(state.r))
    assert 1450 <= state.since[most_evidence] <= 1520


def test_the_threshold_splits_the_share_over_the_series():
    assert detector_threshold(3000, 0.05, 4) == 4 * 3000 / 0.05
    with pytest.raises(ValueError, match="share"):
        detector_threshold(3000, 1.5)


@pytest.mark.parametrize("n", [59, 60, 93, 200, 1000])
def test_the_rank_of_the_upper_quantile_is_that_of_the_binomial(n):
    rank = upper_quantile_rank(n)
    assert rank == int(scipy_stats.binom.ppf(0.95, n, 0.95)) + 1
    assert upper_quantile_rank(58) is None


def test_the_reference_rate_of_nothing_bad_is_the_rule_of_three():
    assert reference_rate(0, 200) == pytest.approx(1 - 0.05 ** (1 / 200))
    with pytest.raises(ValueError, match="100"):
        reference_rate(1, 99)
    assert isinstance(new_detector(0.1), Detector)
