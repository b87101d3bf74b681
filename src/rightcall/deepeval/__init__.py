"""DeepEval's import paths: a script changes `deepeval` to `rightcall.deepeval` in its imports and runs here.

    from rightcall.deepeval import assert_test, evaluate
    from rightcall.deepeval.dataset import EvaluationDataset, Golden
    from rightcall.deepeval.metrics import BaseMetric, ToolCorrectnessMetric
    from rightcall.deepeval.test_case import LLMTestCase, ToolCall

    evaluate/      evaluate, assert_test and their configurations
    test_case      test cases, tool calls, turns
    dataset        goldens and datasets
    metrics        the metrics, and the base classes of custom ones
    synthesizer/   Synthesizer and its configurations
    simulator      ConversationSimulator

The names are those of `rightcall`, the paths DeepEval 4.3.1's. Importing a name without an equivalent says so.
"""

from collections.abc import Callable, Mapping
from typing import Any

from rightcall.deepeval.evaluate import aevaluate, assert_test, evaluate

__all__ = ["aevaluate", "assert_test", "evaluate", "log_hyperparameters"]


def log_hyperparameters(function: Callable[[], Mapping[str, Any]] | None = None, **fields: Any) -> Any:
    """A decorator that returns the function as it is; with or without arguments of the decorator.

    Nothing is stored: DeepEval adds them to its test run. `evaluate(hyperparameters={…})` stores them with a run here.
    """
    return (lambda decorated: decorated) if function is None else function
