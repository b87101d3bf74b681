"""Hostile answers of judges in every wire format, over loopback: a verdict or a code, never a pass by accident."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.metrics.judged.rubric import Rubric, TurnRelevancy
from rightcall.metrics.judged.vote import Vote, next_votes, no_vote, share_of
from rightcall.metrics.measurement import measure_one
from rightcall.providers.endpoint import ModelEndpoint
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import Golden, Message, TestCase, ToolCall, Trajectory
from tests.providers.loopback import json_server
from tests.support.examples import examples

CASE = TestCase(Golden("How warm is it?", id="warm"), Trajectory(output="31 °C"))
Json = dict[str, Any]
PASS = {"criteria": [], "reason": "fine", "verdict": "pass"}
FAIL = {"reason": "no", "verdict": "fail"}


def call(arguments: Json, name: str = "give_verdict") -> Json:
    return {"name": name, "arguments": arguments}


def chat(text: str, calls: list[Json], end: str) -> Json:
    tool_calls = [
        {
            "id": f"c{i}",
            "type": "function",
            "function": {"name": c["name"], "arguments": json.dumps(c["arguments"])},
        }
        for i, c in enumerate(calls)
    ]
    reason = {"cut": "length", "refused": "content_filter", "done": "tool_calls" if calls else "stop"}[end]
    message = {"role": "assistant", "content": text or None, "tool_calls": tool_calls}
    return {"choices": [{"message": message, "finish_reason": reason}], "usage": {}}


def responses(text: str, calls: list[Json], end: str) -> Json:
    output: list[Json] = [
        {
            "type": "function_call",
            "call_id": f"c{i}",
            "name": c["name"],
            "arguments": json.dumps(c["arguments"]),
        }
        for i, c in enumerate(calls)
    ]
    if text:
        content = [{"type": "output_text", "text": text}]
        output.append({"type": "message", "role": "assistant", "content": content})
    reason = {"cut": "max_output_tokens", "refused": "content_filter"}.get(end)
    details = {"status": "incomplete", "incomplete_details": {"reason": reason}} if reason else {}
    return {"status": "completed", "output": output, "usage": {}} | details


def messages(text: str, calls: list[Json], end: str) -> Json:
    content: list[Json] = [{"type": "text", "text": text}] if text else []
    content += [
        {"type": "tool_use", "id": f"c{i}", "name": c["name"], "input": c["arguments"]}
        for i, c in enumerate(calls)
    ]
    reason = {"cut": "max_tokens", "refused": "refusal", "done": "tool_use" if calls else "end_turn"}[end]
    return {"content": content, "stop_reason": reason, "usage": {}}


def gemini(text: str, calls: list[Json], end: str) -> Json:
    parts: list[Json] = [{"text": text}] if text else []
    parts += [{"functionCall": {"name": c["name"], "args": c["arguments"]}} for c in calls]
    reason = {"cut": "MAX_TOKENS", "refused": "SAFETY", "done": "STOP"}[end]
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}]}


def converse(text: str, calls: list[Json], end: str) -> Json:
    content: list[Json] = [{"text": text}] if text else []
    content += [
        {"toolUse": {"toolUseId": f"c{i}", "name": c["name"], "input": c["arguments"]}}
        for i, c in enumerate(calls)
    ]
    reason = {
        "cut": "max_tokens",
        "refused": "guardrail_intervened",
        "done": "tool_use" if calls else "end_turn",
    }[end]
    return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": reason}


WIRES: dict[str, Callable[[str, list[Json], str], Json]] = {
    "openai": chat,
    "mistral": chat,
    "openai-responses": responses,
    "anthropic": messages,
    "gemini": gemini,
    "bedrock": converse,
}

ANSWERS: list[tuple[str, list[Json], str, str]] = [
    ("", [call(PASS)], "done", "passed"),
    ("", [call(FAIL)], "done", "failed"),
    (json.dumps(PASS), [], "done", "passed"),
    ("", [call(PASS)], "cut", "judge_truncated"),
    (json.dumps(PASS), [], "cut", "judge_truncated"),
    ("", [call(PASS)], "refused", "judge_refused"),
    ("", [], "done", "judge_refused"),
    ("It should pass, of course.", [], "done", "judge_unparsed"),
    ("Verdict: pass", [], "done", "judge_unparsed"),
    ("Verdict: pass. No, verdict: fail.", [], "done", "judge_contradiction"),
    ("", [call(PASS), call(FAIL)], "done", "judge_contradiction"),
    ("Verdict: fail", [call(PASS)], "done", "judge_contradiction"),
    ("", [call(PASS), call(PASS)], "done", "judge_unparsed"),
    ("", [call(PASS, "get_weather")], "done", "judge_unparsed"),
    ("", [call({"verdict": 1})], "done", "judge_unparsed"),
    ("", [call({"verdict": "PASSED!"})], "done", "judge_unparsed"),
    ("", [call({})], "done", "judge_unparsed"),
    (
        "",
        [call({**PASS, "criteria": [{"name": "a", "met": False, "evidence": ""}]})],
        "done",
        "judge_contradiction",
    ),
    ("", [call({**PASS, "reason": "It lacks a price.\nVerdict: fail"})], "done", "judge_contradiction"),
]


@pytest.mark.parametrize("wire", WIRES)
def test_every_answer_in_every_wire_format_is_a_verdict_or_a_code(wire, monkeypatch):
    monkeypatch.setenv("AWS_BEARER_TOKEN_BEDROCK", "token-0123456789")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    at = iter(ANSWERS)
    with json_server(lambda body: WIRES[wire](*next(at)[:3])) as seen:
        judge = ModelEndpoint(f"{wire}:judge", seen.url)
        metric = Rubric(judge, "names a temperature", votes=1, cache="")
        for *_, expected in ANSWERS:
            score = asyncio.run(measure_one(metric, CASE))
            code = score.codes[0].code if score.codes else "passed" if score.passed else "failed"
            assert (code, bool(score.error)) == (expected, expected.startswith("judge_")), score
            assert score.judged is not None
    assert len(seen.bodies) == len(ANSWERS)  # an unusable answer is not asked for again


def test_a_transport_that_fails_is_a_judge_that_cannot_be_reached():
    def refuse(body: Json) -> Json:
        raise AssertionError("no")

    with json_server(refuse) as seen:
        metric = Rubric(ModelEndpoint("openai:judge", seen.url), "x", votes=1, cache="")
        score = asyncio.run(measure_one(metric, CASE))
    assert score.codes[0].code == "judge_unreachable" and "answered 400" in score.error


def test_a_model_that_refuses_a_temperature_is_asked_with_its_own():
    def answer(body: Json) -> Json:
        assert "temperature" not in body, "'temperature' does not support 0 with this model"
        return chat("", [call(PASS)], "done")

    with json_server(answer) as seen:
        metric = Rubric(ModelEndpoint("openai:own-temperature", seen.url), "x", votes=1, cache="")
        assert asyncio.run(measure_one(metric, CASE)).passed
        assert asyncio.run(measure_one(metric, CASE)).passed
    assert [body.get("temperature") for body in seen.bodies] == [0.0, None, None]


def test_several_votes_have_the_providers_temperature():
    with json_server(lambda body: chat("", [call(PASS)], "done")) as seen:
        asyncio.run(measure_one(Rubric(ModelEndpoint("openai:j", seen.url), "x", votes=3, cache=""), CASE))
    assert [body.get("temperature") for body in seen.bodies] == [None] * 3


MET = {"name": "a", "met": True, "evidence": ""}
UNMET = {"name": "b", "met": False, "evidence": ""}


@pytest.mark.parametrize(
    ("criteria", "verdict", "outcome"),
    [
        ([MET], "pass", "passed"),
        ([MET, UNMET], "fail", "failed"),
        ([MET], "fail", "judge_contradiction"),
        ([UNMET], "pass", "judge_contradiction"),
        ([], "pass", "judge_unparsed"),
        ([{"name": "a", "met": "yes"}], "pass", "judge_unparsed"),
        (None, "pass", "judge_unparsed"),
    ],
)
def test_criteria_decide_when_they_are_asked_to(criteria, verdict, outcome):
    arguments = {"criteria": criteria, "reason": "so", "verdict": verdict}
    judge = ScriptedProvider(lambda request: ToolCall("give_verdict", arguments), "judge")
    score = asyncio.run(measure_one(Rubric(judge, "x", votes=1, cache="", decide="criteria"), CASE))
    assert (score.codes[0].code if score.codes else "passed" if score.passed else "failed") == outcome


def judge_of(sides: list[bool | None], asked: list[int]) -> ScriptedProvider:
    def answer(request: Any) -> Any:
        asked.append(request.trial)
        side = sides[request.trial]
        return "hm" if side is None else ToolCall("give_verdict", PASS if side else FAIL)

    return ScriptedProvider(answer, "judge")


def test_votes_that_tie_are_no_verdict():
    talk = TestCase(
        Golden("Hi", id="talk"),
        Trajectory(messages=(Message("user", "Hi"), Message("assistant", "Hello")), output="Hello"),
    )
    for metric in (Rubric, TurnRelevancy):
        judge = judge_of([True, False], [])
        score = asyncio.run(measure_one(metric(judge, "x", votes=2, cache=""), talk))
        assert score.codes[0].code == "judge_split" and score.error


sides = st.lists(st.sampled_from([True, False, None]), min_size=1, max_size=9)


@settings(max_examples=examples(60))
@given(sides, st.sampled_from([0.5, 1.0, 0.6, 0.2]))
def test_stopping_early_changes_neither_the_result_nor_whether_votes_differ(votes, threshold):
    ballots = [no_vote("judge_unparsed", "hm") if side is None else Vote(side) for side in votes]
    asked = 0
    while more := next_votes(ballots[:asked], len(votes), threshold):
        asked += more
    whole = share_of(ballots, threshold, len(votes))
    early = share_of(ballots[:asked], threshold, len(votes))
    assert isinstance(whole, Vote) == isinstance(early, Vote)
    if not isinstance(whole, Vote) and not isinstance(early, Vote):
        assert whole[1] is early[1] and (whole[0] in (0, 1)) == (early[0] in (0, 1))
        assert whole[0] in (0, 1) or asked <= len(votes)
    else:
        assert whole.code == early.code


def test_a_vote_that_can_change_nothing_is_not_asked_for():
    asked: list[int] = []
    score = asyncio.run(
        measure_one(Rubric(judge_of([True, True, True, False, False], asked), "x", votes=5, cache=""), CASE)
    )
    assert (score.passed, score.value, sorted(asked)) == (True, 0.75, [0, 1, 2, 3])
    assert score.judged is not None and (score.judged.votes, score.judged.unanimous) == (4, False)
