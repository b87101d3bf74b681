"""Metrics under DeepEval's names give DeepEval's numbers: 400 seeded random cases that DeepEval 4.3.1 has measured.

`tests/compat/deepeval_scores.py` writes them in an environment that has DeepEval.
"""

from __future__ import annotations

import json
from pathlib import Path

import pydantic
import pytest

import rightcall as rc
from rightcall.deepeval.metrics import ToolCorrectnessMetric
from rightcall.deepeval.test_case import LLMTestCase, ToolCallParams
from rightcall.metrics import deepeval

ROWS = json.loads((Path(__file__).parent / "data" / "deepeval_scores.json").read_text("utf-8"))
SETTINGS = (
    "should_exact_match",
    "should_consider_ordering",
    "strict_mode",
    "threshold",
    "pattern",
    "ignore_case",
)


class Number(pydantic.BaseModel):
    n: int


def built(row):
    settings = {name: row[name] for name in SETTINGS if name in row}
    if row["metric"] == "ToolCorrectnessMetric":
        settings["evaluation_params"] = [ToolCallParams(name) for name in row["evaluation_params"]]
    elif row["metric"] == "JsonCorrectnessMetric":
        settings["expected_schema"] = Number
    of_calls = {
        name: [rc.ToolCall(**call) for call in row[name]] for name in ("expected_tools", "tools_called") if name in row
    }  # fmt: skip
    texts = {name: row[name] for name in ("actual_output", "expected_output") if name in row}
    metric = getattr(deepeval, row["metric"])(**settings)
    return metric, LLMTestCase(input="?", **texts, **of_calls)


def test_every_case_has_deepevals_score_and_success():
    different = []
    for row in ROWS:
        metric, case = built(row)
        returned = metric.measure(case)
        kept = {
            "score": round(metric.score, 9), "success": metric.is_successful(), "threshold": metric.threshold,
            "name": metric.__name__, "returned": round(returned, 9), "has_reason": bool(metric.reason),
        }  # fmt: skip
        numbers = {name: round(row["deepeval"][name], 9) for name in ("score", "returned")}
        expected = {**row["deepeval"], **numbers}
        if row["metric"] == "JsonCorrectnessMetric":
            expected["has_reason"] = True  # DeepEval would ask a model for it
        if kept != expected:
            different.append((row, kept))
    assert not different, f"{len(different)} of {len(ROWS)}, such as {different[0]}"
    assert len(ROWS) == 400 and sum(0 < row["deepeval"]["score"] < 1 for row in ROWS) > 50


def swapped(**settings):
    names = [rc.ToolCall(name="a"), rc.ToolCall(name="b")]
    metric = ToolCorrectnessMetric(**settings)
    case = LLMTestCase(input="?", expected_tools=names, tools_called=names[::-1])
    assert metric.measure(case) == metric.score
    return metric


@pytest.mark.parametrize(
    ("settings", "score"),
    [({}, 1.0), ({"should_exact_match": True}, 0.0), ({"should_consider_ordering": True}, 0.5)],
)
def test_swapped_calls(settings, score):
    metric = swapped(**settings)
    assert (metric.score, metric.success) == (score, score >= 0.5)
    assert "called b, a" in metric.reason and metric.error is None


def test_a_threshold_of_none_measures_and_decides_nothing():
    metric = swapped(threshold=None, should_exact_match=True)
    assert metric.score == 0.0 and metric.success is None and metric.is_successful() is None


def test_what_cannot_be_measured_raises_and_is_no_success():
    metric = ToolCorrectnessMetric()
    with pytest.raises(rc.errors.RightCallError, match=r"Tool Correctness: .* states nothing about calls"):
        metric.measure(LLMTestCase(input="?", actual_output="!"))
    assert (metric.score, metric.success) == (None, False) and "nothing about calls" in metric.error


async def measured_async():
    metric = ToolCorrectnessMetric(should_consider_ordering=True)
    names = [rc.ToolCall(name="a"), rc.ToolCall(name="b")]
    return await metric.a_measure(LLMTestCase(input="?", expected_tools=names, tools_called=names[:1]))


def test_a_measure_is_for_async_code():
    import asyncio

    assert asyncio.run(measured_async()) == 0.5


def test_matchers_and_alternatives_of_a_golden_count_too():
    golden = rc.Golden(
        "?",
        any_of=[
            [rc.ExpectedCall("a", {"x": {"regex": "b.*"}, "y": 1})],
            [rc.ExpectedCall(["c", "d"]), rc.ExpectedCall("e", required=False)],
        ],
    )
    metric = ToolCorrectnessMetric(evaluation_params=[ToolCallParams.INPUT_PARAMETERS])
    for calls, score in [(["d"], 1.0), (["e"], 0.0)]:
        made = tuple(rc.ToolCall(name) for name in calls)
        assert metric.measure(rc.TestCase(golden, rc.Trajectory(calls=made))) == score
    half = rc.Trajectory(calls=(rc.ToolCall("a", {"x": "bc", "y": 2}),))
    assert metric.measure(rc.TestCase(golden, half)) == 0.5
