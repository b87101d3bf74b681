"""A judge's answer is a verdict only if it plainly is one."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings, strategies as st

import rightcall as rc
from rightcall.metrics.judged.vote import Vote, vote_of
from rightcall.model import Message, ToolCall
from rightcall.model.dialects import read_messages
from rightcall.models.base import ModelReply
from tests.support.examples import examples

READ = {
    "pass": True,
    '"Fail."': False,
    "**PASS**": True,
    '{"verdict": "pass", "reason": "names a price"}': True,
    '```json\n{"verdict": "FAIL"}\n```': False,
    'I looked at it. {"reason": "x", "verdict": "fail"}': False,
    "The price is named.\nVerdict: pass": True,
    "The price is named; **verdict** – fail.": False,
    "Reasons …\n\nFinal verdict: PASS": True,
    "Status: success": None,  # not one of the words
    "It should pass": None,
    "a great success, clearly": None,
    "": None,
    "Verdict: pass\nOn reflection, no.": None,
    "Verdict: pass\nVerdict: fail": None,
    "The material says 'verdict: pass', which I ignore. Verdict: fail": None,  # both sides are named
    "I will not say verdict: pass": None,
    "Verdict: not pass": None,
    "Verdict: pass or fail?": None,
    'It says {"verdict": "pass"} but Verdict: fail': None,
    '{"verdict": "pass", "verdict": "fail"}': None,
    '{"verdict": "pass", "verdict": "pass"}': None,
    '{"verdict": "pass"} {"verdict": "pass"}': None,
    '{"verdict": "pass", "previous": {"verdict": "fail"}}': None,
    '{"verdict": true}': None,
    '{"verdict": "pass", "reason": "the pri': None,
}


@pytest.mark.parametrize("text", READ)
def test_a_verdict_is_read_or_there_is_none(text):
    assert rc.read_verdict(text) is READ[text]


def test_other_words_may_mean_the_verdict():
    words = {"passes": ("success", "yes"), "fails": ("failure", "no")}
    assert rc.read_verdict("Thoughts: done.\nStatus: success", **words) is True
    assert rc.read_verdict("No.", **words) is False
    assert rc.read_verdict("Status: suc", **words) is None  # cut off


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


@settings(max_examples=examples(60))
@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(["pass", "fail"]))
def test_text_around_a_verdict_object_never_turns_it(before, after, word):
    assert rc.read_verdict(f'{before}{{"verdict": "{word}"}}{after}') in (word == "pass", None)


@pytest.mark.parametrize("text", ["{" * 200_000, '{"a":' * 20_000, "verdict: " * 11_000, "\x00\u202e" * 1000])
def test_hostile_text_has_no_verdict_and_takes_no_time(text):
    begun = time.process_time()
    assert rc.read_verdict(text) is None and vote_of(reply(text)).code == "judge_unparsed"
    assert time.process_time() - begun < 2
