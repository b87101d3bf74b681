"""What was not seen is no evidence that it did not happen: such a case is an error, and does not pass."""

from __future__ import annotations

import json

import pytest

import rightcall as rc
from rightcall.limbs.traces.reader import load_traces
from rightcall.records.trajectory import AgentAnswer

NEGATIVE = {"category": "negative"}
FORBIDS = {"forbidden_calls": ["pay"]}
GREETS = {"output_contains": ["Hello"]}
PAYS = {"expected_calls": [rc.ExpectedCall("pay")]}
PAY = (rc.ToolCall("pay", {}),)


def outcome(fields: dict, trajectory: rc.Trajectory) -> str:
    verdict = rc.score_trajectory(rc.Golden("?", "g", **fields), trajectory)
    assert not (verdict.passed and verdict.error)
    return "error" if verdict.error else "passed" if verdict.passed else "failed"


@pytest.mark.parametrize(
    ("fields", "calls", "expected"),
    [
        (NEGATIVE, (), "error"),
        ({"no_calls": True}, (), "error"),
        (FORBIDS, (), "error"),
        (GREETS | FORBIDS, (), "error"),
        (GREETS, (), "passed"),
        ({"output_contains": ["Bye"], "no_calls": True}, (), "failed"),
        (NEGATIVE, PAY, "failed"),
        (PAYS, PAY, "passed"),
        (PAYS, (), "failed"),
    ],
)
def test_an_answer_that_was_cut_off_does_not_show_that_no_call_would_follow(fields, calls, expected):
    cut = rc.Trajectory(output="Hello, I will now", calls=calls, stop_reason="truncated")
    assert outcome(fields, cut) == expected


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ((AgentAnswer(agent="billing"),), "passed"),
        ((AgentAnswer(agent="sales"),), "failed"),
        ((AgentAnswer(agent=""),), "error"),
        ((), "error"),
    ],
)
def test_an_answerer_who_is_not_known_is_not_the_right_one(answers, expected):
    answered = rc.Trajectory(output="Paid.", answers=answers)
    assert outcome({"answered_by": "billing"}, answered) == expected


def span(number: int, attributes: dict) -> dict:
    values = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    return {
        "traceId": "a" * 32,
        "spanId": f"{number:016x}",
        **({"parentSpanId": f"{1:016x}"} if number > 1 else {}),
        "name": attributes["gen_ai.operation.name"],
        "startTimeUnixNano": str(number * 10**9),
        "endTimeUnixNano": str((10 - number if number == 1 else number) * 10**9 + 10**8),
        "attributes": values,
    }


ASKED = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Hello?"}]}])
SAID = json.dumps(
    [{"role": "assistant", "parts": [{"type": "text", "content": "Hi."}], "finish_reason": "stop"}]
)


@pytest.mark.parametrize(
    ("last", "expected"),
    [({"gen_ai.output.messages": SAID}, "passed"), ({}, "error")],
    ids=["recorded", "not recorded"],
)
@pytest.mark.parametrize("before", [True, False], ids=["after another answer", "alone"])
def test_a_trace_whose_last_answer_was_not_recorded_passes_no_negative(last, expected, before, tmp_path):
    chat = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": ASKED}
    models = [{**chat, "gen_ai.output.messages": SAID}] * before + [{**chat, **last}]
    spans = [span(1, {"gen_ai.operation.name": "invoke_agent"})]
    spans += [span(number, attributes) for number, attributes in enumerate(models, 2)]
    document = {"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {"name": "t"}, "spans": spans}]}]}
    (tmp_path / "trace.json").write_text(json.dumps(document))
    (trace,) = load_traces(tmp_path / "trace.json")
    assert outcome(NEGATIVE, trace.trajectory) == expected
