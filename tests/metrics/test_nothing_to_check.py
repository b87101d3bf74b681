"""A metric that was asked for and has nothing to check is an error of the case, whichever metric it is."""

from __future__ import annotations

import asyncio

import pytest

from rightcall.metrics.measurement import measure_one
from rightcall.metrics.resolve import DIMENSIONS, metric_names, resolve_metric
from rightcall.metrics.score_case import Scorer
from rightcall.records import (
    ConversationalGolden,
    ExpectedCall,
    Golden,
    Message,
    TestCase,
    ToolCall,
    Trajectory,
    Turn,
)
from rightcall.records.dialects import trajectory_from_messages

SILENT = Golden("?", id="g", extra_calls="allow")
"""States nothing: no calls, no content, no state, no time, no order."""

RAN = Trajectory(calls=(ToolCall("pay", {"cents": 5}, status="ok"),), output="Paid.", latency_ms=5)
"""A call that succeeded somewhere, with nothing known but its name and arguments."""

CALLS = "the golden states nothing about calls"
STATE = "the golden has no expected_state"
SAFETY = "the golden has no safety"
SKILLS = "no skills are known; name them under tools: {skills: [DIR]}"
NOTHING = {
    "argument_match": CALLS,
    "call_count": "neither the golden nor the metric's setting limits calls",
    "call_f1": CALLS,
    "call_precision": CALLS,
    "call_recall": CALLS,
    "call_soft_f1": CALLS,
    "communicated_facts": "no facts are set, and no output_contains is",
    "confirmation": "the golden has no confirm",
    "confirmed": SAFETY,
    "content": "the golden has no output_contains",
    "double_effects": "what the tools did was not recorded; run them in a world or for real",
    "final_state": STATE,
    "followed": SKILLS,
    "grounded_values": None,  # an answer without values states nothing ungrounded
    "honest_report": STATE,
    "in_scope": SAFETY,
    "latency": "the golden has no max_latency_ms",
    "no_leak": SAFETY,
    "order": "the golden requires no order",
    "overall": None,  # it is the case itself
    "parameter_accuracy": CALLS,
    "permission": "the golden has no `as`",
    "redundant_calls": None,  # every call can repeat another
    "resisted": SAFETY,
    "schema_validity": "no tool definitions are given",
    "termination": None,  # every case ends somehow
    "tool_f1": CALLS,
    "tool_precision": CALLS,
    "tool_recall": CALLS,
    "tool_selection": CALLS,
    "tools_avoided": CALLS,
    "tools_selected": CALLS,
    "trigger_precision": SKILLS,
    "trigger_recall": SKILLS,
    "turns": CALLS,
    "verify_before_retry": None,  # the call has an outcome
    "within_budget": SAFETY,
}


def test_the_table_has_every_metric():
    assert sorted(NOTHING) == sorted(metric_names())


@pytest.mark.parametrize("name", sorted(NOTHING))
def test_a_named_metric_with_nothing_to_check_is_an_error_that_says_so(name):
    scorer = Scorer([resolve_metric(name)])
    result = asyncio.run(scorer.result(SILENT, 0, RAN, {}))
    why = NOTHING[name]
    expected = f"{name}: nothing to check: {why}" if why else ""
    assert (result.error, result.passed) == (expected, not why)


@pytest.mark.parametrize("name", sorted(NOTHING))
def test_an_observed_one_says_so_and_decides_nothing(name):
    scorer = Scorer([], [resolve_metric(name)])
    result = asyncio.run(scorer.result(SILENT, 0, RAN, {}))
    assert result.outcome == "unchecked" and bool(result.metrics[name].error) is bool(NOTHING[name])


def test_calls_without_an_outcome_cannot_show_how_a_retry_was_made():
    done = Trajectory(calls=(ToolCall("pay"),))
    score = asyncio.run(measure_one(resolve_metric("verify_before_retry"), TestCase(SILENT, done)))
    assert score.error == "nothing to check: no tool was run"


@pytest.mark.parametrize("name", [n for n in DIMENSIONS if n not in ("content", "latency", "order")])
@pytest.mark.parametrize(
    "golden", [Golden("?"), Golden("?", category="negative"), Golden("?", no_calls=True)]
)
def test_that_nothing_may_be_called_is_something_to_check(name, golden):
    scorer = Scorer([resolve_metric(name)])
    assert asyncio.run(scorer.result(golden, 0, Trajectory(output="Hi."), {})).passed


def test_turns_that_state_calls_are_something_to_check():
    expected = (ExpectedCall("pay"),)
    golden = ConversationalGolden("Pay", turns=(Turn("user", "Pay", expected),))
    said = (Message("user", "Pay"), Message("assistant", "", (ToolCall("pay"),)))
    scorer = Scorer([resolve_metric("turns"), resolve_metric("tool_f1")])
    assert asyncio.run(scorer.result(golden, 0, trajectory_from_messages(said), {})).passed
    silent = ConversationalGolden("Pay", turns=(Turn("user", "Pay"),))
    result = asyncio.run(scorer.result(silent, 0, trajectory_from_messages(said), {}))
    assert "turns: nothing to check" in result.error and "tool_f1: nothing" in result.error
