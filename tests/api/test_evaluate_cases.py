"""Existing test cases: evaluate, assert_test, and a custom loop."""

from __future__ import annotations

import asyncio

import pytest

from rightcall.api.testing.assertion import assert_test
from rightcall.core.errors import CheckError, CheckFailed, ConfigError
from rightcall.deepeval import evaluate
from rightcall.deepeval.dataset import EvaluationDataset
from rightcall.records import ExpectedCall, Golden, TestCase, ToolCall, Trajectory

WEATHER = Golden(
    "Weather in Hanoi?", id="hanoi", expected_calls=(ExpectedCall("weather", {"city": "Hanoi"}),)
)
RIGHT = TestCase(WEATHER, Trajectory(calls=(ToolCall("weather", {"city": "Hanoi"}),)))
WRONG = TestCase(WEATHER, Trajectory(calls=(ToolCall("weather", {"city": "Hue"}),)))


def test_cases_are_scored_and_kept(tmp_path):
    run = evaluate([RIGHT, WRONG], store=tmp_path / "s.db")
    assert (run.summary.overall.passed, run.summary.overall.cases, run.passed) == (1, 2, False)
    assert [(r.golden_id, r.trial, r.passed) for r in run.test_results] == [
        ("hanoi", 0, True),
        ("hanoi", 1, False),
    ]


def test_named_metrics_decide_in_addition_to_the_golden(tmp_path):
    store = tmp_path / "s.db"
    assert not evaluate([RIGHT], ["call_count(limit=0)"], store=store).passed
    assert evaluate([RIGHT], measure=["call_count(limit=0)"], store=store).passed
    assert not evaluate([WRONG], metrics=["tool_selection"], store=store).passed


def test_no_cases_are_refused():
    with pytest.raises(ConfigError, match="requires test cases, got none"):
        evaluate([], metrics=["tool_selection"])


def test_assert_test_tells_the_reason_and_the_difference():
    assert assert_test(RIGHT).passed
    with pytest.raises(CheckFailed) as caught:
        assert_test(WRONG, metrics=["argument_match"])
    assert '- weather(city="Hanoi")\n+ weather(city="Hue")' in str(caught.value)


def test_assert_test_runs_an_agent():
    def agent(golden):
        return [ToolCall("weather", {"city": "Hanoi"})]

    assert assert_test(golden=WEATHER, agent=agent).passed


def test_assert_test_says_how_a_golden_and_an_agent_are_written():
    for arguments in ((WEATHER, lambda golden: []), (WEATHER,)):
        with pytest.raises(ConfigError, match=r"Golden is not a test case: write golden=…, agent=…"):
            assert_test(*arguments)
    with pytest.raises(ConfigError, match="a metric is a name, a Metric or a function, got int"):
        assert_test(RIGHT, 5)
    assert assert_test(RIGHT, lambda calls: len(calls) == 1).passed  # one metric needs no list


def test_a_metric_that_breaks_is_an_error_not_a_failure():
    class Broken:
        name = "broken"

        def measure(self, case):
            raise ValueError("no")

    with pytest.raises(CheckError, match="broken: raised ValueError: no"):
        assert_test(RIGHT, metrics=[Broken()])
    assert not issubclass(CheckError, AssertionError)  # a test runner shows it as an error


def test_an_agent_of_which_nothing_arrives_is_an_error_whatever_its_golden_states():
    silent = Golden("Hello", id="hello", no_calls=True)
    with pytest.raises(CheckError, match="golden 'hello': no answer arrived in any of 1 case"):
        assert_test(golden=silent, agent=lambda golden: "")
    assert assert_test(golden=silent, agent=lambda golden: "Hello.").passed


def test_a_loop_of_ones_own_is_scored_at_its_end(tmp_path):
    dataset = EvaluationDataset([WEATHER, Golden("Hello", id="hello")])
    for golden in dataset.evals_iterator(store=tmp_path / "s.db"):
        dataset.evaluate([ToolCall("weather", {"city": "Hanoi"})] if golden.id == "hanoi" else "Hi!")
    assert dataset.last_run.passed
    assert len(dataset.test_cases) == 2


def test_coroutines_run_together_and_tasks_inside_a_loop(tmp_path):
    dataset = EvaluationDataset([WEATHER])

    async def agent(golden):
        await asyncio.sleep(0)
        return [ToolCall("weather", {"city": "Hanoi"})]

    for golden in dataset.evals_iterator(store=tmp_path / "s.db"):
        dataset.evaluate(agent(golden))
    assert dataset.last_run.passed

    async def inside():
        async for golden in dataset.aevals_iterator(store=tmp_path / "s.db"):
            dataset.evaluate(asyncio.create_task(agent(golden)))

    asyncio.run(inside())
    assert dataset.last_run.passed


def test_a_skipped_golden_is_reported(tmp_path):
    dataset = EvaluationDataset([WEATHER])
    with pytest.raises(ConfigError, match=r"nor add_test_case\(\) was called for 1 golden "):
        for _ in dataset.evals_iterator(store=tmp_path / "s.db"):
            pass


def test_an_agent_that_raises_fails_its_golden_alone(tmp_path):
    dataset = EvaluationDataset([WEATHER])

    async def agent():
        raise KeyError("city")

    for _ in dataset.evals_iterator(store=tmp_path / "s.db"):
        dataset.evaluate(agent())
    (result,) = dataset.last_run.test_results
    assert result.codes[-1].code == "agent_error"


def test_versions_are_pushed_and_pulled(tmp_path):
    store = tmp_path / "s.db"
    assert EvaluationDataset([WEATHER]).push("weather", store=store, author="an").version == 1
    EvaluationDataset([WEATHER, Golden("b")]).push("weather", finalized=False, store=store)
    pulled = EvaluationDataset()
    pulled.pull("weather", store=store)
    assert pulled.goldens == [WEATHER]
    pulled.pull("weather", finalized=False, store=store)
    assert len(pulled) == 2
