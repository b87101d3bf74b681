"""Plain functions as metrics and as matchers."""

from __future__ import annotations

import pytest

from rightcall.api.evaluation import evaluate, rescore, score_cases
from rightcall.api.testing.assertion import assert_test
from rightcall.core.errors import CheckError, CheckFailed, ConfigError
from rightcall.metrics.base import FunctionMetric
from rightcall.metrics.resolve import as_metrics
from rightcall.records import ExpectedCall, Golden, Score, TestCase, ToolCall, Trajectory


def is_city(value):
    return value in ("Hanoi", "Hà Nội")


GOLDEN = Golden("Weather?", id="a", expected_calls=(ExpectedCall("weather", {"city": is_city}),))
CASE = TestCase(GOLDEN, Trajectory(calls=(ToolCall("weather", {"city": "Hà Nội"}),), output="31 °C"))


def by_case(case):
    return case.trajectory.output == "31 °C"


def by_parts(output, target):
    return output == target


async def later(calls):
    return Score.passed_if(len(calls) == 1)


@pytest.mark.parametrize("metric", [by_case, later, lambda c: 1.0, "tests.metrics.test_functions:by_case"])
def test_a_function_is_a_metric(metric, tmp_path):
    assert score_cases([CASE], [metric], store=tmp_path / "s.db").passed


def test_parameters_get_what_they_are_named_for(tmp_path):
    known = TestCase(Golden("?", expected_output="4"), Trajectory(output="4"))
    other = TestCase(Golden("?", metadata={"target": 4}), Trajectory(output="5"))
    run = score_cases([known, other], [by_parts], store=tmp_path / "s.db")
    assert sorted((r.passed, r.metrics["by_parts"].value) for r in run.results) == [(False, 0), (True, 1)]


def test_a_number_passes_from_a_threshold_that_a_suite_may_set():
    (metric,) = as_metrics(["tests.metrics.test_functions:half(threshold=0.5, label='fair')"])
    assert metric.name == "fair" and assert_test(CASE, [metric]).passed
    with pytest.raises(CheckFailed, match=r"half: 0\.5, below 1"):
        assert_test(CASE, [half])


def half(case):
    return 0.5


def test_a_function_that_cannot_be_called_is_refused_before_anything_runs():
    with pytest.raises(
        ConfigError, match=r"strange\(x, y\) cannot be called; a metric function takes the case"
    ):
        as_metrics([lambda case: True, strange])


def strange(x, y):
    return True


def test_two_metrics_of_one_name_are_refused_rather_than_hidden():
    with pytest.raises(ConfigError, match="two metrics are named 'by_case'"):
        as_metrics([by_case, FunctionMetric(half, label="by_case")])


def test_a_golden_with_a_function_is_run_stored_and_described(tmp_path):
    def agent(golden):
        return [ToolCall("weather", {"city": "Hue"})]

    run = evaluate(agent, [GOLDEN], store=tmp_path / "s.db")
    (result,) = run.results
    assert not result.passed and result.codes[0].expected == {"python_function": "<function is_city>"}
    (stored,) = run.store.runs.goldens(run.id)
    assert stored.expected_calls[0].args == {"city": {"python_function": "<function is_city>"}}


def test_what_was_stored_without_its_function_is_an_error_until_the_golden_is_given(tmp_path):
    store = tmp_path / "s.db"
    run = score_cases([CASE], store=store)
    (blind,) = rescore(run.id, store=store).results
    assert not blind.passed and "stored without <function is_city>" in blind.error
    assert rescore(run.id, goldens=[GOLDEN], store=store).passed


def test_a_matcher_that_raises_makes_its_case_an_error():
    def broken(value):
        raise KeyError(value)

    golden = Golden("?", expected_calls=(ExpectedCall("weather", {"city": broken}),))
    with pytest.raises(CheckError, match="matcher broken raised KeyError"):
        assert_test(TestCase(golden, CASE.trajectory))


def test_another_source_is_another_metric():
    one = {}
    other = {}
    exec("def f(case): return True", one)
    exec("def f(case): return False", other)
    assert repr(FunctionMetric(one["f"])) != repr(FunctionMetric(other["f"]))
    assert repr(FunctionMetric(one["f"])).startswith("FunctionMetric(<function f> ")


def test_a_parameter_that_is_nearly_a_part_is_refused_instead_of_given_the_case():
    def f(outputs):
        return True

    with pytest.raises(ConfigError, match=r"metric f\(outputs\): did you mean 'output'\?"):
        FunctionMetric(f)
    assert FunctionMetric(lambda c: True).threshold is None


def test_a_case_that_only_fails_a_metric_is_counted_by_code(tmp_path):
    def never(output):
        return Score.passed_if(False, "too short")

    run = score_cases([CASE], [never], store=tmp_path / "s.db")
    assert run.summary.codes == {"failed_metric": 1}
    (failure,) = run.results["a"].codes
    assert failure.detail == "never: too short"


def test_a_verdict_prints_as_its_sentence(tmp_path):
    run = score_cases([CASE], [by_case], store=tmp_path / "s.db")
    assert str(run.verdict) == "PASS: 1 of 1 golden passed"
    assert repr(run.verdict) == "<Verdict PASS: 1 of 1 golden passed>"
