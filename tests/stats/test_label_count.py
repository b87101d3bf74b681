"""How many labels are needed, by simulation before anyone labels."""

from __future__ import annotations

import pytest

from rightcall.core.errors import InputError
from rightcall.stats.label_count import labels_for_decision, labels_for_width

ONE = {case: case < 300 for case in range(400)}
TWO = {case: (case < 300, case < 250) for case in range(400)}
FEW = {"draws": 60}


def test_narrower_intervals_need_more_labels_and_labels_so_far_are_used():
    wide, narrow = (labels_for_width(TWO, width, **FEW) for width in (0.3, 0.15))
    assert 12 <= wide.labels < narrow.labels < 400 and narrow.reached <= 0.15
    surprising = {case: case % 2 == 0 for case in range(60)}  # people pass half of what both judges pass
    assert labels_for_width(TWO, 0.15, surprising, **FEW).labels > narrow.labels


def test_a_decision_far_from_the_minimum_needs_fewer_labels():
    far, near = (labels_for_decision(ONE, least, **FEW) for least in (0.3, 0.6))  # about 0.7 by the guess
    assert far.labels < near.labels and near.reached >= 0.8


def test_when_all_labels_would_not_do_more_cases_are_needed():
    need = labels_for_width(dict(list(ONE.items())[:40]), 0.05, **FEW)
    assert need.labels is None and need.cases == 40 and need.reached > 0.05
    assert labels_for_width(ONE, 0.05, about="these_cases", **FEW).labels is not None


def test_it_is_repeatable_and_may_draw_at_random():
    assert labels_for_width(TWO, 0.2, **FEW) == labels_for_width(TWO, 0.2, **FEW)
    assert labels_for_width(TWO, 0.2, chosen=False, **FEW).labels >= 12


@pytest.mark.parametrize(("judgements", "width"), [({1: None}, 0.1), (ONE, 0), (ONE, 1.5), ({}, 0.1)])
def test_bad_input_is_an_error(judgements, width):
    with pytest.raises(InputError):
        labels_for_width(judgements, width)
