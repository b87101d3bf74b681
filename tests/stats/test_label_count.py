"""How many labels are needed, by simulation before anyone labels."""

from __future__ import annotations

import pytest

from rightcall.core.errors import InputError
from rightcall.stats.label_count import labels_for_decision

ONE = {case: case < 300 for case in range(400)}
TWO = {case: (case < 300, case < 250) for case in range(400)}
FEW = {"draws": 60}


def test_a_decision_far_from_the_minimum_needs_fewer_labels():
    far, near = (labels_for_decision(ONE, least, **FEW) for least in (0.3, 0.6))  # about 0.7 by the guess
    assert far.labels < near.labels and near.reached >= 0.8


def test_when_all_labels_would_not_do_more_cases_are_needed():
    need = labels_for_decision(dict(list(ONE.items())[:40]), 0.85, **FEW)
    assert need.labels is None and need.cases == 40 and need.reached < 0.8


def test_it_is_repeatable_and_may_draw_at_random():
    assert labels_for_decision(TWO, 0.4, **FEW) == labels_for_decision(TWO, 0.4, **FEW)
    assert labels_for_decision(TWO, 0.4, chosen=False, **FEW).labels >= 12


@pytest.mark.parametrize(("judgements", "least"), [({1: None}, 0.1), (ONE, 0), (ONE, 1.5), ({}, 0.1)])
def test_bad_input_is_an_error(judgements, least):
    with pytest.raises(InputError):
        labels_for_decision(judgements, least)
