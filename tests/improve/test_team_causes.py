"""Causes of failures in teams of agents: two that are mixed up, and one that was not told what it needed."""

from __future__ import annotations

import msgspec

from rightcall.improve.run_analysis import analyze_results
from rightcall.metrics.case_result import result_of
from rightcall.records import ExpectedCall, Golden, Tool, ToolCall, Trajectory
from tests.improve.test_missed_causes import TOOLS, passing

AGENTS = [
    Tool("billing", "Answers questions about orders and their payment.", kind="agent"),
    Tool("support", "Answers questions about orders and their problems.", kind="agent"),
]


def analysed(cases: list[tuple[Golden, list[ToolCall]]]):
    tools = [*TOOLS, *AGENTS]
    others = [(golden, [ToolCall(*call) for call in calls]) for golden, calls in passing(6)]
    results = []
    for golden, calls in [*cases, *others]:
        trajectory = Trajectory(calls=tuple(calls), output="Done.")
        for trial in range(3):
            scored = result_of(golden, trial, trajectory, {tool.name: tool for tool in tools})
            results.append(msgspec.structs.replace(scored, trajectory=trajectory))
    return analyze_results(tools, [golden for golden, _ in [*cases, *others]], results)


def test_work_that_goes_to_the_other_agent_names_both():
    expected = (ExpectedCall(handoff="support"),)
    to_billing = ToolCall("transfer_to_billing", notes={"handoff": "billing"}, agent="triage")
    found = analysed(
        [(Golden(f"Complaint {n}", f"c{n}", expected_calls=expected), [to_billing]) for n in range(5)]
    )
    first = found.findings[0]
    assert (first.cause, first.tools) == ("agent_confused", ("billing", "support"))
    assert any("similarity of the agents' descriptions" in reason for reason in first.evidence)


def test_an_agent_that_does_the_work_of_another_is_mixed_up_with_it():
    def case(number: int) -> tuple[Golden, list[ToolCall]]:
        arguments = {"order": f"A-{number}"}
        expected = (ExpectedCall("refund_order", arguments, by="billing"),)
        call = ToolCall("refund_order", arguments, agent="support")
        return Golden(f"Refund A-{number}", f"r{number}", expected_calls=expected), [call]

    assert analysed([case(n) for n in range(5)]).findings[0].cause == "agent_confused"


def test_a_value_that_was_not_passed_on_is_found_in_the_call_that_gave_the_work():
    def case(number: int, told: str) -> tuple[Golden, list[ToolCall]]:
        expected = (
            ExpectedCall(delegate="billing"),
            ExpectedCall("refund_order", {"order": f"A-{number}"}, by="billing"),
        )
        ask = ToolCall("ask", {"input": told}, id="e1", agent="triage", notes={"delegate": "billing"})
        inner = ToolCall(
            "refund_order",
            {"order": "B-0"},
            agent="billing",
            path=("triage", "billing"),
            notes={"parent": "e1"},
        )
        return Golden(f"Refund A-{number}", f"r{number}", expected_calls=expected), [ask, inner]

    untold = analysed([case(n, "Refund the order") for n in range(5)]).findings[0]
    assert (untold.cause, untold.parameters) == ("handoff_missing_facts", ("order",))
    told = analysed([case(n, f"Refund A-{n}") for n in range(5)])
    assert all(finding.cause != "handoff_missing_facts" for finding in told.findings)
