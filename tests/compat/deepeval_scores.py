"""Run by an interpreter that has DeepEval: measures test cases with its metrics and writes what it found.

    PYTHONHASHSEED=0 python tests/compat/deepeval_scores.py > tests/metrics/data/deepeval_scores.json

The cases are random but seeded. The metrics are those of DeepEval 4.3.1 that need no model.
"""

import json
import os
import random
import sys

SEED = 31
CASES = 400

os.environ.setdefault("OPENAI_API_KEY", "none")  # DeepEval makes a client that these metrics never use


def calls(rng, parameters):
    return [call(rng, parameters) for _ in range(rng.choice([0, 1, 1, 2, 2, 3, 3, 4]))]


def call(rng, parameters):
    made = {"name": rng.choice("aabbc")}
    if parameters:
        names = rng.sample(["p", "q", "r"], rng.choice([1, 1, 2, 3]))
        made["input_parameters"] = {name: value(rng) for name in names}
    if rng.random() < 0.4:
        made["output"] = rng.choice(["done", "failed", {"n": 1}])
    if rng.random() < 0.08:
        made["type"] = "MCP"
    return made


def value(rng):
    nested = {name: rng.choice([1, "1", True, None]) for name in rng.sample("xy", rng.choice([1, 2]))}
    return rng.choice([1, 1.0, 2, "1", True, None, [1, 2], [2, 1], nested, nested])


def tool_correctness_case(rng):
    parameters = rng.random() < 0.7
    expected = calls(rng, parameters)
    called = rng.choice([
        lambda: list(expected),
        lambda: rng.sample(expected, len(expected)),
        lambda: [*expected, call(rng, parameters)],
        lambda: expected[1:],
        lambda: [{**one, **({"input_parameters": {"p": value(rng)}} if parameters else {})} for one in expected],
        lambda: calls(rng, parameters),
        lambda: calls(rng, parameters),
    ])()  # fmt: skip
    return {
        "metric": "ToolCorrectnessMetric",
        "expected_tools": expected,
        "tools_called": called,
        "evaluation_params": rng.choice([[], ["input_parameters"], ["input_parameters"], ["output"], ["input_parameters", "output"]]),
        "should_exact_match": rng.random() < 0.35,
        "should_consider_ordering": rng.random() < 0.4,
        "strict_mode": rng.random() < 0.15,
        "threshold": rng.choice([0.5, 0.5, 0.7, 1.0]),
    }  # fmt: skip


TEXTS = [
    "yes",
    "Yes",
    " yes ",
    "no",
    "yes\nno",
    "a-7",
    "A-77",
    "order a-7",
    '{"n": 1}',
    '{"n": "x"}',
    "{",
    "[1]",
]
PATTERNS = ["yes", r"[a-z]-\d+", r"yes\s+no", ".*", r" \d+ ", r"\{.*\}"]


def text_case(rng):
    case = {"metric": rng.choice(["ExactMatchMetric", "PatternMatchMetric", "JsonCorrectnessMetric"])}
    case["actual_output"] = rng.choice(TEXTS)
    if case["metric"] == "ExactMatchMetric":
        case["expected_output"] = rng.choice(TEXTS)
    elif case["metric"] == "PatternMatchMetric":
        case |= {"pattern": rng.choice(PATTERNS), "ignore_case": rng.random() < 0.5}
    return case


def cases():
    rng = random.Random(SEED)
    return [tool_correctness_case(rng) if rng.random() < 0.8 else text_case(rng) for _ in range(CASES)]


def measured(case):
    """What the metric keeps after `measure`."""
    metric, test_case = built(case)
    try:
        returned = metric.measure(test_case, _show_indicator=False)
    except Exception as error:
        return {"error": type(error).__name__}
    found = {"score": metric.score, "success": metric.is_successful(), "threshold": metric.threshold}
    return found | {"name": metric.__name__, "returned": returned, "has_reason": bool(metric.reason)}


def built(case):
    from deepeval import metrics
    from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams
    from pydantic import BaseModel

    class Number(BaseModel):
        n: int

    settings = {name: case[name] for name in SETTINGS if name in case}
    if case["metric"] == "ToolCorrectnessMetric":
        settings["evaluation_params"] = [ToolCallParams(name) for name in case["evaluation_params"]]
        settings["async_mode"] = False
    elif case["metric"] == "JsonCorrectnessMetric":
        settings |= {"expected_schema": Number, "include_reason": False, "async_mode": False}
    of_calls = {
        name: [ToolCall(**one) for one in case[name]] for name in ("expected_tools", "tools_called") if name in case
    }  # fmt: skip
    texts = {name: case[name] for name in ("actual_output", "expected_output") if name in case}
    return getattr(metrics, case["metric"])(**settings), LLMTestCase(input="?", **texts, **of_calls)


SETTINGS = (
    "should_exact_match",
    "should_consider_ordering",
    "strict_mode",
    "threshold",
    "pattern",
    "ignore_case",
)


def main():
    every = int(sys.argv[1]) if len(sys.argv) > 1 else 1  # each takes DeepEval a tenth of a second
    rows = [{**case, "deepeval": measured(case)} for case in cases()[::every]]
    lines = ",\n".join(json.dumps(row) for row in rows)
    sys.stdout.write(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
