"""Tests over a dataset, one for each golden."""

import pytest
from deepeval import assert_test
from deepeval.dataset import EvaluationDataset, Golden
from deepeval.metrics import PatternMatchMetric, ToolCorrectnessMetric
from deepeval.test_case import LLMTestCase, ToolCall

dataset = EvaluationDataset(
    goldens=[Golden(input=text, expected_tools=[ToolCall(name="greet")]) for text in ("Hi", "Hello", "Bye")]
)


def greeter(text):
    return f"{text}!", [ToolCall(name="greet" if text.startswith("H") else "leave")]


@pytest.mark.parametrize("golden", dataset.goldens)
def test_greeter(golden: Golden):
    answer, calls = greeter(golden.input)
    test_case = LLMTestCase(
        input=golden.input, actual_output=answer, tools_called=calls, expected_tools=golden.expected_tools
    )
    assert_test(test_case=test_case, metrics=[ToolCorrectnessMetric(), PatternMatchMetric(pattern=r"\w+!")])
