"""DeepEval's words in our constructors: they build the same records, and a wrong word says what to write."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

import rightcall as rc
from rightcall.deepeval.metrics import AnswerRelevancyMetric, GEval, ToolCorrectnessMetric
from rightcall.deepeval.test_case import LLMTestCase

SEARCH = rc.ToolCall(name="search", input_parameters={"q": "x"})


def test_a_golden_takes_deepevals_words():
    golden = rc.Golden(
        input="Find x",
        expected_tools=[SEARCH],
        additional_metadata={"team": "shop"},
        custom_column_key_values={"row": "7"},
    )
    assert golden == rc.Golden(
        "Find x",
        expected_calls=(rc.ExpectedCall("search", {"q": "x"}),),
        metadata={"team": "shop"},
        custom_columns={"row": "7"},
    )


@pytest.mark.parametrize(
    "tool", ["search", rc.ToolCall(name="search"), {"name": "search"}, rc.ExpectedCall("search")]
)
def test_an_expected_tool_without_parameters_may_have_any_arguments(tool):
    assert rc.Golden(input="?", expected_tools=[tool]).expected_calls == (rc.ExpectedCall("search"),)


def test_an_object_among_parameters_is_meant_literally():
    golden = rc.Golden(
        input="?", expected_tools=[rc.ToolCall(name="a", input_parameters={"p": {"text": "b"}})]
    )
    assert golden.expected_calls[0].args == {"p": {"exact": {"text": "b"}}}


def test_a_test_case_is_a_golden_and_what_was_recorded():
    case = LLMTestCase(
        input="Find x",
        actual_output="Found.",
        tools_called=[SEARCH],
        expected_tools=[SEARCH],
        retrieval_context=["a page"],
        completion_time=1.5,
        token_cost=0.01,
    )
    assert case.golden.expected_calls[0].tool == "search" and case.golden.actual_output is None
    assert case.trajectory.output == "Found." and case.trajectory.calls == (SEARCH,)
    assert (case.trajectory.latency_ms, case.trajectory.usage.cost_usd) == (1500, 0.01)


def test_two_answers_to_one_question_are_two_trials_of_one_golden():
    one, other = (LLMTestCase(input="Hi", actual_output=said) for said in ("Hello", "Good day"))
    assert one.golden == other.golden


def test_a_case_that_says_nothing_of_tools_allows_every_call():
    case = LLMTestCase(input="Hi", actual_output="Hello", tools_called=[SEARCH])
    verdict = rc.score_trajectory(case.golden, case.trajectory)
    assert not verdict.failures and not verdict.checked


def test_the_turns_are_the_recorded_conversation():
    case = rc.ConversationalTestCase(
        scenario="A refund",
        turns=[rc.Turn(role="user", content="Refund A-7"), rc.Turn(role="assistant", content="Done", tools_called=[SEARCH])],
        chatbot_role="support",
    )  # fmt: skip
    assert case.golden.scenario == "A refund" and case.golden.metadata == {"chatbot_role": "support"}
    assert [call.name for call in case.trajectory.calls] == ["search"] and case.trajectory.output == "Done"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (
            lambda: rc.Golden(inptu="?"),
            r"Golden\(\) got an unexpected argument 'inptu'; did you mean 'input'",
        ),
        (lambda: LLMTestCase(actual_output="x"), r"TestCase\(\) is missing the argument 'input'"),
        (lambda: rc.ConversationalTestCase(scenario="x"), "is missing the argument 'turns'"),
        (lambda: rc.Golden(input="?", expected_tools="search"), "must be a list of tool calls, got str"),
        (lambda: rc.ToolCall("a", {"x": 1}, input_parameters={}), "mean the same"),
        (lambda: LLMTestCase(input="?", flaky=True), "several trials"),
        (rc.Golden, r"Golden\(\) is missing the argument 'input'"),
        (lambda: rc.Golden(input="?", expected_tool=[]), "did you mean 'expected_tools'"),
        (lambda: rc.Golden(input="?", metadata={}, additional_metadata={}), "mean the same"),
        (lambda: LLMTestCase(input="?", multimodal=True), "only text is scored"),
        (lambda: LLMTestCase(input="?", tools_called=[7]), "got int"),
        (lambda: rc.TestCase(rc.Golden("?")), r"TestCase\(\) is missing the argument 'trajectory'"),
        (lambda: rc.ConversationalTestCase(turns=[]), "needs turns, got none"),
        (lambda: rc.ToolCall(name="a", parameters={}), "did you mean 'input_parameters'"),
        (lambda: ToolCorrectnessMetric(treshold=1), "does not support 'treshold'"),
    ],
)
def test_a_wrong_word_is_a_type_error_that_says_what_to_write(build, message):
    with pytest.raises(TypeError, match=message):
        build()


@given(st.lists(st.sampled_from(["a", "b"]), max_size=4), st.lists(st.sampled_from(["a", "b"]), max_size=4))
def test_tool_correctness_is_the_share_of_expected_tools_that_were_called(expected, called):
    case = LLMTestCase(
        input="?", expected_tools=expected, tools_called=[rc.ToolCall(name) for name in called]
    )
    met = len(set(expected) & set(called))  # equal calls are one call, as in DeepEval
    score = ToolCorrectnessMetric(threshold=0.5).measure(case)
    assert score.value == pytest.approx(met / len(expected) if expected else float(not called))
    assert score.passed == (score.value >= 0.5)


def test_a_metric_that_asks_a_model_takes_deepevals_settings():
    metric = GEval(name="tone", criteria="It is polite.", model="gpt-4.1", threshold=0.7, verbose_mode=True)
    assert (metric.name, metric.model, metric.threshold) == ("tone", "openai:gpt-4.1", 0.7)
    with pytest.raises(rc.errors.ConfigError, match="requires a model"):
        AnswerRelevancyMetric()
