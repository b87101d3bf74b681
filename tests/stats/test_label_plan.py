"""Which cases to label: fixed beforehand, every prefix a plan, more where judge and people may differ."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st

import rightcall as rc
from rightcall.core.errors import InputError
from rightcall.stats.label_plan import random_plan
from tests.support.examples import examples

VOTES = st.sampled_from([True, False, None, (True, False), (True, True)])


@settings(max_examples=examples(40), deadline=None)
@given(st.lists(VOTES, min_size=20, max_size=120), st.integers(0, 9), st.data())
def test_any_prefix_of_twelve_or_more_is_a_plan(votes, seed, data):
    judgements = {f"case-{place}": vote for place, vote in enumerate(votes)}
    whole = rc.label_plan(judgements, len(votes), seed=seed)
    n = data.draw(st.integers(12, len(votes)))
    part = rc.label_plan(dict(reversed(judgements.items())), n, seed=seed)
    assert part.cases == whole.cases[:n] and len(set(whole.cases)) == len(votes)
    assert Counter(part.stratum.values()) == Counter(part.allocation)
    sizes = Counter(rc.label_plan(judgements, len(votes)).stratum.values())
    assert all(number >= min(3, sizes[name]) for name, number in part.allocation.items())


def test_labels_go_where_judges_differ():
    judgements = {case: (case < 300, case < 200) for case in range(400)}  # 100 split, 200 pass, 100 fail
    plan = rc.label_plan(judgements, 60)
    assert plan.allocation == {"fail": 13, "split": 21, "pass": 26}
    assert {plan.stratum[case] for case in plan.cases if 200 <= case < 300} == {"split"}


def test_one_trial_of_each_golden_comes_first():
    judgements = {(golden, trial): trial == 0 for golden in range(30) for trial in range(3)}
    goldens = {case: case[0] for case in judgements}
    for plan in (
        rc.label_plan(judgements, 20, goldens=goldens),
        random_plan(judgements, 30, goldens=goldens),
    ):
        assert len({golden for golden, _ in plan.cases}) == len(plan.cases)
    assert len({trial for _, trial in random_plan(judgements, 30, goldens=goldens).cases}) == 3


def test_seed_and_size():
    judgements = {str(case): case % 2 == 0 for case in range(50)}
    assert rc.label_plan(judgements, 20) == rc.label_plan(judgements, 20)
    assert rc.label_plan(judgements, 20, seed=1).cases != rc.label_plan(judgements, 20).cases
    assert len(rc.label_plan(judgements, 99).cases) == 50 == len(random_plan(judgements, 99).cases)
    assert random_plan(judgements, 20).stratum == {}
    with pytest.raises(InputError, match="at least 1, got 0"):
        rc.label_plan(judgements, 0)
