"""Goldens that name agents: one code for each mistake of a team, and nothing said about agents that are not known."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings, strategies as st

import rightcall as rc
from rightcall.core.codec import decode
from rightcall.core.errors import InputError
from rightcall.metrics.case_result import result_of, score_trajectory
from rightcall.metrics.matching.reasons import reason
from rightcall.records import Golden, ToolCall, Trajectory
from rightcall.records.call import agent_of, delegate_of, depth_of, handoff_of, path_of
from rightcall.records.trajectory import AgentAnswer
from tests.support.examples import examples

REFUND = {"tool": "refund_order", "args": {"order_id": "A-7"}}
TEAM = {
    "id": "refund",
    "input": "Refund A-7",
    "expected_calls": [{"handoff": "billing", "by": "triage"}, {**REFUND, "by": "billing"}],
    "answered_by": "billing",
}


def golden(**fields: Any) -> Golden:
    return decode(msgspec.json.encode({**TEAM, **fields}), Golden, "goldens.jsonl:1")


def made(name: str, by: str = "", arguments: Any = None, **more: Any) -> ToolCall:
    path = tuple(by.split("/")) if by else ()
    return ToolCall(name, arguments or {}, status="ok", agent=path[-1] if path else None, path=path, **more)


def handoff(to: str, by: str = "triage") -> ToolCall:
    return made(f"transfer_to_{to}", by, notes={"handoff": to})


def refund(by: str = "billing") -> ToolCall:
    return made("refund_order", by, {"order_id": "A-7"})


def trajectory(*calls: ToolCall, then: str = "billing", tokens: int = 100) -> Trajectory:
    """A call in every answer, and a last answer by the agent `then`."""
    numbered = tuple(msgspec.structs.replace(call, step=step) for step, call in enumerate(calls))
    answers = [AgentAnswer(c.agent, c.path, step, tokens, 10.0) for step, c in enumerate(calls)]
    last = AgentAnswer(then or None, (then,) if then else (), len(calls), tokens, 10.0)
    return Trajectory(calls=numbered, output="Done.", answers=(*answers, last))


def codes(about: Golden, what: Trajectory) -> list[str]:
    return [failure.code for failure in score_trajectory(about, what).failures]


RIGHT = trajectory(handoff("billing"), refund())
LOOP = [handoff("billing"), handoff("triage", "billing")] * 3
SCENARIOS: dict[str, tuple[dict[str, Any], Trajectory, list[str]]] = {
    "right agent": ({}, RIGHT, []),
    "wrong agent": ({}, trajectory(handoff("billing"), refund("triage")), ["wrong_agent"]),
    "wrong hand-off": ({}, trajectory(handoff("support"), refund("support"), then="support"), ["wrong_tool"]),
    "lost": ({}, trajectory(handoff("billing"), then="triage"), ["lost_handoff"]),
    "lost again": ({}, trajectory(handoff("billing"), refund(), then="triage"), ["lost_handoff"]),
    "loop of 3": ({}, trajectory(*LOOP, then="triage"), ["handoff_loop"]),
    "too many hand-offs": ({"max_handoffs": 0}, RIGHT, ["handoff_loop"]),
    "too deep": ({"max_depth": 1}, trajectory(made("x", "triage/a/b"), *RIGHT.calls), ["too_deep"]),
    "calls": ({"agents": {"billing": {"max_calls": 0}}}, RIGHT, ["over_calling"]),
    "tokens": ({"agents": {"billing": {"max_tokens": 150}}}, RIGHT, ["loop_limit"]),
    "latency": ({"agents": {"billing": {"max_latency_ms": 5}}}, RIGHT, ["over_latency"]),
    "no hand-off at all": (
        {"answered_by": "triage"}, trajectory(refund("triage"), then="triage"), ["wrong_agent"],
    ),
    "wrong answerer": ({"answered_by": "support"}, RIGHT, ["wrong_agent"]),
}  # fmt: skip


@pytest.mark.parametrize("name", SCENARIOS)
def test_each_mistake_of_a_team_has_one_code(name: str):
    fields, what, expected = SCENARIOS[name]
    verdict = score_trajectory(golden(**fields), what)
    assert [failure.code for failure in verdict.failures] == expected
    assert verdict.passed == (not expected) and not verdict.error


WORDS = {
    "wrong agent": "refund_order was called by triage, should be by billing",
    "wrong hand-off": "handed off to support instead of billing",
    "lost": "handed off to billing, which did not answer",
    "lost again": "handed off to billing, which did not answer: triage gave the final answer",
    "loop of 3": "triage handed off to billing 3 times without a new result in between",
    "too many hand-offs": "1 hand-off, at most 0 allowed",
    "too deep": "2 levels of agents below the first: triage → a → b; at most 1 allowed",
    "calls": "billing: 1 calls, at most 0 are allowed",
    "tokens": "billing used 200 tokens, at most 150 are allowed",
    "latency": "billing: took 20 ms, the budget is 5 ms",
    "wrong answerer": "the answer was given by billing, should be by support",
}


@pytest.mark.parametrize("name", WORDS)
def test_a_mistake_is_said_in_words(name: str):
    fields, what, _ = SCENARIOS[name]
    assert reason(score_trajectory(golden(**fields), what).failures) == WORDS[name]


AGENTS = st.sampled_from(["", "triage", "billing", "support", "triage/lookup"])


@settings(max_examples=examples(150), deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["refund", "to_billing", "to_support"]), AGENTS), max_size=5), AGENTS
)
def test_an_unknown_agent_never_fails_a_case(steps: list[tuple[str, str]], then: str):
    """Where nobody knows who did what, a golden that asks says no more than one that does not."""
    calls = [refund(by) if what == "refund" else handoff(what.removeprefix("to_"), by) for what, by in steps]
    nameless = [msgspec.structs.replace(call, agent=None, path=()) for call in calls]
    forgotten = msgspec.structs.replace(trajectory(*nameless, then=""), answers=())
    plain = golden(
        expected_calls=[{"handoff": "billing"}, REFUND], answered_by=None, agents={"nobody": {"max_calls": 0}}
    )
    asking = golden(answered_by=None, agents={"triage": {"max_calls": 0}}, max_depth=0)
    assert set(codes(asking, forgotten)) <= set(codes(plain, forgotten))
    assert score_trajectory(asking, forgotten).passed == score_trajectory(plain, forgotten).passed


def test_agents_that_are_not_known_are_counted():
    nameless = trajectory(*(msgspec.structs.replace(c, agent=None, path=()) for c in RIGHT.calls), then="")
    result = result_of(golden(), 0, nameless, {})
    assert not result.passed and "which agent gave the answer is not known" in result.error
    assert result.metrics["agents_known"].value == 0.0
    assert result.metrics["agents_known"].reason == "agent unknown in 3 of 3 calls: name your agents"
    assert result_of(golden(), 0, RIGHT, {}).metrics["agents_known"].value == 1.0


@settings(max_examples=examples(100), deadline=None)
@given(st.permutations(["billing", "support", "triage"]))
def test_by_is_a_name_a_list_a_path_or_a_matcher(names: list[str]):
    first, second, other = names
    for by in (first, [first, second], {"not": other}, {"not": [other, "x"]}, {"regex": f"{first}|{second}"}):
        about = golden(expected_calls=[{**REFUND, "by": by}], answered_by=None)
        assert codes(about, trajectory(refund(first))) == []
        assert codes(about, trajectory(refund(other))) == ["wrong_agent"]
    inner = golden(expected_calls=[{**REFUND, "by": f"{first}/{second}"}], answered_by=None)
    assert codes(inner, trajectory(refund(f"{first}/{second}"))) == []
    assert codes(inner, trajectory(refund(second))) == ["wrong_agent"]


@pytest.mark.parametrize("by", ["billing", ""])
def test_a_forbidden_call_with_an_agent_is_damage(by: str):
    about = golden(forbidden_calls=[{"tool": "refund_order", "by": {"not": "billing"}}])
    assert "forbidden_call" not in codes(about, trajectory(handoff("billing"), refund(by)))
    result = result_of(about, 0, trajectory(handoff("billing"), refund("triage")), {})
    assert result.codes[0].code == "forbidden_call" and result.score == 0.0


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (made("transfer_to_billing", "triage"), {"handoff": "billing"}),
        (made("transfer_to_agent", "triage", {"agent_name": "billing"}), {"handoff": "billing"}),
        (made("task", "triage", {"subagent_type": "billing", "description": "x"}), {"delegate": "billing"}),
        (made("ask", "triage", notes={"delegate": "billing"}), {"delegate": "billing"}),
        (made("billing", "triage", {"request": "x"}), {"delegate": "billing"}),
    ],
)
def test_work_is_given_to_an_agent_by_whatever_name(call: ToolCall, expected: dict[str, str]):
    about = golden(expected_calls=[expected, {**REFUND, "by": "billing"}], answered_by=None)
    assert codes(about, trajectory(call, refund())) == []
    other = golden(expected_calls=[{next(iter(expected)): "support"}], answered_by=None, extra_calls="allow")
    assert codes(other, trajectory(call, refund())) == ["wrong_tool"]


def test_a_tool_that_only_sounds_like_a_hand_off_is_none():
    assert handoff_of(made("transfer_to_savings"), {"billing"}) == ""
    assert handoff_of(made("transfer_to_savings"), {"Savings"}) == "Savings"
    assert delegate_of(made("refund_order"), {"billing"}) == ""


def test_calls_of_inner_agents_that_nobody_names_are_not_judged():
    inner = made("find_order", "billing/lookup", {"id": "A-7"})
    assert codes(golden(), trajectory(handoff("billing"), inner, refund())) == []
    named = golden(agents={"lookup": {"max_calls": 5}})
    assert codes(named, trajectory(handoff("billing"), inner, refund())) == ["unexpected_call"]
    done_inside = trajectory(handoff("billing"), refund("billing/lookup"))
    assert codes(golden(), done_inside) == ["wrong_agent"]


def test_hand_offs_are_not_judged_where_the_golden_says_nothing_of_them():
    about = golden(expected_calls=[{**REFUND, "by": "billing"}])
    assert codes(about, RIGHT) == []


def test_the_agent_counts_like_one_more_argument_and_never_hinders_a_pair():
    about = golden(expected_calls=[{**REFUND, "by": "billing"}], answered_by=None)
    numbers = score_trajectory(about, trajectory(refund("triage"))).numbers
    assert (numbers.parameter_accuracy, numbers.tool_recall) == (0.5, 1.0)
    assert score_trajectory(about, trajectory(refund("billing"))).numbers.parameter_accuracy == 1.0


def test_a_budget_that_was_not_measured_is_an_error():
    about = golden(agents={"billing": {"max_tokens": 10}})
    blind = msgspec.structs.replace(RIGHT, answers=())
    verdict = score_trajectory(golden(agents={"billing": {"max_tokens": 10}}, answered_by=None), blind)
    assert not verdict.passed and "agents.billing.max_tokens" in verdict.error
    assert codes(about, RIGHT) == ["loop_limit"]


def test_notes_of_older_files_are_read():
    call = ToolCall("x", notes={"agent": "expert", "depth": 2})
    assert (agent_of(call), path_of(call), depth_of(call)) == ("expert", ("", "", "expert"), 2)
    assert path_of(ToolCall("x", notes={"agent": 7, "depth": "deep"})) == ()


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        (
            {"expected_calls": [{"handoff": "billing", "tool": "x"}]},
            "needs one of tool, handoff and delegate",
        ),
        ({"expected_calls": [{"by": "billing"}]}, "missing required field 'tool' in expected_calls"),
        ({"expected_calls": [{"tool": "x", "bye": "billing"}]}, "did you mean 'by'"),
        ({"agents": {"billing": {"max_call": 3}}}, "did you mean 'max_calls'"),
        ({"max_depth": -1}, "max_depth must be a whole number >= 0"),
    ],
)
def test_a_golden_that_says_it_wrongly_is_refused_in_words(fields: dict[str, Any], problem: str):
    with pytest.raises(InputError) as caught:
        golden(**fields)
    assert problem in str(caught.value)


def test_a_golden_is_written_as_it_was_read():
    about = golden(agents={"billing": {"max_calls": 3}}, max_depth=2, max_handoffs=2)
    assert decode(msgspec.json.encode(about), Golden, "x") == about
    assert rc.ExpectedCall(handoff="billing") == rc.ExpectedCall({"handoff": "billing"})


NAMES = st.sampled_from(["refund_order", "find_order", "transfer_to_billing"])
CALLS = st.lists(
    st.builds(ToolCall, NAMES, st.dictionaries(st.sampled_from("ab"), st.integers(0, 1), max_size=2)),
    max_size=4,
)


@settings(max_examples=examples(200), deadline=None)
@given(CALLS, CALLS, st.lists(AGENTS, min_size=5, max_size=5), st.sampled_from(["forbid", "allow"]))
def test_a_golden_that_names_no_agent_gives_the_same_bytes_whoever_made_the_calls(
    expected: list[ToolCall], calls: list[ToolCall], agents: list[str], extra: Any
):
    """A suite without agents is scored as before, for calls with and without agents, hand-offs among them."""
    about = Golden(
        "?", "g", extra_calls=extra, forbidden_calls=("find_order",),
        expected_calls=tuple(rc.ExpectedCall(call.name, call.arguments) for call in expected),
    )  # fmt: skip
    plain = Trajectory(calls=tuple(calls), output="Done.")
    named = [
        made(call.name, by, call.arguments, notes={"handoff": "billing"} if "transfer" in call.name else {})
        for call, by in zip(calls, agents, strict=False)
    ]
    team = trajectory(*(msgspec.structs.replace(call, status="not_run") for call in named))
    team = msgspec.structs.replace(
        team, calls=tuple(msgspec.structs.replace(c, step=None) for c in team.calls)
    )
    results = [result_of(about, 0, done, {}) for done in (plain, team)]
    assert msgspec.json.encode(results[0]) == msgspec.json.encode(results[1])
