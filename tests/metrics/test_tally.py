"""Results add up to the same whatever their order, and to what a plain computation gives."""

from __future__ import annotations

from statistics import fmean

import pytest
from hypothesis import given, strategies as st

from rightcall.metrics.case_result import result_of
from rightcall.metrics.dimensions import SPOTLESS
from rightcall.metrics.tally import Tally
from rightcall.records import CaseResult, Failure, Score, Usage
from tests.metrics.builders import a_golden, a_trajectory


def tallied(results):
    tally = Tally()
    assert list(tally.watch(results)) == list(results)
    return tally.summary()


def a_result(called: list[str], category: str = "golden", **trajectory) -> CaseResult:
    golden = a_golden("a", "b", category=category)
    return result_of(golden, 0, a_trajectory(*called, **trajectory), {})


results = st.builds(
    a_result,
    st.lists(st.sampled_from("abc"), max_size=4),
    category=st.sampled_from(["golden", "secondary"]),
    stop_reason=st.sampled_from(["done", "done", "infra_error"]),
)


@given(st.lists(results, max_size=12), st.randoms())
def test_the_sum_is_that_of_a_plain_computation_in_any_order(cases, shuffler):
    shuffled = list(cases)
    shuffler.shuffle(shuffled)
    summary = tallied(cases)
    again = tallied(shuffled)
    told = [case for case in cases if not case.error]
    for group in (summary.overall, again.overall):
        assert (group.cases, group.passed) == (len(told), sum(case.passed for case in told))
        assert group.errors == len(cases) - len(told)
        for name in SPOTLESS if told else ():
            assert group.means[name] == pytest.approx(fmean(case.metrics[name].value for case in told))
    assert {name: group.cases for name, group in summary.categories.items()} == {
        name: sum(case.category == name for case in told) for name in {case.category for case in cases}
    }
    assert again.codes == summary.codes


def test_nothing_adds_up_to_nothing():
    summary = tallied([])
    assert (summary.overall.cases, summary.overall.pass_rate, summary.overall.means) == (0, 0.0, {})
    assert summary.categories == {} and summary.codes == {}


def test_a_code_counts_once_per_failed_case_and_never_in_a_passed_one():
    twice = (Failure("unexpected_call", "a"), Failure("unexpected_call", "b"))
    failed = CaseResult("g", 0, False, 0.0, {}, twice)
    passed = CaseResult("h", 0, True, 1.0, {}, (Failure("missing_content"),))
    assert tallied([failed, failed, passed]).codes == {"unexpected_call": 2}


def test_errors_are_left_out_of_rates_and_means():
    right = a_result(["a", "b"])
    down = a_result([], stop_reason="infra_error")
    overall = tallied([right, down, down]).overall
    assert (overall.cases, overall.errors, overall.pass_rate) == (1, 2, 1.0)
    assert overall.means["call_recall"] == 1.0


def test_a_metric_that_broke_is_left_out_of_its_mean():
    scores = [Score(0.5, False), Score.broken("x"), Score(1.0, True)]
    summary = tallied([CaseResult("g", n, True, 1.0, {"mine": score}) for n, score in enumerate(scores)])
    assert summary.overall.means == {"mine": 0.75}


def test_tokens_and_known_costs_add_up():
    used = [Usage(10, 1, 0.5), Usage(5, 2, None), Usage(1, 1, 0.25)]
    cases = [CaseResult("g", n, True, 1.0, {}, usage=usage) for n, usage in enumerate(used)]
    assert tallied(cases).usage == Usage(16, 4, 0.75)
    assert tallied(cases[1:2]).usage.cost_usd is None


def test_cases_with_and_without_fault_share_one_mean():
    summary = tallied([a_result(["a", "b"]), a_result(["a"])])
    assert summary.overall.means["call_recall"] == 0.75
