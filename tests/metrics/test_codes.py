"""Each code that scoring can give: one case that has it, and the sentence a person reads."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from rightcall.metrics.case_result import score_trajectory
from rightcall.metrics.matching.reasons import reason, sentence
from rightcall.records import Tool
from rightcall.records.failure import CODES, JUDGE_CODES, Code, Failure
from tests.metrics.builders import a_golden, a_trajectory

WEATHER = {"tool": "get_weather", "args": {"city": "Hanoi"}}
HANOI = {"name": "get_weather", "arguments": {"city": "Hanoi"}}
HUE = {"name": "get_weather", "arguments": {"city": "Hue"}}
TIME = {"name": "get_time", "arguments": {}}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = {
    "get_weather": Tool("get_weather", input_schema=SCHEMA),
    "get_time": Tool("get_time", input_schema={"type": "object"}),
}
KEYED = {"name": "get_weather", "arguments": {"city": "Hanoi", "key": 1}}
FOUND = {"name": "find", "arguments": {}, "output": {"id": 5}}
FIND = {"tool": "find", "id": "f", "args": {}}
PAY = {"tool": "pay", "args": {"order": {"ref": {"call": "f", "path": "id"}}}}


class Case:
    """Expected calls, actual calls, and what else the golden, the trajectory or the tools say."""

    def __init__(
        self, expected: list[Any], called: list[Any], done: Any = None, tools: Any = None, **golden: Any
    ):
        self.verdict = score_trajectory(
            a_golden(*expected, **golden), a_trajectory(*called, **(done or {})), tools or {}
        )


TRIAGE = {"agent": "triage", "step": 0}
BILLING = {
    "name": "transfer_to_billing",
    "arguments": {},
    "notes": {"handoff": "billing"},
    "status": "ok",
} | TRIAGE
BACK = BILLING | {"name": "transfer_to_triage", "notes": {"handoff": "triage"}, "agent": "billing"}
HANDOFF = {"handoff": "billing"}

CASES: dict[str, tuple[Case, str]] = {
    "wrong_agent": (
        Case([WEATHER | {"by": "billing"}], [HANOI | TRIAGE]),
        "get_weather was called by triage, should be by billing",
    ),
    "lost_handoff": (Case([HANDOFF], [BILLING]), "handed off to billing, which did not answer"),
    "handoff_loop": (
        Case([HANDOFF], [BILLING, BACK, BILLING, BACK, BILLING], extra_calls="allow"),
        "triage handed off to billing 3 times without a new result in between",
    ),
    "too_deep": (
        Case([WEATHER], [HANOI | {"path": ["triage", "lookup"]}], max_depth=0, agents={"lookup": {}}),
        "1 level of agents below the first: triage → lookup; at most 0 allowed",
    ),
    "no_call": (Case([WEATHER], []), 'nothing was called; expected get_weather(city="Hanoi")'),
    "missing_call": (Case([WEATHER, "get_time"], [TIME]), 'get_weather(city="Hanoi") was not called'),
    "unexpected_call": (Case([WEATHER], [HANOI, TIME]), "get_time() was not expected"),
    "duplicate_call": (Case([WEATHER], [HANOI, HANOI]), 'get_weather(city="Hanoi") was called again unnecessarily'),
    "retry": (
        Case([WEATHER], [HANOI | {"status": "error"}, HANOI]),
        'get_weather(city="Hanoi") was retried after a failure',
    ),
    "wrong_tool": (Case([WEATHER], [TIME]), "called get_time instead of get_weather"),
    "unnamed_call": (
        Case([WEATHER], [HANOI, {"name": "", "arguments": {"city": "Hue"}}], extra_calls="allow"),
        "a call names no tool",
    ),
    "unknown_tool": (
        Case([WEATHER], [{"name": "weather", "arguments": {}}], tools=TOOLS),
        "called weather, a tool that does not exist, instead of get_weather",
    ),
    "missing_arg": (
        Case([WEATHER], [{"name": "get_weather", "arguments": {}}]),
        'get_weather: city is missing, should be "Hanoi"',
    ),
    "extra_arg": (
        Case([WEATHER], [{"name": "get_weather", "arguments": {"city": "Hanoi", "units": "K"}}]),
        'get_weather: units was not expected, was "K"',
    ),
    "wrong_value": (Case([WEATHER], [HUE]), 'get_weather: city should be "Hanoi", was "Hue"'),
    "wrong_type": (
        Case([WEATHER], [{"name": "get_weather", "arguments": {"city": 5}}]),
        'get_weather: city should be "Hanoi", was 5 (wrong type)',
    ),
    "bad_json": (
        Case([WEATHER], [{"name": "get_weather", "arguments": None, "raw": "{city"}]),
        'get_weather: the arguments are not a JSON object: "{city"',
    ),
    "schema_violation": (
        Case([WEATHER], [{"name": "get_weather", "arguments": {"city": 5}}], tools=TOOLS),
        "get_weather: not valid for the tool's schema: ",
    ),
    "order_violation": (
        Case(["a", "b"], [{"name": "b", "step": 0}, {"name": "a", "step": 1}], order="strict"),
        "was called out of order; expected in the order given",
    ),
    "forbidden_call": (
        Case([WEATHER], [HANOI, TIME], forbidden_calls=["get_time"]),
        "get_time() is forbidden",
    ),
    "forbidden_arg": (
        Case([WEATHER | {"forbidden_args": ["key"]}], [KEYED]),
        "get_weather: key must not be passed, was 1",
    ),
    "hallucinated_ref": (
        Case([FIND, PAY], [FOUND, {"name": "pay", "arguments": {"order": 6}}]),
        "pay: order should be the value id of f's result, was 6",
    ),
    "over_calling": (Case([WEATHER], [HANOI, HANOI], max_calls=1), "2 calls, at most 1 are allowed"),
    "over_latency": (
        Case([WEATHER], [HANOI], {"latency_ms": 1500.0}, max_latency_ms=1000),
        "took 1500 ms, the budget is 1000 ms",
    ),
    "missing_content": (
        Case([WEATHER], [HANOI], {"output": "sunny"}, output_contains=["°C"]),
        'the answer does not contain "°C"',
    ),
    "loop_limit": (
        Case([WEATHER], [HANOI], {"stop_reason": "limit", "error": "5 steps"}),
        "stopped at a limit before finishing: 5 steps",
    ),
    "refused": (Case([WEATHER], [], {"stop_reason": "refused"}), "the model refused"),
    "content_filter": (
        Case([WEATHER], [HANOI], {"stop_reason": "filtered"}),
        "a content filter stopped the answer",
    ),
    "request_rejected": (
        Case([WEATHER], [HANOI], {"stop_reason": "rejected", "error": "beyond the context length"}),
        "the request was rejected: beyond the context length",
    ),
    "unreadable_result": (
        Case([WEATHER], [], {"stop_reason": "unreadable", "error": "returned NoneType"}),
        "the result cannot be read: returned NoneType",
    ),
    "agent_error": (
        Case([WEATHER], [HANOI], {"stop_reason": "agent_error", "error": "KeyError: 'x'"}),
        "the agent failed: KeyError: 'x'",
    ),
    "infra_error": (
        Case([WEATHER], [], {"stop_reason": "infra_error", "error": "rate limit"}),
        "no answer: rate limit",
    ),
}  # fmt: skip

ELSEWHERE = {
    "wrong_state", "double_effect", "failed_metric", "outcome_unknown", "unconfirmed", "missing_confirmation",
    "needless_confirmation", "waiting_for_approval", "unauthorized_call", "permission_denied", "hijacked", "leaked", "out_of_scope",
    "cross_user", "runaway", "over_refusal", "unguarded", "false_stop", "tool_error",
} | JUDGE_CODES  # fmt: skip
"""Set by what tools really did, by requested metrics and by a whole run; scoring alone sees only calls."""


@pytest.mark.parametrize("code", CASES)
def test_a_case_with_this_fault_has_this_code_and_sentence(code):
    case, words = CASES[code]
    failures = [failure for failure in case.verdict.failures if failure.code == code]
    assert len(failures) == 1 and words in sentence(failures[0])


def test_every_code_has_a_case_and_a_sentence():
    codes = set(get_args(Code))
    assert set(CASES) == codes - ELSEWHERE and list(CODES) == list(get_args(Code))


def test_a_world_in_the_wrong_state_is_reported():
    assert (
        sentence(Failure("wrong_state", "bank", detail="2 refunds"))
        == "bank ended in the wrong state: 2 refunds"
    )


@pytest.mark.parametrize(("output", "codes"), [("", ["loop_limit"]), ("You are wel", [])])
def test_an_answer_that_was_cut_off_shows_no_restraint(output, codes):
    verdict = Case([], [], {"stop_reason": "truncated", "output": output}, category="negative").verdict
    assert (verdict.passed, [f.code for f in verdict.failures]) == (False, codes)
    assert bool(verdict.error) is not bool(codes)


@pytest.mark.parametrize("code", sorted(CASES))
def test_a_fault_fails_the_case(code):
    case, _ = CASES[code]
    assert not case.verdict.passed


def test_missing_content_fails_a_case_and_costs_a_tenth_of_its_score():
    verdict = CASES["missing_content"][0].verdict
    assert not verdict.passed and verdict.score == 0.9


def test_a_forbidden_call_or_argument_is_worth_nothing_whatever_else_is_right():
    assert CASES["forbidden_call"][0].verdict.score == CASES["forbidden_arg"][0].verdict.score == 0.0


def test_a_right_case_has_no_failures_and_no_reason():
    verdict = Case([WEATHER], [HANOI], tools=TOOLS).verdict
    assert verdict.passed and verdict.failures == () and reason(verdict.failures) == ""


def test_failures_carry_positions_of_the_call_and_of_what_was_expected():
    verdict = Case(["get_time", WEATHER], [HUE, TIME]).verdict
    (failure,) = verdict.failures
    assert (failure.code, failure.call, failure.expected_call) == ("wrong_value", 0, 1)


def test_the_same_clause_is_said_once():
    verdict = Case([], [TIME, TIME, TIME], category="golden").verdict
    assert reason(verdict.failures) == "get_time() was called again unnecessarily"


def test_a_long_value_is_cut_in_the_sentence_and_whole_in_the_evidence():
    verdict = Case([WEATHER], [{"name": "get_weather", "arguments": {"city": "x" * 9000}}]).verdict
    assert len(reason(verdict.failures)) < 400 and len(verdict.failures[0].actual) == 9000


def test_a_matcher_in_a_missing_call_is_described_in_words():
    wanted = {"tool": "find", "args": {"q": {"text": "Huế", "ignore": ["case"]}, "n": {"range": [1, 3]}}}
    verdict = Case([wanted], []).verdict
    assert reason(verdict.failures) == ('nothing was called; expected find(q="Huế", n=<between 1 and 3>)')


def test_a_call_of_another_tool_stands_for_the_expected_call_with_its_arguments():
    find = {"tool": "find_boat", "args": {"name": "Aurora"}}
    release = {"tool": "release_berth", "args": {"boat_id": "B-1"}}
    terminate = {"name": "terminate_contract", "arguments": {"boat_id": "B-1"}}
    failures = Case([find, release], [terminate]).verdict.failures
    assert [(failure.code, failure.tool) for failure in failures] == [
        ("missing_call", "find_boat"),
        ("wrong_tool", "release_berth"),
    ]
