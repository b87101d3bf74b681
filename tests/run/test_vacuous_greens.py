"""Settings with which nothing could fail: each is refused, an error or inconclusive, and none is green."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.decide.config import Gate
from rightcall.deepeval.metrics import ToolCorrectnessMetric
from rightcall.metrics.base import FunctionMetric
from rightcall.metrics.matching.verdict import ScoringRules
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store

EXPECTED = (rc.ExpectedCall("a", {}),)
GOLDENS = [rc.Golden("Do it", id=f"g{n}", expected_calls=EXPECTED) for n in range(3)]
ALLOWING = [rc.Golden("Do it", id="q", extra_calls="allow", forbidden_calls=("z",))]


def wrong(golden):
    return [rc.ToolCall("b")]


def right(golden):
    return [rc.ToolCall("a", {})]


class Unsure(rc.Metric):
    def measure(self, case):
        return rc.Score(math.nan, True)


async def later(case):
    return True


def returns(value: Any) -> Any:
    def metric(case):
        return value

    return metric


SETTINGS: dict[str, tuple[dict[str, Any], str]] = {
    "no golden": ({"dataset": []}, "ConfigError"),
    "no golden chosen": ({"only": ["zz"]}, "ConfigError"),
    "no trial": ({"trials": 0}, "ConfigError"),
    "a negative number of trials": ({"trials": -1}, "ConfigError"),
    "no metric": ({"metrics": []}, "FAIL"),
    "a gate of 0": ({"gate": 0}, "InputError"),
    "a gate of 0 in a mapping": ({"gate": {"min": 0.0}}, "InputError"),
    "a gate without requirements": ({"gate": {}}, "INCONCLUSIVE"),
    "a gate that only says what inconclusive means": ({"gate": {"on_inconclusive": "fail"}}, "INCONCLUSIVE"),
    "a threshold of 0": ({"dataset": ALLOWING, "metrics": ["tool_selection(threshold=0)"]}, "ConfigError"),
    "facts at threshold 0": ({"metrics": ["communicated_facts(facts=['x'], threshold=0)"]}, "ConfigError"),
    "a negative limit": ({"metrics": ["call_count(limit=-1)"]}, "ConfigError"),
    "a metric that returns None": ({"agent": right, "metrics": [returns(None)]}, "ERROR"),
    "a metric that returns text": ({"agent": right, "metrics": [returns("yes")]}, "ERROR"),
    "a metric that returns NaN": ({"agent": right, "metrics": [returns(math.nan)]}, "ERROR"),
    "a metric above 1": ({"agent": right, "metrics": [returns(2.0)]}, "ERROR"),
    "a metric below 0": ({"agent": right, "metrics": [returns(-1)]}, "ERROR"),
    "a metric that returns a list": ({"agent": right, "metrics": [returns([1])]}, "ERROR"),
    "a metric that is never awaited": ({"agent": right, "metrics": [returns(later)]}, "ERROR"),
    "a score that is no number": ({"agent": right, "metrics": [Unsure()]}, "ERROR"),
    "a metric that is true": ({"agent": right, "metrics": [returns(True)]}, "PASS"),
    "a metric that is awaited": ({"agent": right, "metrics": [later]}, "PASS"),
    "a metric that is false": ({"agent": right, "metrics": [returns(False)]}, "FAIL"),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_no_setting_makes_a_run_green_that_shows_nothing(name, tmp_path):
    given, outcome = SETTINGS[name]
    options = {"agent": wrong, "dataset": GOLDENS, **given}
    try:
        word = rc.evaluate(**options, store=tmp_path / "s.db").verdict.word
    except rc.errors.RightCallError as error:
        word = type(error).__name__
    assert word == outcome


@pytest.mark.parametrize(
    "make",
    [
        lambda: Gate(min=0.0),
        lambda: Gate(min=math.nan),
        lambda: Gate(by={"tags": {"x": 0.0}}),
        lambda: rc.Golden("?", category="secondary", threshold=0.0, expected_calls=EXPECTED),
        lambda: ScoringRules(weights={"precision": 0.0}),
        lambda: ScoringRules(weights={"precision": math.nan}),
        lambda: ScoringRules(weights={}),
        lambda: ScoringRules(pass_rule="score", pass_score=0.0),
        lambda: ScoringRules(secondary_threshold=0.0),
        lambda: FunctionMetric(returns(0.0), threshold=0.0),
        lambda: ToolCorrectnessMetric(threshold=0.0),
    ],
)
def test_a_rule_that_everything_satisfies_cannot_be_made(make):
    with pytest.raises(rc.errors.ConfigError):
        make()


@pytest.mark.parametrize("gate", [None, Gate(min=0.5, rule="point")])
def test_a_run_of_which_every_golden_is_quarantined_is_not_green(gate, tmp_path):
    plan = Plan("p", Agent(wrong), GOLDENS, gate=gate, quarantine=frozenset(golden.id for golden in GOLDENS))
    with open_store(tmp_path / "s.db") as store:
        assert asyncio.run(run_plan(plan, store)).verdict.word in ("ERROR", "FAIL")
