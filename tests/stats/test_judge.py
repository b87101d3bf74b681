"""Rates corrected for a judge that errs."""

from __future__ import annotations

import pytest

from rightcall.core.errors import InputError
from rightcall.stats.intervals import probability_better, wilson
from rightcall.stats.judge import rogan_gladen, rogan_gladen_interval


def test_interval_holds_the_corrected_rate_and_is_wider_than_the_uncorrected():
    low, high = rogan_gladen_interval((80, 100), (90, 100), (85, 100), resamples=2000)
    plain_low, plain_high = wilson(80, 100)
    assert low < rogan_gladen(0.8, 0.9, 0.85) < high
    assert high - low > plain_high - plain_low


def test_a_judge_no_better_than_chance_is_refused():
    with pytest.raises(InputError, match="no better than chance"):
        rogan_gladen(0.8, 0.5, 0.5)


def test_better_is_the_complement_of_worse():
    ahead = probability_better(40, 50, 46, 50)
    assert probability_better(46, 50, 40, 50) == pytest.approx(1 - ahead, abs=1e-9)
    assert probability_better(0, 5, 5, 5) > 0.99
