"""39 kinds of junk from a judge × every judged metric × every door: an error of the case, never a pass or a failure."""

from __future__ import annotations

import asyncio
import json

import pytest

import rightcall as rc
from rightcall.api.testing.assertion import assert_test
from rightcall.metrics.judged.rubric import (
    AnswerRelevancy,
    ArgumentCorrectness,
    ConversationCompleteness,
    KnowledgeRetention,
    RoleAdherence,
    Rubric,
    TaskCompletion,
    TurnRelevancy,
)
from rightcall.metrics.measurement import measure_one
from rightcall.metrics.score_case import Scorer
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import Golden, Message, TestCase, ToolCall, Trajectory
from rightcall.records.failure import JUDGE_CODES
from rightcall.run.rescorer import rescore_run

PASS = '{"verdict": "pass"}'
FAIL = '{"verdict": "fail"}'
TEXTS = [
    "", " \n\t", "pass", "fail", "PASS", "yes", "true", "1", "null", "[]", "{}", "{", '"pass"', "Verdict: pass",
    "**Result**: pass", "I would say pass.", "The answer passes. It does not fail.", "Success!", "Score: 10/10",
    f"Well: {PASS}", f"{PASS} indeed", f"{PASS}\n{FAIL}", f"[{PASS}]", json.dumps(PASS), f"```json\n{PASS}", PASS[:-1],
    '{"verdict": "maybe"}', '{"verdict": true}', '{"verdict": ["pass"]}', '{"verdict": {"verdict": "pass"}}',
    '{"verdict": "pass", "verdict": "fail"}', '{"result": "pass"}', '{"verdict": "pass", "reason": "Verdict: fail"}',
    "\u0440ass", "pa\u200bss", "\x00" * 50, "A" * 200_000,
]  # fmt: skip
CALLS = [ToolCall("give_verdict", None, raw="{"), ToolCall("approve", {"verdict": "pass"})]
JUNK = [*TEXTS, *CALLS]

MESSAGES = (
    Message("user", "Hi"),
    Message("assistant", "Hello"),
    Message("user", "31?"),
    Message("assistant", "Yes"),
)
CASE = TestCase(
    Golden("How warm is it?", id="warm", system="You are a clerk."),
    Trajectory(output="Yes", messages=MESSAGES, calls=(ToolCall("get_weather", {}),)),
)
METRICS = [
    Rubric, TaskCompletion, AnswerRelevancy, ArgumentCorrectness, TurnRelevancy, KnowledgeRetention, RoleAdherence,
    ConversationCompleteness,
]  # fmt: skip


def judge(answer) -> ScriptedProvider:
    return ScriptedProvider(lambda request: answer, "judge")


def test_there_are_as_many_kinds_as_the_title_says():
    assert len(JUNK) == 39


@pytest.mark.parametrize("metric", METRICS)
def test_no_junk_is_a_verdict_of_any_judged_metric(metric):
    for answer in JUNK:
        rubric = {} if metric is RoleAdherence else {"rubric": "It is kind."}
        score = asyncio.run(measure_one(metric(judge(answer), votes=1, cache="", **rubric), CASE))
        assert score.error and not score.passed, (answer, score)
        assert {failure.code for failure in score.codes} <= JUDGE_CODES and score.codes, (answer, score)


def junk_metric() -> Rubric:
    return Rubric(judge("Verdict: pass"), "It is kind.", votes=1, label="kind", cache="")


GOLDENS = [Golden("Hi", id=f"g{i}") for i in range(3)]


def evaluated():
    return rc.evaluate(lambda golden: "Hello", dataset=GOLDENS, metrics=[junk_metric()])


def by_evaluate():
    run = evaluated()
    return run.verdict.word, [result.outcome for result in run.results]


def by_gate():
    run = rc.evaluate(lambda golden: "Hello", dataset=GOLDENS, metrics=[junk_metric()], gate=0.5)
    return run.verdict.word, [result.outcome for result in run.results]


def by_allowed_gate():
    gate = {"min": 0.5, "judges": {"uncalibrated": "allow"}}
    run = rc.evaluate(lambda golden: "Hello", dataset=GOLDENS, metrics=[junk_metric()], gate=gate)
    return run.verdict.word, [result.outcome for result in run.results]


def by_rescoring():
    run = evaluated()
    name, _, verdict = asyncio.run(rescore_run(run.store, run.id, Scorer([junk_metric()])))
    return verdict.word, [result.outcome for result in run.store.runs.results(name)]


def by_cases():
    cases = [TestCase(golden, Trajectory(output="Hello")) for golden in GOLDENS]
    run = rc.score_cases(cases, metrics=[junk_metric()])
    return run.verdict.word, [result.outcome for result in run.results]


def by_assert_test():
    outcomes = []
    for golden in GOLDENS:
        with pytest.raises(rc.errors.CheckError, match="judge_unparsed"):
            assert_test(TestCase(golden, Trajectory(output="Hello")), [junk_metric()])
        outcomes.append("error")
    return "ERROR", outcomes


@pytest.mark.parametrize(
    "door", [by_evaluate, by_gate, by_allowed_gate, by_rescoring, by_cases, by_assert_test]
)
def test_a_judge_without_a_verdict_is_an_error_through_every_door(door, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert door() == ("ERROR", ["error"] * 3)
