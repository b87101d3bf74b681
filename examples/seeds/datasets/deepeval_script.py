"""A script written for DeepEval: only its imports were changed, from `deepeval` to `rightcall.deepeval`."""

from rightcall.deepeval import assert_test, evaluate
from rightcall.deepeval.dataset import EvaluationDataset, Golden
from rightcall.deepeval.metrics import BaseMetric, ToolCorrectnessMetric
from rightcall.deepeval.test_case import LLMTestCase, ToolCall


class ConcisenessMetric(BaseMetric):
    def __init__(self, longest: int = 40, threshold: float = 0.5):
        self.longest = longest
        self.threshold = threshold

    def measure(self, test_case: LLMTestCase) -> float:
        self.score = min(1.0, self.longest / max(1, len(test_case.actual_output)))
        self.reason = f"{len(test_case.actual_output)} characters"
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case: LLMTestCase) -> float:
        return self.measure(test_case)

    def is_successful(self) -> bool:
        return self.success

    @property
    def __name__(self):
        return "Conciseness"


check = ToolCall(name="check")
refund = ToolCall(name="refund", input_parameters={"order": "A-7"})
dataset = EvaluationDataset(goldens=[Golden(input="Refund A-7", expected_tools=[check, refund])])
for golden in dataset.evals_iterator(metrics=[ConcisenessMetric()]):
    dataset.add_test_case(
        LLMTestCase(
            input=golden.input,
            actual_output="Done.",
            tools_called=[refund, check],
            expected_tools=golden.expected_tools,
        )
    )
(case,) = dataset.test_cases
assert case.tools_called == [refund, check] and case.expected_tools == [check, refund]

# The calls were swapped: order counts where the metric says so.
for settings, score in (
    ({}, 1.0),
    ({"should_consider_ordering": True}, 0.5),
    ({"should_exact_match": True}, 0.0),
):
    metric = ToolCorrectnessMetric(**settings)
    metric.measure(case)
    print(settings, metric.score, metric.success, metric.reason)
    assert (metric.score, metric.is_successful()) == (score, score >= 0.5)

result = evaluate(test_cases=dataset.test_cases, metrics=[ToolCorrectnessMetric(), ConcisenessMetric()])
(test,) = result.test_results
assert test.success and [data.score for data in test.metrics_data] == [1.0, 1.0]
assert_test(case, [ConcisenessMetric()])
