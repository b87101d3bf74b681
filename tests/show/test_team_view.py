"""Cases of a team: who made a call, how deep, and a table by agent; nothing of it where one agent works alone."""

from __future__ import annotations

import msgspec

from rightcall.metrics.case_result import result_of
from rightcall.records import Golden, Trajectory
from rightcall.records.run import CaseResult
from rightcall.show.case_elements import as_html, calls_drawing
from rightcall.show.view.case import case_view
from rightcall.show.view.tools import AgentTally
from tests.metrics.test_teams import golden, handoff, made, refund, trajectory


def scored(about: Golden, what: Trajectory) -> CaseResult:
    return msgspec.structs.replace(result_of(about, 0, what, {}), trajectory=what)


INNER = made("find_order", "billing/lookup", {"id": "A-7"})


def test_calls_name_their_agent_and_are_indented_by_depth():
    about = golden(agents={"billing": {"max_calls": 3}}, max_handoffs=1)
    view = case_view(about, scored(about, trajectory(handoff("billing"), INNER, refund("triage"))))
    assert [(call.tool, call.agent, call.expected_agent, call.depth, call.kind) for call in view.calls] == [
        ("handoff to billing", "triage", "triage", 0, "right"),
        ("refund_order", "triage", "billing", 0, "wrong_agent"),
        ("find_order", "lookup", "", 1, "allowed"),
    ]
    assert view.calls[0].written == "transfer_to_billing"
    assert ("budget of billing", "3 calls") in view.rules and ("answered by", "billing") in view.rules
    drawing = as_html(calls_drawing(view))
    assert (
        "inner-1" in drawing
        and "should be by billing" in drawing
        and "called as transfer_to_billing" in drawing
    )


def test_a_case_of_one_agent_that_nobody_asks_about_names_no_agent():
    about = Golden("?", "g", expected_calls=golden().expected_calls[1:])
    plain = Golden("?", "g", expected_calls=(msgspec.structs.replace(about.expected_calls[0], by=None),))
    (call,) = case_view(plain, scored(plain, Trajectory(calls=(refund(),)))).calls
    assert (call.agent, call.depth) == ("", 0)
    (call,) = case_view(about, scored(about, Trajectory(calls=(refund(),)))).calls
    assert (call.agent, call.expected_agent) == ("billing", "billing")


def test_a_table_by_agent_counts_calls_mistakes_and_tokens():
    tally = AgentTally()
    about = golden(agents={"billing": {"max_calls": 0}})
    tally.add(about, scored(about, trajectory(handoff("billing"), INNER, refund())))
    rows = {row.name: row for row in tally.rows()}
    assert set(rows) == {"triage", "billing", "lookup"}
    billing = rows["billing"]
    assert (billing.calls, billing.handed_to, billing.answers, billing.tokens, billing.over) == (
        1,
        1,
        2,
        200,
        1,
    )


def test_one_agent_alone_has_no_table():
    tally = AgentTally()
    about = Golden("?", "g", expected_calls=())
    tally.add(about, scored(Golden("?", "g", no_calls=True), trajectory(refund())))
    assert tally.rows() == ()
