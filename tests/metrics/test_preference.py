"""Pairs judged in both orders: agreeing orders prefer, others are ties, and nothing else is ever a win."""

from __future__ import annotations

import asyncio
import itertools
import json

import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall.cli.judge import judge as judge_commands
from rightcall.metrics.judged.preference import combine_orders, prefers
from rightcall.metrics.judged.vote import Vote, no_vote
from rightcall.model import Golden, ToolCall
from rightcall.models.scripted import ScriptedProvider
from rightcall.run.judge_requests import count_preferences

VOTES = [Vote(True), Vote(False), no_vote("judge_refused", "no"), no_vote("judge_unparsed", "hm")]


@pytest.mark.parametrize(("a_first", "b_first"), list(itertools.product(VOTES, VOTES)))
def test_only_orders_that_agree_prefer(a_first, b_first):
    both = combine_orders(a_first, b_first)
    if a_first.error or b_first.error:
        assert (both.winner, both.code) == ("", a_first.code or b_first.code)
    elif a_first.passed is b_first.passed:
        assert (both.winner, both.code, both.first_place) == ("tie", "judge_split", a_first.passed)
    else:
        assert (both.winner, both.code) == ("a" if a_first.passed else "b", None)
    swapped = combine_orders(b_first, a_first)
    if both.winner in ("a", "b"):
        assert {both.winner, swapped.winner} == {"a", "b"}


def judge(prefer) -> ScriptedProvider:
    def answer(request):
        text = request.messages[0].content
        material = json.loads(
            text.split("\n", text.split("<<<")[0].count("\n") + 1)[-1].split("\nMATERIAL")[0]
        )
        verdict = "pass" if prefer(material["first"]["answer"], material["second"]["answer"]) else "fail"
        return ToolCall("give_verdict", {"verdict": verdict, "reason": "so"})

    return ScriptedProvider(answer, "judge")


def runs(tmp_path):
    goldens = [Golden(f"Question {i}", id=f"g{i}") for i in range(6)]
    store = tmp_path / "runs.db"
    return [
        rc.evaluate(
            lambda golden, size=size: "word " * size, dataset=goldens, metrics=["termination"], store=store
        )
        for size in (1, 3)
    ]


def test_a_judge_that_likes_the_first_place_prefers_nobody(tmp_path):
    a, b = runs(tmp_path)
    found = asyncio.run(count_preferences(a.store, a.id, b.id, prefers(judge(lambda *_: True), "is kind")))
    assert (found.prefers_a, found.prefers_b, found.ties, found.first_place) == (0, 0, 6, 6)
    assert found.position.problem == "fewer than 20 verdicts changed"
    assert "100% of these go to whichever answer came first" in found.sentence


def test_a_judge_that_looks_at_answers_prefers_one_run(tmp_path):
    a, b = runs(tmp_path)
    longer = prefers(judge(lambda first, second: len(first) > len(second)), "is longer")
    found = asyncio.run(count_preferences(a.store, a.id, b.id, longer))
    assert (found.prefers_a, found.prefers_b, found.p) == (0, 6, 2 / 2**6)
    assert found.sentence.startswith("judged, not corrected")


def test_the_command_needs_a_judge_that_can_be_asked(tmp_path, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    command = [
        "prefers",
        "a",
        "b",
        "--model",
        "openai:x",
        "--rubric",
        "kind",
        "--store",
        str(tmp_path / "no.db"),
    ]
    result = CliRunner().invoke(judge_commands, command)
    assert result.exit_code != 0 and "OPENAI_API_KEY" in str(result.exception)
