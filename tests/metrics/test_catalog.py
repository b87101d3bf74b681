"""Every metric is its own documentation, and its example does what it says."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import msgspec
import pytest

from rightcall.core import codec
from rightcall.core.errors import ConfigError
from rightcall.metrics.base import Metric, metric_name
from rightcall.metrics.measurement import measure_all
from rightcall.metrics.resolve import DIMENSIONS, metric_names, metric_page, metric_pages, resolve_metric
from rightcall.records import Golden, Score, TestCase, Trajectory
from rightcall.records.dialects import read_tool


def measured(name: str, label: str) -> Score:
    """The score of a page's own example."""
    example = metric_page(name).example
    golden = codec.decode(example["Golden"].encode(), Golden, "the page")
    done: Any = json.loads(example[label])
    trajectory = codec.convert(done if isinstance(done, dict) else {"calls": done}, Trajectory, "the page")
    tools = [read_tool(tool, "the page") for tool in json.loads(example.get("Tools", "[]"))]
    case = TestCase.of(golden, trajectory, tools)
    return asyncio.run(measure_all([resolve_metric(name)], case))[name]


@pytest.mark.parametrize("name", metric_names())
def test_the_failing_example_fails_with_a_reason(name):
    score = measured(name, "Fails")
    assert not score.passed and score.value < 1 and score.reason and not score.error


@pytest.mark.parametrize("name", metric_names())
def test_the_passing_example_passes(name):
    assert msgspec.structs.replace(measured(name, "Passes"), attack=None) == Score(1.0, True)


@pytest.mark.parametrize("page", metric_pages(), ids=lambda page: page.name)
def test_a_page_says_what_is_measured_and_why(page):
    assert page.summary.endswith(".") and "\n" not in page.summary
    if page.measured == "by a model":
        assert "model" in page.settings
        return
    assert len(page.explanation) > 40 and set(page.example) >= {"Golden", "Fails", "Passes"}
    assert page.measured == ("always" if page.name in DIMENSIONS else "on request")


def test_the_name_is_the_class_and_the_page():
    for name in metric_names():
        metric = type(resolve_metric(name))
        room = "rightcall.metrics.dimensions" if name in DIMENSIONS else "rightcall.metrics.builtin."
        assert metric_name(metric) == name and metric.__module__.startswith(room)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tool_selecton", "unknown metric 'tool_selecton'; did you mean 'tool_selection'?"),
        ("zzz", "unknown metric 'zzz'; see `rightcall list metrics`"),
        ("call_count(limt=3)", "metric 'call_count(limt=3)' has no setting 'limt'; did you mean 'limit'?"),
        ("order(x=3)", "metric 'order(x=3)' has no setting 'x'; settings: none"),
        (
            "call_count(3)",
            "metric 'call_count(3)': settings must be keyword arguments; write it as name(setting=value)",
        ),
        ("call_count(limit=", "write it as name(setting=value)"),
        ("call_count(limit=open('x'))", "write it as name(setting=value)"),
        ("no_such_package:Mine", "metric 'no_such_package:Mine' cannot be loaded"),
        ("json:Mine", "metric 'json:Mine' cannot be loaded"),
        ("json:JSONDecoder", "metric 'json:JSONDecoder' is not a subclass of rightcall.Metric"),
    ],
)
def test_a_metric_that_cannot_be_had_is_refused_in_words(text, message):
    with pytest.raises(ConfigError) as caught:
        resolve_metric(text)
    assert message in str(caught.value)


def test_a_metric_without_measure_says_what_to_write():
    class Lazy(Metric):
        pass

    case = TestCase(Golden("?"), Trajectory())
    score = asyncio.run(measure_all([Lazy()], case))["lazy"]
    assert score.error == "raised NotImplementedError: Lazy must define measure(self, case) -> Score"


def test_a_metric_may_be_async_and_must_return_a_score():
    class Later(Metric):
        async def measure(self, case):
            await asyncio.sleep(0)
            return Score.graded(0.7, "near", threshold=0.9)

    class Wrong(Metric):
        def measure(self, case):
            return 0.7

    scores = asyncio.run(measure_all([Later(), Wrong()], TestCase(Golden("?"), Trajectory())))
    assert scores["later"] == Score(0.7, False, "near")
    assert scores["wrong"].error == "returned float, not a Score"


class Undocumented(Metric):
    def __init__(self, needed: int) -> None:
        self.needed = needed

    def measure(self, case: TestCase) -> Score:
        return Score.passed_if(True)


def polite(case: TestCase) -> bool:
    """Says please."""
    return "please" in case.trajectory.output


@pytest.mark.parametrize(
    ("name", "summary", "settings"),
    [
        (f"{__name__}:polite", "Says please.", {"threshold": None, "label": ""}),
        (f"{__name__}:polite(threshold=0.5)", "Says please.", {"threshold": 0.5, "label": ""}),
        (f"{__name__}:Undocumented", "(no docstring)", {}),
    ],
)
def test_a_metric_of_ones_own_has_a_page_too(name, summary, settings):
    page = metric_page(name)
    assert (page.summary, page.settings, page.measured) == (summary, settings, "on request")
