"""Every number, identifier, date and name of an answer comes from a result, the request or the context."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings, strategies as st

from rightcall import Golden, TestCase, ToolCall, Trajectory
from rightcall.metrics.builtin.dialogue import GroundedValues
from tests.support.examples import examples

FLIGHTS = {"flights": [
    {"id": "LH-1204", "price": 1200.0, "departs": "2026-11-20T19:30", "airline": "Lufthansa", "seats": 4},
    {"id": "BA-77", "price": 949.5, "departs": "2026-11-21T07:00", "airline": "British Airways", "seats": 9},
]}  # fmt: skip
REQUEST = "Find flights from Hamburg to Lisbon for 3 people, and tell Ms Okonjo"


def score(answer: str, output=FLIGHTS, request=REQUEST, arguments=None, **options):
    call = ToolCall("search", arguments or {"from": "HAM"}, status="ok", output=output)
    case = TestCase(
        Golden(request, context=["The budget is 5,000 euros."]), Trajectory(calls=(call,), output=answer)
    )
    return GroundedValues(**options).measure(case)


GROUNDED = [
    "The cheaper one is BA-77 at $949.50.",
    "It is 949.5 euros.", "It costs about 950 euros.", "It costs €950.", "LH-1204 costs 1,200 euros.", "LH-1204 costs 1.2k.",
    "There are 2 flights.", "Both together cost 2,149.50.", "For 3 people, LH-1204 at 1,200 is 3,600 in all.",
    "It leaves on November 20 at 7:30 pm.", "It leaves on 20 Nov 2026 at 19:30.", "It leaves at 7 am on 11/21/2026.",
    "The difference is 250.50 euros.", "LH-1204 at 1200 is 24 % of the budget of 5000.",
    "I told Ms Okonjo about the flight with British Airways.", "They fly from Hamburg to Lisbon.",
    "1. LH-1204\n2. BA-77\n3. Nothing else", "Step 1: search. I found flights on Friday.", "Sorry, nothing found.",
    "Our desk is open 24/7, and I am 100 % sure about BA-77.", "A 1,200-euro fare.",
    "13 seats are left in total.", "The 1st option is a 2-way ticket.",
    "Die Flüge nach Lissabon kosten 1200 Euro, und Frau Okonjo weiß Bescheid über Abflug und Ankunft.",
]  # fmt: skip
UNGROUNDED = {
    "It costs 930 euros.": "number 930",
    "LH-1205 costs 1,200 euros.": "id LH-1205",
    "It leaves on November 22.": "date 11-22",
    "It leaves on 2026-12-20.": "date 2026-12-20",
    "It leaves at 18:30.": "number 18:30",
    "I booked it for you with Ryanair today.": "name Ryanair",
    "I told Mr Adeyemi Brown about the flight.": "name",
    "Write to help@example.com for more.": "id help@example.com",
    "LH-1204 costs 1.4k.": "number 1.4k",
    "Call +49 40 555 01 99 for more.": "id +49 40 555 01 99",
    "There are 7 flights.": "number 7",
    "It costs about 1,500 euros.": "number 1,500",
}


@pytest.mark.parametrize("answer", GROUNDED)
def test_what_was_told_or_follows_is_grounded(answer):
    assert score(answer).passed, score(answer).reason


@pytest.mark.parametrize("answer", UNGROUNDED)
def test_what_stands_nowhere_is_named(answer):
    result = score(answer)
    assert not result.passed and UNGROUNDED[answer] in result.reason


def test_a_day_that_a_call_resolved_from_the_request_is_grounded():
    asked = {"request": "Any flights tomorrow?", "arguments": {"date": "2026-12-24"}}
    assert score("Yes, on December 24.", **asked).passed
    assert not score("Yes, on December 25.", **asked).passed
    assert not score("Yes, on December 24.", **(asked | {"request": "Any flights?"})).passed


def test_kinds_allowed_texts_and_threshold():
    answer = "LH-1204 costs 930 euros with Ryanair today."
    assert score(answer, kinds=("id",)).passed
    assert score(answer, allow=("930", "Ryanair")).passed
    result = score(answer, threshold=0.3)
    assert result.passed and result.value == pytest.approx(1 / 3)


def test_an_answer_without_values_passes_and_no_answer_is_an_error():
    assert score("I could not find any.").passed
    assert score("   ").error == "there is no answer"


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(11, 10**7), st.sampled_from(["{:,}", "{}", "${:,}.00", "{} €"]))
def test_a_number_of_a_result_is_grounded_however_it_is_written(number, form):
    assert score(f"It costs {form.format(number)} now.", output={"price": number}).passed


@settings(max_examples=examples(60), deadline=None)
@given(
    st.text(max_size=200),
    st.recursive(st.none() | st.floats() | st.text(max_size=20), lambda x: st.lists(x, max_size=3)),
)
def test_hostile_answers_and_results_never_raise(answer, output):
    score(answer + " 12", output=output)


@pytest.mark.parametrize("unit", ["1,", "A1-", "Aa ", "12:30 ", "about ", "a@", "\u00a0000 7"])
def test_long_answers_take_no_time(unit):
    begun = time.process_time()
    score(unit * (100_000 // len(unit)), output=[{"n": i} for i in range(5_000)])
    assert time.process_time() - begun < 2


def test_invented_values_are_found_and_others_are_not():
    from benchmarks.grounded import measure

    figures = measure(answers=200, seed=7)
    assert figures["false alarms"] == 0 and figures["flagged"] >= 0.95 * figures["planted"]
