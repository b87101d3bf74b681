"""From goldens to test cases to scores: the application answers each golden, a metric scores every answer.

With a real judge: `AnswerRelevancyMetric(model="openai:gpt-5-mini", threshold=0.7)`.
"""

from llm_app import JUDGE, your_llm_app

from rightcall import Golden
from rightcall.deepeval import evaluate
from rightcall.deepeval.dataset import EvaluationDataset
from rightcall.deepeval.metrics import AnswerRelevancyMetric
from rightcall.deepeval.test_case import LLMTestCase

goldens = [Golden(input="What is your name?"), Golden(input="What can you do?"), Golden(input="Who are you?")]
EvaluationDataset(goldens=goldens).push(alias="My dataset")

dataset = EvaluationDataset()
dataset.pull(alias="My dataset")
for golden in dataset.goldens:
    dataset.add_test_case(LLMTestCase(input=golden.input, actual_output=your_llm_app(golden.input)))

relevancy = AnswerRelevancyMetric(model=JUDGE, threshold=0.7, votes=1, cache="")
run = evaluate(test_cases=dataset.test_cases, metrics=[relevancy])
for result in run.test_results:
    score = result.metrics["answer_relevancy"]
    print(result.trajectory.output, score.value, score.reason)
assert [result.passed for result in run.test_results].count(False) == 1 and not run.passed
