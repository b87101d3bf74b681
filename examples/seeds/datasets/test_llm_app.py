"""The same as tests, one for each test case: `rightcall test test_llm_app.py`, or plain pytest."""

import pytest
from llm_app import JUDGE, your_llm_app

from rightcall import ConversationalTestCase, Golden, Turn, assert_test
from rightcall.deepeval.dataset import EvaluationDataset
from rightcall.deepeval.metrics import AnswerRelevancyMetric, ConversationalRelevancyMetric
from rightcall.deepeval.test_case import LLMTestCase

dataset = EvaluationDataset(goldens=[Golden(input="What is your name?"), Golden(input="What can you do?")])
for golden in dataset.goldens:
    dataset.add_test_case(LLMTestCase(input=golden.input, actual_output=your_llm_app(golden.input)))


@pytest.mark.parametrize("test_case", dataset.test_cases)
def test_llm_app(test_case: LLMTestCase):
    assert_test(test_case=test_case, metrics=[AnswerRelevancyMetric(model=JUDGE, votes=1, cache="")])


conversations = [
    ConversationalTestCase(
        scenario="A user gets to know the assistant.",
        turns=[
            Turn(role="user", content="What is your name?"),
            Turn(role="assistant", content=your_llm_app("What is your name?")),
        ],
    )
]


@pytest.mark.parametrize("test_case", conversations)
def test_conversation(test_case: ConversationalTestCase):
    assert_test(test_case=test_case, metrics=[ConversationalRelevancyMetric(model=JUDGE, votes=1, cache="")])


def test_an_answer_that_is_beside_the_point_fails():
    beside = LLMTestCase(input="Who are you?", actual_output=your_llm_app("Who are you?"))
    with pytest.raises(AssertionError, match="it is about fish"):
        assert_test(test_case=beside, metrics=[AnswerRelevancyMetric(model=JUDGE, votes=1, cache="")])
