"""A loop over `evals_iterator` that adds the test case of each golden."""

from deepeval.dataset import EvaluationDataset, Golden
from deepeval.metrics import ExactMatchMetric
from deepeval.test_case import LLMTestCase

dataset = EvaluationDataset(
    goldens=[Golden(input=text, expected_output=text.upper()) for text in ("a", "b", "1")]
)
metric = ExactMatchMetric()
for golden in dataset.evals_iterator(metrics=[metric], identifier="loop", hyperparameters={"model": "upper"}):
    dataset.add_test_case(
        LLMTestCase(
            input=golden.input, actual_output=golden.input.upper(), expected_output=golden.expected_output
        )
    )
print("RESULT", [case.actual_output for case in dataset.test_cases])
