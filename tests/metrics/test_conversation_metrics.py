"""Metrics of conversations by name: communicated facts, how it ended, and a judge's verdict turn by turn."""

from __future__ import annotations

import asyncio

import pytest

from rightcall.core.errors import ConfigError
from rightcall.metrics.judged.rubric import (
    ConversationCompleteness,
    KnowledgeRetention,
    RoleAdherence,
    TurnRelevancy,
)
from rightcall.metrics.measurement import measure_all
from rightcall.metrics.resolve import resolve_metric
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import Golden, Message, TestCase, ToolCall, Trajectory
from rightcall.records.trajectory import Dialogue


def talk(*said, given=0, **fields):
    """What user and agent say in turn."""
    messages = tuple(Message(("user", "assistant")[at % 2], text) for at, text in enumerate(said))
    dialogue = Dialogue("script_end", given=given)
    return TestCase(
        Golden("Help", **fields), Trajectory(messages=messages, output=said[-1], dialogue=dialogue)
    )


def judge(passes):
    """A judge that passes what a function of the material's text passes."""

    def verdict(request):
        text = request.messages[0].content
        word = "pass" if passes(text) else "fail"
        return ToolCall("give_verdict", {"verdict": word, "reason": "because"})

    return ScriptedProvider(verdict, "judge")


def measured(metric, case):
    return asyncio.run(measure_all([metric], case))[metric.name]


GOOD = talk("I am An", "Hello An", "My order?", "It is sent")
BAD = talk("I am An", "Hello An", "My order?", "BAD: who are you?")


@pytest.mark.parametrize("metric", [TurnRelevancy, KnowledgeRetention])
def test_a_metric_of_turns_is_the_share_of_answers_that_pass_and_names_the_first_that_does_not(metric):
    made = metric(judge(lambda text: '"answer":"BAD' not in text), votes=1, cache="")
    assert measured(made, GOOD).passed
    score = measured(made, BAD)
    expected = 0.5 if metric is TurnRelevancy else 0.0  # nothing can be forgotten in the first answer
    assert (score.value, score.passed, score.reason) == (expected, False, "turn 2: because")


def test_answers_from_before_the_agent_began_are_read_and_not_judged():
    seen = []
    model = judge(lambda text: seen.append(text) or True)
    case = talk("I am An", "Hello An", "My order?", "It is sent", given=2)
    assert measured(TurnRelevancy(model, votes=1, cache=""), case).passed
    assert len(seen) == 1 and "Hello An" in seen[0]


def test_a_role_is_the_settings_the_test_cases_or_the_golden_s():
    seen = []
    model = judge(lambda text: seen.append(text) or True)
    for case, role in ((GOOD, "a pirate"), (talk("Hi", "Ahoy", metadata={"chatbot_role": "a monk"}), "")):
        assert measured(RoleAdherence(model, votes=1, cache="", role=role), case).passed
    assert "a pirate" in seen[0] and "a monk" in seen[-1]
    nothing = measured(RoleAdherence(model, votes=1, cache=""), GOOD)
    assert nothing.error.startswith("nothing to check: neither the metric nor the golden")


def test_completeness_is_judged_by_the_expected_outcome_too():
    seen = []
    case = talk("Hi", "Done", expected_output="The order is cancelled")
    metric = ConversationCompleteness(judge(lambda text: seen.append(text) or True), votes=1, cache="")
    assert measured(metric, case).passed and "In particular: The order is cancelled" in seen[0]


def test_a_judge_that_gives_no_verdict_breaks_the_metric():
    silent = ScriptedProvider(lambda request: "hm", "silent")
    assert (
        "1 of 1 votes have no verdict: judge_unparsed"
        in measured(TurnRelevancy(silent, votes=1, cache=""), GOOD).error
    )


@pytest.mark.parametrize(
    "name", ["turn_relevancy", "knowledge_retention", "role_adherence", "conversation_completeness"]
)
def test_judged_metrics_are_found_by_name_and_need_a_model(name):
    assert resolve_metric(f"{name}(model='openai:gpt-5-mini')").name == name
    with pytest.raises(ConfigError, match=f"{name} requires a model"):
        resolve_metric(name)


@pytest.mark.parametrize(
    ("ended", "passed"),
    [("script_end", True), ("user_stop", True), ("transfer", True), ("max_turns", False), ("limit", False),
     ("agent_error", False), ("refused", False), ("truncated", False)],
)  # fmt: skip
def test_a_conversation_that_a_limit_ends_was_not_resolved(ended, passed):
    case = TestCase(Golden("Help"), Trajectory(dialogue=Dialogue(ended, "why")))
    assert measured(resolve_metric("termination"), case).passed is passed


def test_which_endings_are_good_can_be_said():
    case = TestCase(Golden("Help"), Trajectory(dialogue=Dialogue("transfer")))
    assert not measured(resolve_metric("termination(accept=['user_stop'])"), case).passed


@pytest.mark.parametrize(
    ("said", "value"),
    [
        (("Hi", "It costs $1,094 and is sent"), 1.0),
        (("is it sent? 1094?", "Yes"), 0.0),
        (("Hi", "1094", "?", "x"), 0.5),
    ],
)
def test_facts_count_when_the_agent_tells_them_in_any_turn(said, value):
    score = measured(resolve_metric("communicated_facts(facts=['1094', 'sent'])"), talk(*said))
    assert score.value == value and score.passed is (value == 1)
