"""`evaluate` and `assert_test` with DeepEval's arguments, and the configurations of `evaluate`.

configs      DeepEval's configurations of `evaluate`
test_cases   `evaluate(test_cases, metrics)` as in DeepEval
test_result  a run and its results in DeepEval's form
"""

from rightcall import assert_test
from rightcall.deepeval.evaluate.configs import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from rightcall.deepeval.evaluate.test_cases import aevaluate, evaluate
from rightcall.deepeval.evaluate.test_result import EvaluationResult

__all__ = [
    "AsyncConfig",
    "CacheConfig",
    "DisplayConfig",
    "ErrorConfig",
    "EvaluationResult",
    "aevaluate",
    "assert_test",
    "evaluate",
]
