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


PROSE = st.sampled_from(
    ["The answer names a price.", "It should pass, some say.", "a great success, clearly", "no result yet", "it may fail", "\x1b[2J\x00", "{", "{}",
     '{"a": [1, {"b": "}"}]}', "```", "Result of the search: three flights.", "Ünïcode – “quoted”", "I cannot judge this.", "\u202e", "Verdict pending."]
)  # fmt: skip
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


@settings(max_examples=examples(150))
@given(
    st.lists(PROSE, max_size=4), st.sampled_from(FORMS), st.booleans(), st.lists(PROSE, max_size=2), st.data()
)
def test_the_wrong_side_is_never_read(before, form, passed, after, data):
    """Whatever stands around a verdict, and wherever the answer is cut: its side, or none."""
    stated = form.format("pass" if passed else "FAIL")
    text = "\n".join([*before, stated, *after])
    assert rc.read_verdict(text) in (passed, None)
    assert rc.read_verdict(text[: data.draw(st.integers(0, len(text)))]) in (passed, None)


@settings(max_examples=examples(80))
@given(st.lists(PROSE, max_size=3), st.sampled_from(FORMS[2:]), st.sampled_from(FORMS[2:]), st.booleans())
def test_two_verdicts_that_differ_are_none(prose, first, second, passed):
    words = ("pass", "fail") if passed else ("fail", "pass")
    assert rc.read_verdict("\n".join([first.format(words[0]), *prose, second.format(words[1])])) is None


@settings(max_examples=examples(80))
@given(st.text(max_size=300))
def test_text_without_a_marker_has_no_verdict(text):
    if not any(word in text.casefold() for word in ("verdict", "status", "result", "pass", "fail")):
        assert rc.read_verdict(text) is None


MORE = {
    "“Pass”": True,
    "Verdict:\n\npass": True,
    "Verdict: failed\nVerdict: pass": None,
    '{"verdict": "pass"}\nActually, fail.': None,
    '{"verdict": "pass"} {"verdict": "fai': None,
    '{"\\u0076erdict": "fail"}\nVerdict: pass': None,
    "{" * 80 + "\nVerdict: fail": False,  # braces are no reason not to read it
    '{"a": ' * 3_000 + '{"verdict": "pass"}' + "}" * 3_000: None,
    "I can't give a verdict: pass": None,
    "Verdict: pass\n" + "x" * 1_000_000: None,
}


@pytest.mark.parametrize("text", MORE, ids=range(len(MORE)))
def test_odd_answers(text):
    assert rc.read_verdict(text) is MORE[text]


def test_words_are_checked():
    assert rc.read_verdict("yes", passes="yes", fails="no") is True
    assert rc.read_verdict("e", passes="yes", fails="no") is None
    assert rc.read_verdict(None) is None
    with pytest.raises(rc.errors.InputError, match="'YES' is in passes and in fails"):
        rc.read_verdict("yes", passes=["yes"], fails=["YES"])


@pytest.mark.parametrize(
    "unit", ["verdict: pas ", '{"verdict": ', "Result:\n\n", "! ", '"\\u', '{"verdict": "pass"} ']
)
def test_long_answers_are_read_in_time_proportional_to_their_length(unit):
    """A hundred thousand characters cost milliseconds; reading them in quadratic time would cost minutes."""
    begun = time.process_time()
    assert rc.read_verdict(unit * (100_000 // len(unit))) is None
    assert time.process_time() - begun < 1
