"""Biases of a judge: each difference has its sign, its interval and a p-value corrected over the list."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.metrics.judged.bias import RatedCase, bias_report
from tests.support.examples import examples

CASES = st.lists(
    st.builds(
        RatedCase,
        st.booleans(),
        st.booleans(),
        st.integers(0, 50),
        st.sampled_from(["openai:gpt-5", "anthropic:claude-5"]),
        st.just("openai:gpt-5-mini"),
    ),
    max_size=120,
)


def report(rows, **words):
    return {bias.name: bias for bias in bias_report(rows, **words)}


@given(CASES)
@settings(max_examples=examples(200, 25), deadline=None)
def test_every_difference_is_within_its_interval_and_has_a_p_value(rows):
    for bias in bias_report(rows):
        if bias.difference is None:
            assert bias.problem and bias.p is None
            continue
        assert bias.low - 1e-9 <= bias.difference <= bias.high + 1e-9 or bias.name == "leniency"
        assert 0 <= bias.p <= 1 and not bias.problem


def test_a_lenient_judge_is_lenient_and_mirrored_it_is_strict():
    rows = [RatedCase(True, number % 4 > 0, number) for number in range(60)]
    lenient = report(rows)["leniency"]
    assert (
        lenient.difference == pytest.approx(0.25)
        and 0 < lenient.low < 0.25 < lenient.high
        and lenient.p < 0.01
    )
    strict = report([RatedCase(not row.judge, not row.people, row.length) for row in rows])["leniency"]
    assert strict.difference == -lenient.difference and strict.p == lenient.p


def test_a_judge_that_passes_long_answers_is_found_by_length():
    rows = [RatedCase(number >= 30, number % 2 == 0, number) for number in range(60)]
    length = report(rows)["length"]
    assert length.difference > 0.8 and length.p < 0.01
    assert report([RatedCase(n % 2 == 0, n % 2 == 0, n) for n in range(60)])["length"].p == 1


def test_self_preference_needs_two_agents_and_compares_families():
    own = [RatedCase(True, False, agent="openai:gpt-5", model="openai:gpt-4o-mini") for _ in range(30)]
    other = [
        RatedCase(False, False, agent="anthropic:claude-5", model="openai:gpt-4o-mini") for _ in range(30)
    ]
    assert "two agents" in report(own)["self-preference"].problem
    assert report(own, everywhere=own + other)["self-preference"].difference == 1.0


def test_a_model_prefers_its_own_family_whoever_serves_it():
    judge = "azure:gpt-4o-mini"
    own = [RatedCase(True, False, agent="openrouter:openai/gpt-5", model=judge) for _ in range(30)]
    other = [RatedCase(False, False, agent="openrouter:anthropic/claude-5", model=judge) for _ in range(30)]
    assert report(own, everywhere=own + other)["self-preference"].difference == 1.0


def test_few_labels_say_nothing():
    assert all(bias.difference is None for bias in bias_report([RatedCase(True, False)] * 19))
