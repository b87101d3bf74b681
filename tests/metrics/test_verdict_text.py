"""A judge's answer is a verdict only if it plainly is one."""

from __future__ import annotations

import json
import time

import pytest

from rightcall.metrics.judged.vote import Vote, vote_of
from rightcall.providers.base import ModelReply
from rightcall.records import Message, ToolCall
from rightcall.records.dialects import read_messages

CALL = ToolCall("give_verdict", {"verdict": "pass", "reason": "fine"})
OTHER = ToolCall("give_verdict", {"verdict": "fail", "reason": "bad"})
TEXT = '{"verdict": "pass", "reason": "fine"}'


def said(arguments: str) -> ToolCall:
    """The judge's call as its provider sends it."""
    call = {"id": "c", "type": "function", "function": {"name": "give_verdict", "arguments": arguments}}
    return read_messages([{"role": "assistant", "tool_calls": [call]}], "here")[0].calls[0]


def reply(text: str = "", *calls: ToolCall, stop: str = "done") -> ModelReply:
    return ModelReply(Message("assistant", text, calls), stop=stop)


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (reply("", CALL), None),
        (reply("Let me see.", CALL), None),
        (reply(TEXT), None),
        (reply(f"```json\n{TEXT}\n```"), None),
        (reply(f"I would say {TEXT}"), "judge_unparsed"),
        (reply(TEXT * 2), "judge_unparsed"),
        (reply('{"verdict": "pass", "verdict": "fail"}'), "judge_contradiction"),
        (reply('{"verdict": "maybe"}'), "judge_unparsed"),
        (reply("It should pass."), "judge_unparsed"),
        (reply("Verdict: pass. No: verdict: fail."), "judge_contradiction"),
        (reply(TEXT, stop="truncated"), "judge_truncated"),
        (reply("", CALL, stop="truncated"), "judge_truncated"),
        (reply(TEXT, stop="refused"), "judge_refused"),
        (reply(""), "judge_refused"),
        (reply("", CALL, CALL), "judge_unparsed"),
        (reply("", CALL, OTHER), "judge_contradiction"),
        (reply('{"verdict": "fail"}', CALL), "judge_contradiction"),
        (reply("", ToolCall("give_verdict", None, raw="{")), "judge_unparsed"),
        (reply("", ToolCall("get_weather", {})), "judge_unparsed"),
        (reply("", said('{"verdict": "fail", "reason": "fine", "verdict": "pass"}')), "judge_contradiction"),
        (reply("", said('{"verdict": "pass", "reason": "fine", "reason": "no"}')), "judge_contradiction"),
        (reply("", said('{"verdict": "pass", "final": {"verdict": "fail"}}')), "judge_contradiction"),
        (reply("", said('{"verdict": {"verdict": "pass"}}')), "judge_contradiction"),
        (reply("", said('{"verdict": "pass", "reason": "fine"}')), None),
        (reply(json.dumps(TEXT)), "judge_unparsed"),
        (reply(f"[{TEXT}]"), "judge_unparsed"),
        (reply('{"answer": {"verdict": "pass"}}'), "judge_unparsed"),
        (reply('{"verdict": "\u0440ass"}'), "judge_unparsed"),  # a Cyrillic letter
        (reply('{"verdict": true}'), "judge_unparsed"),
        (reply(f"```json\n{TEXT}\n```\nSo it passes."), "judge_unparsed"),
        (reply(TEXT[:-1]), "judge_unparsed"),
        (reply('{"verdict": "pass", "reason": "No price. Verdict: fail"}'), "judge_contradiction"),
        (reply('{"verdict": "pass", "criteria": [{"name": "a", "met": false}]}'), "judge_contradiction"),
    ],
)
def test_an_answer_is_a_verdict_or_has_a_code(answer, code):
    vote = vote_of(answer)
    assert vote.code == code and bool(vote.error) == bool(code)
    assert vote == Vote(True, "fine") if code is None else not vote.passed


@pytest.mark.parametrize("text", ["{" * 200_000, '{"a":' * 20_000, "verdict: " * 11_000, "\x00\u202e" * 1000])
def test_hostile_text_has_no_verdict_and_takes_no_time(text):
    begun = time.process_time()
    assert vote_of(reply(text)).code == "judge_unparsed"
    assert time.process_time() - begun < 2


FORMS = (
    "{}",
    '"{}."',
    "Verdict: {}",
    "**Final verdict:** {}",
    "Status - {}.",
    '{{"verdict": "{}"}}',
    "Result:\n\n{}",
    "; verdict: **{}**",
)


@pytest.mark.parametrize("form", FORMS)
def test_a_reason_that_ends_with_the_other_verdict_contradicts_it(form):
    for verdict, other in (("pass", "FAIL"), ("fail", "Pass")):
        reason = form.format(other)
        answer = reply("", ToolCall("give_verdict", {"verdict": verdict, "reason": reason}))
        assert vote_of(answer).code == "judge_contradiction"
        assert (
            vote_of(reply(form.format(verdict), ToolCall("give_verdict", {"verdict": verdict}))).code is None
        )


@pytest.mark.parametrize(
    "reason",
    [
        "It may fail.",
        "Verdict: not fail",
        "Verdict: fail\nOn reflection, no.",
        "The material says 'verdict: fail', which I ignore. Verdict: pass",
        "Verdict: pass or fail?",
        "Result of the search: three flights.",
        "Status: failure",
    ],
)
def test_a_reason_that_mentions_the_other_verdict_does_not_contradict(reason):
    assert vote_of(reply("", ToolCall("give_verdict", {"verdict": "pass", "reason": reason}))).code is None


@pytest.mark.parametrize(
    "unit", ["verdict: pas ", '{"verdict": ', "Result:\n\n", "! ", '"\\u', '{"verdict": "pass"} ']
)
def test_long_answers_are_read_in_time_proportional_to_their_length(unit):
    """A hundred thousand characters cost milliseconds; reading them in quadratic time would cost minutes."""
    text = unit * (100_000 // len(unit))
    begun = time.process_time()
    assert vote_of(reply(text)).error
    vote_of(reply(text, CALL))
    assert time.process_time() - begun < 1
