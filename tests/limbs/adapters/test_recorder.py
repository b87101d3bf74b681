"""From events to a trajectory: joins, order, whose call it was, what was done before it broke."""

from __future__ import annotations

import datetime
import enum
import threading
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from rightcall.agents.observed.recorder import EventRecorder
from rightcall.agents.observed.session import HeardTrial
from rightcall.agents.observed.values import plain, stop_of_error
from rightcall.core.codec import encode
from rightcall.records import Message, ToolCall, ToolResult, Usage


def call(name: str = "t", call_id: str = "", **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments, call_id)


def statuses(recorder: EventRecorder) -> list[tuple[str, int | None, str, Any]]:
    return [(c.name, c.step, c.status, c.output) for c in HeardTrial([recorder]).trajectory().calls]


def test_calls_of_one_answer_share_a_step_whatever_order_their_tools_end_in():
    recorder = EventRecorder()
    recorder.answered(calls=[call("a", "1"), call("b", "2")])
    recorder.tool_started("x", "a", {}, "1")
    recorder.tool_started("y", "b", {}, "2")
    recorder.tool_ended("y", "B")
    recorder.tool_ended("x", "A")
    assert statuses(recorder) == [("a", 0, "ok", "A"), ("b", 0, "ok", "B")]


def test_an_id_that_repeats_over_turns_means_its_latest_use():
    recorder = EventRecorder()
    for number in range(2):
        recorder.answered(calls=[call("a", "call_0")])
        recorder.tool_started(number, "a", {}, "call_0")
        recorder.tool_ended(number, number)
    assert statuses(recorder) == [("a", 0, "ok", 0), ("a", 1, "ok", 1)]


def test_without_ids_name_and_arguments_join_and_order_decides_between_equals():
    recorder = EventRecorder()
    recorder.answered(calls=[call("a", city="Hue"), call("a", city="Hanoi"), call("a", city="Hanoi")])
    for key, city in (("1", "Hanoi"), ("2", "Hue"), ("3", "Hanoi")):
        recorder.tool_started(key, "a", {"city": city})
        recorder.tool_ended(key, f"{city} {key}")
    assert [c.output for c in HeardTrial([recorder]).trajectory().calls] == ["Hue 2", "Hanoi 1", "Hanoi 3"]


def test_a_tool_that_no_answer_requested_is_not_a_call():
    recorder = EventRecorder()
    assert not recorder.tool_started("k", "cron_job", {})
    recorder.tool_ended("k", "done")
    assert HeardTrial([recorder]).trajectory().calls == ()


def test_a_result_in_the_next_request_belongs_to_a_call_whose_tool_was_not_seen():
    recorder = EventRecorder()
    recorder.answered(calls=[call("a", "1"), call("no_such", "2")])
    history = [
        Message("tool", results=(ToolResult("1", "old"),)),
        Message("assistant", calls=(call("a", "1"),)),
        Message("tool", results=(ToolResult("1", "new"), ToolResult("2", "no such tool", True))),
    ]
    recorder.asked(history)
    assert statuses(recorder) == [("a", 0, "ok", "new"), ("no_such", 0, "error", "no such tool")]


def test_what_hooks_hand_out_is_copied_at_that_moment():
    recorder = EventRecorder()
    live = ["one"]
    recorder.answered(calls=[call("a", "1")])
    recorder.tool_started("k", "a", {}, "1")
    recorder.tool_ended("k", live)
    live.append("two")
    assert HeardTrial([recorder]).trajectory().calls[0].output == ["one"]


def nested(calls: str) -> EventRecorder:
    recorder = EventRecorder(calls)
    recorder.answered(calls=[call("ask_expert", "p")], agent="triage", usage=Usage(100, 10))
    recorder.answered(calls=[call("look_up", "n")], agent="expert", depth=1, parent="p", usage=Usage(5, 1))
    recorder.answered(calls=[call("transfer_to_billing", "h")], agent="triage", usage=Usage(100, 10))
    recorder.answered(calls=[call("refund", "r")], agent="billing", usage=Usage(100, 10))
    return recorder


@pytest.mark.parametrize(
    ("calls", "names"),
    [
        ("auto", ["ask_expert", "transfer_to_billing", "refund"]),
        ("root", ["ask_expert", "transfer_to_billing"]),
        ("all", ["ask_expert", "look_up", "transfer_to_billing", "refund"]),
    ],
)
def test_whose_calls_count_is_chosen_and_tokens_count_always(calls, names):
    trajectory = HeardTrial([nested(calls)]).trajectory()
    assert [c.name for c in trajectory.calls] == names
    assert [c.step for c in trajectory.calls] == list(range(len(names)))
    assert trajectory.usage == Usage(305, 31)


def test_a_call_says_whose_it_is():
    inner = HeardTrial([nested("all")]).trajectory().calls[1]
    assert (inner.agent, inner.path, inner.notes) == ("expert", ("triage", "expert"), {"parent": "p"})


def test_handoffs_can_be_left_out():
    recorder = EventRecorder(handoffs="drop")
    handoff = ToolCall("transfer_to_billing", {}, "h", notes={"handoff": True})
    recorder.answered(calls=[handoff, call("a", "1")])
    assert [c.name for c in HeardTrial([recorder]).trajectory().calls] == ["a"]


def test_a_tool_that_was_running_when_the_agent_broke_is_an_error_with_its_reason():
    recorder = EventRecorder()
    recorder.answered(calls=[call("a", "1"), call("b", "2")])
    recorder.tool_started("k", "a", {}, "1")
    recorder.broke(ValueError("no room"))
    assert statuses(recorder) == [("a", 0, "error", "ValueError: no room"), ("b", 0, "not_run", None)]


def test_a_tool_that_was_running_when_time_was_over_is_marked_unfinished():
    recorder = EventRecorder()
    recorder.answered(calls=[call("a", "1")])
    recorder.tool_started("k", "a", {}, "1")
    recorder.broke(None)
    assert HeardTrial([recorder]).trajectory("limit", "more than 1 seconds").calls[0].notes == {
        "unfinished": True
    }


@pytest.mark.parametrize(
    ("finish", "stop"),
    [("stop", "done"), ("length", "truncated"), ("max_tokens", "truncated"), ("MAX_TOKENS", "truncated"),
     ("refusal", "refused"), ("content_filter", "filtered"), ("FinishReason.SAFETY", "filtered"), ("", "done")],
)  # fmt: skip
def test_the_last_finish_reason_decides_how_it_ended(finish, stop):
    recorder = EventRecorder()
    recorder.answered("…", finish=finish)
    assert HeardTrial([recorder]).trajectory().stop_reason == stop


def test_answers_with_unobserved_tools_are_counted():
    recorder = EventRecorder()
    recorder.answered(calls=[call("a", "1")])
    recorder.answered("done")
    assert HeardTrial([recorder]).unseen_tools == 1


events = st.lists(
    st.one_of(
        st.tuples(st.just("answer"), st.lists(st.sampled_from("abc"), max_size=3), st.integers(0, 2)),
        st.tuples(
            st.just("start"), st.integers(0, 5), st.sampled_from("abcd"), st.sampled_from(["", "1", "2"])
        ),
        st.tuples(st.just("end"), st.integers(0, 5), st.booleans()),
        st.tuples(st.just("said"), st.text(max_size=3)),
        st.tuples(st.just("told"), st.sampled_from(["", "1", "9"])),
        st.tuples(st.just("broke"), st.booleans()),
    ),
    max_size=20,
)


@given(events, st.sampled_from(["auto", "root", "all"]))
def test_any_order_of_events_gives_a_trajectory_that_can_be_stored(given_events, calls):
    """Calls are those of the answers, in order, with steps that never fall; nothing raises, everything encodes."""
    recorder = EventRecorder(calls)
    names = []
    for kind, *rest in given_events:
        if kind == "answer":
            recorder.answered("x", [call(name, str(i)) for i, name in enumerate(rest[0])], depth=rest[1])
            names += rest[0] if calls == "all" or rest[1] == 0 else []
        elif kind == "start":
            recorder.tool_started(rest[0], rest[1], {}, rest[2])
        elif kind == "end":
            recorder.tool_ended(rest[0], object(), error=rest[1])
        elif kind == "said":
            recorder.said(rest[0])
        elif kind == "told":
            recorder.asked([Message("tool", results=(ToolResult(rest[0], 1),))])
        else:
            recorder.broke(ValueError() if rest[0] else None)
    made = HeardTrial([recorder]).trajectory()
    assert [c.name for c in made.calls] == names
    assert [c.step for c in made.calls] == sorted(c.step for c in made.calls)
    assert encode(made)


def test_threads_may_tell_the_recorder_at_the_same_time():
    recorder = EventRecorder()
    recorder.answered(calls=[call("a", str(i)) for i in range(200)])

    def run(start: int) -> None:
        for i in range(start, 200, 4):
            recorder.tool_started(i, "a", {}, str(i))
            recorder.tool_ended(i, i)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [c.output for c in HeardTrial([recorder]).trajectory().calls] == list(range(200))


class Odd:
    def __str__(self) -> str:
        raise RuntimeError

    def model_dump(self, **_: Any) -> Any:
        raise RuntimeError


@pytest.mark.parametrize(
    "value", [True, None, 1.5, float("nan"), {1: {2}}, Odd(), b"x", [[]], 10**18, "\ud800"]
)
def test_any_value_becomes_plain_json(value):
    assert encode(plain(value))


def test_a_structure_that_contains_itself_ends():
    circle: list[Any] = []
    circle.append(circle)
    assert encode(plain(circle))


class MaxTurnsExceeded(Exception):  # noqa: N818
    """Named like the one of a framework: the name is all that is looked at."""


class RateLimitError(Exception):
    status_code = 429


class InternalServerError(Exception):
    status_code = 500


class ModelHTTPError(Exception):
    status_code = 400


@pytest.mark.parametrize(
    ("error", "stop"),
    [(MaxTurnsExceeded(), "limit"), (RateLimitError(), "infra_error"), (InternalServerError(), "infra_error"),
     (ModelHTTPError(), "agent_error"), (ValueError("x"), "agent_error"),
     (ExceptionGroup("g", [RateLimitError()]), "infra_error")],
)  # fmt: skip
def test_what_an_agent_raises_says_why_it_stopped(error, stop):
    assert stop_of_error(error)[0] == stop


def test_the_cause_of_an_exception_counts_too():
    try:
        try:
            raise RateLimitError
        except RateLimitError as cause:
            raise ValueError("the framework's own words") from cause
    except ValueError as error:
        assert stop_of_error(error) == ("infra_error", "ValueError: the framework's own words")


@pytest.mark.parametrize(
    ("error", "phases"),
    [
        (ConnectionResetError("gone"), ["unanswered"]),
        (TimeoutError(), ["unanswered"]),
        (ValueError("no such city"), []),
        ("no such city", []),
        (None, []),
    ],
)
def test_a_tool_that_lost_its_connection_is_noted_and_no_other(error, phases):
    recorder = EventRecorder()
    recorder.answered(calls=[ToolCall("pay", {"to": "x"}, "c1")])
    recorder.tool_started("k", "pay", {"to": "x"}, "c1")
    recorder.tool_ended("k", "told", error=error)
    assert [entry.phase for entry in HeardTrial([recorder]).trajectory().ledger] == phases


def test_a_tool_that_ran_before_its_answer_was_noted_belongs_to_it():
    recorder = EventRecorder()
    recorder.tool_started("x", "a", {}, "1")
    recorder.tool_ended("x", "A")
    recorder.tool_started("y", "b", {}, "2")
    recorder.answered(calls=[call("a", "1"), call("b", "2")])
    recorder.tool_ended("y", "B")
    assert statuses(recorder) == [("a", 0, "ok", "A"), ("b", 0, "ok", "B")]


def test_an_answer_that_comes_in_parts_is_one_step_and_counted_once():
    recorder = EventRecorder()
    answer = recorder.answered("Let me ", [call("a", "1")], usage=Usage(10, 1), depth=1, parent="p")
    recorder.tool_started("x", "a", {}, "1")
    recorder.tool_ended("x", "A")
    recorder.extend_answer(answer, "see.", [call("b", "2")], Usage(10, 3))
    trajectory = HeardTrial([recorder]).trajectory()
    assert trajectory.calls == () and (trajectory.usage.input_tokens, trajectory.usage.output_tokens) == (
        10,
        3,
    )
    assert answer.text == "Let me see." and [seen.notes["parent"] for seen in answer.calls] == ["p", "p"]


def test_the_call_by_which_a_model_answers_is_no_call():
    recorder = EventRecorder()
    recorder.answered(calls=[call("Trip", "1", city="Hanoi"), call("a", "2")])
    recorder.tool_started("x", "a", {}, "2")
    recorder.tool_ended("x", "A")
    recorder.drop_answer_calls("Trip")
    assert statuses(recorder) == [("a", 0, "ok", "A")]


def test_a_limit_that_forced_an_answer_is_the_stop_reason_of_that_turn_only():
    recorder = EventRecorder()
    recorder.said("one")
    recorder.answered("forced")
    recorder.note_limit("max_iter")
    assert (HeardTrial([recorder]).trajectory().stop_reason, HeardTrial([recorder]).trajectory().error) == (
        "limit",
        "max_iter",
    )
    recorder.said("two")
    recorder.answered("free")
    assert HeardTrial([recorder]).trajectory().stop_reason == "done"


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)) | st.none(), max_size=5),
)
def test_tokens_are_unknown_only_when_no_answer_reports_any(reported):
    recorder = EventRecorder()
    for usage in reported:
        recorder.answered("x", usage=Usage(*usage) if usage else None)
    usage = HeardTrial([recorder]).trajectory().usage
    known = [one for one in reported if one]
    unknown = reported and not known
    assert usage.input_tokens == (None if unknown else sum(one[0] for one in known))
    assert usage.output_tokens == (None if unknown else sum(one[1] for one in known))


def with_client() -> tuple[EventRecorder, EventRecorder]:
    """A framework's recorder, and that of the client by which it asks."""
    framework = EventRecorder()
    return framework, EventRecorder(role="below", shared=framework.shared)


def test_the_client_below_knows_tokens_and_finish_reasons_that_a_framework_drops():
    framework, client = with_client()
    framework.answered(calls=[call("a", "1")], usage=Usage(10, 1))
    framework.answered("It is 31 degr", usage=Usage(20, 2))
    client.answered(calls=[call("a", "1")], usage=Usage(10, 1, cached_tokens=5))
    client.answered("It is 31 degr", usage=Usage(20, 2, cached_tokens=15), finish="length")
    client.answered("a request that no hook shows", usage=Usage(7, 7))
    trajectory = HeardTrial([framework, client]).trajectory()
    assert trajectory.stop_reason == "truncated"
    assert trajectory.usage == Usage(37, 10, cached_tokens=20)


def test_a_client_that_received_only_some_answers_does_not_count():
    framework, client = with_client()
    for text in ("one", "two"):
        framework.answered(text, usage=Usage(10, 1))
    client.answered("two", usage=Usage(10, 1, cached_tokens=5), finish="length")
    assert HeardTrial([framework, client]).trajectory().usage == Usage(20, 2)


def test_an_agent_that_raises_because_an_answer_was_cut_off_is_truncated():
    framework, client = with_client()
    client.answered("It is 31 degr", usage=Usage(1, 1), finish="max_output_tokens")
    assert HeardTrial([framework, client]).trajectory("agent_error", "incomplete").stop_reason == "truncated"
    framework.answered(calls=[call("a", "1")], finish="length")
    assert HeardTrial([framework]).trajectory("agent_error", "incomplete").stop_reason == "truncated"
    framework.tool_started("x", "a", {}, "1")
    framework.tool_ended("x", error=ValueError("no room"))
    assert HeardTrial([framework]).trajectory("agent_error", "no room").stop_reason == "agent_error"


class Place(msgspec.Struct):
    city: str
    since: datetime.date


class Size(enum.Enum):
    SMALL = "small"


def test_structured_answers_of_any_library_are_their_json():
    recorder = EventRecorder()
    recorder.finished({"place": Place("Hue", datetime.date(2026, 1, 2)), "size": Size.SMALL})
    assert (
        HeardTrial([recorder]).trajectory().output
        == '{"place":{"city":"Hue","since":"2026-01-02"},"size":"small"}'
    )
