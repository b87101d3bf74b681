"""Conversations: judged turn by turn and as a whole."""

from __future__ import annotations

import json

import pytest

from rightcall.metrics.case_result import result_of
from rightcall.metrics.conversation import score_conversation
from rightcall.records import ConversationalGolden, ExpectedCall, Message, ToolCall, Turn
from rightcall.records.dialects import trajectory_from_messages
from rightcall.records.run import CaseResult
from rightcall.run.recorded_scores import score_recorded
from rightcall.show.view.messages import transcript

FIND = ExpectedCall("find", {"id": "A"})
REFUND = ExpectedCall("refund", {"id": "A"})
GOLDEN = ConversationalGolden(
    "A customer wants a refund",
    id="refund",
    turns=(
        Turn("user", "Where is A?", expected_calls=(FIND,)),
        Turn("user", "Refund it", expected_calls=(REFUND,)),
    ),
)


def held(*said):
    """`"text"` is the user's, a list of calls the agent's, followed by its words."""
    messages = []
    for item in said:
        if isinstance(item, str):
            messages.append(Message("user", item))
        else:
            messages += [Message("assistant", "", tuple(item)), Message("assistant", "There you are.")]
    return trajectory_from_messages(messages)


RIGHT = held("Where is A?", [ToolCall("find", {"id": "A"})], "Refund it", [ToolCall("refund", {"id": "A"})])


def test_calls_in_their_turns_pass():
    verdict = score_conversation(GOLDEN, RIGHT)
    assert (verdict.passed, verdict.score, verdict.first_failing_turn) == (True, 1.0, None)


def test_a_call_in_the_wrong_turn_fails_and_the_turn_is_named():
    early = held(
        "Where is A?", [ToolCall("find", {"id": "A"}), ToolCall("refund", {"id": "A"})], "Refund it", []
    )
    verdict = score_conversation(GOLDEN, early)
    assert not verdict.passed
    assert verdict.first_failing_turn == 1
    assert verdict.turns_score().reason.startswith('turn 1: refund(id="A") was not expected')


def test_a_reason_names_the_turn_by_the_heading_that_it_has_in_the_transcript():
    late = held("Where is A?", [ToolCall("find", {"id": "A"})], "Refund it", [])
    why = score_conversation(GOLDEN, late).turns_score().reason
    assert why.startswith("turn 2: nothing was called")
    result = CaseResult("g", 0, False, 0.0, {})
    headings = [view.heading for view in transcript(late.messages, result, 0) if view.heading]
    assert headings == ["turn 1", "turn 2"]


def test_the_same_call_twice_is_found_in_its_own_turn():
    again = held("Where is A?", [ToolCall("find", {"id": "A"})], "Refund it", [ToolCall("find", {"id": "A"})])
    assert score_conversation(GOLDEN, again).first_failing_turn == 4


def test_expected_calls_over_the_whole_may_come_in_any_turn():
    golden = ConversationalGolden("x", expected_calls=(FIND, REFUND), order="strict")
    assert score_conversation(golden, RIGHT).passed
    assert not score_conversation(
        golden, held("a", [ToolCall("refund", {"id": "A"})], "b", [ToolCall("find", {"id": "A"})])
    ).passed


def test_a_forbidden_call_in_any_turn_scores_zero():
    golden = ConversationalGolden("x", forbidden_calls=("refund",))
    verdict = score_conversation(golden, RIGHT)
    assert (verdict.passed, verdict.score, verdict.first_failing_turn) == (False, 0.0, 4)


def test_a_fact_may_be_told_in_any_turn():
    golden = ConversationalGolden("x", output_contains=("there you",))
    assert score_conversation(golden, RIGHT).whole.numbers.content == 1.0


def test_the_state_left_behind_decides_too():
    golden = ConversationalGolden("x", expected_state={"bank": {"open": True}})
    assert "the run had no world" in result_of(golden, 0, RIGHT, {}).error


def test_turns_need_messages():
    result = result_of(GOLDEN, 0, type(RIGHT)(calls=RIGHT.calls), {})
    assert "recorded without messages" in result.error


@pytest.mark.parametrize("metric", [(), ("tool_selection",)])
def test_recorded_conversations_are_scored(tmp_path, metric):
    from rightcall.datasets.goldens import save_goldens
    from rightcall.metrics.resolve import as_metrics
    from rightcall.metrics.score_case import Scorer

    save_goldens([GOLDEN], tmp_path / "g.jsonl")
    messages = [
        {"role": "user", "content": "Where is A?"},
        {"role": "assistant", "content": "I do not know."},
    ]
    (tmp_path / "t.jsonl").write_text(json.dumps({"golden_id": "refund", "messages": messages}) + "\n")
    (result,) = score_recorded(tmp_path / "g.jsonl", tmp_path / "t.jsonl", scorer=Scorer(as_metrics(metric)))
    assert not result.passed
    assert result.metrics["turns"].reason.startswith("turn 1: nothing was called; expected find")
    assert {failure.turn for failure in result.codes} == {1, 2}
