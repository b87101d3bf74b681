"""What each operator makes of a call, and whether that is provably wrong: both directions of every rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rightcall.core.errors import ConfigError
from rightcall.limbs.audit.mutation import operators, select_operators
from rightcall.records import ConversationalGolden, ExpectedCall, Golden, ToolCall, Trajectory
from rightcall.records.approval import Approval
from rightcall.run.rehearsal.values import stands_in
from tests.limbs.audit.shop import call, mutants, trajectory

ORDER = {"orders": [{"id": "A-17", "total": 30}, {"id": "B-23", "total": 8}]}


def golden(text: str, *tools: str, **fields: Any) -> Golden:
    return Golden(text, id="g", expected_calls=[ExpectedCall(tool) for tool in tools], **fields)


def flight(**arguments: Any) -> ToolCall:
    """A flight from Hue to Rome that the tool would accept."""
    return call("book_flight", **{"from_city": "Hue", "to_city": "Rome", "date": "2027-03-03"} | arguments)


ROWS: list[tuple[str, str, ToolCall, str, Any, bool]] = [
    # operator, request, call, parameter, value of the mutant, whether it is planted
    ("other_id", "Cancel A-17", call("cancel_order", order_id="A-17"), "order_id", "A-18", True),
    ("other_id", "Cancel it", call("cancel_order", order_id="A-19"), "order_id", "A-10", True),
    ("other_id", "Cancel the blue one", call("cancel_order", order_id="the blue one"), "order_id", None, False),
    ("other_id", "Mail a@b.c", call("send_email", to="a@b.c", subject="Hi"), "to", None, False),
    ("other_id", "Weather of Hue 9", call("get_weather", city="Hue 9"), "city", None, False),
    ("enum_neighbour", "It is late", call("cancel_order", order_id="A", reason="late"), "reason", "broken", True),
    ("enum_neighbour", "It", call("cancel_order", order_id="A", reason="other"), "reason", "late", True),
    ("enum_neighbour", "It", call("cancel_order", order_id="A", reason="lost"), "reason", None, False),
    ("off_by_one", "Alarm in 20 minutes", call("set_alarm", minutes=20), "minutes", 21, True),
    ("off_by_one", "Alarm soon", call("set_alarm", minutes=20), "minutes", 21, False),
    ("off_by_one", "Refund 12.5 of A-1", call("refund_order", order_id="A-1", amount=12.5), "amount", 13.5, True),
    ("off_by_one", "Pay 1,250 for A-1", call("refund_order", order_id="A-1", amount=1250), "amount", 1251, True),
    ("off_by_one", "Alarm", call("set_alarm", minutes=5, loud=True), "loud", None, False),
    ("other_unit", "Alarm in 20 minutes", call("set_alarm", minutes=20), "minutes", 1200, True),
    ("other_unit", "Refund 12 of A-1", call("refund_order", order_id="A-1", amount=12), "amount", 1200, True),
    ("other_unit", "It is 20", call("get_weather", city="Hue", temperature=20), "temperature", 68, True),
    ("other_unit", "Alarm soon", call("set_alarm", minutes=20), "minutes", 1200, False),
    ("other_unit", "Alarm at 0", call("set_alarm", minutes=0), "minutes", None, False),
    ("next_day", "Fly 2027-03-03", flight(date="2027-03-03"), "date", "2027-03-04", True),
    ("next_day", "Fly on March 3, 2027", flight(date="2027-03-03"), "date", "2027-03-04", True),
    ("next_day", "Fly tomorrow", flight(date="2027-03-03"), "date", "2027-03-04", False),
    ("next_day", "x", flight(date="2027-03-03T10:00:00Z"), "date", "2027-03-03T11:00:00Z", False),
    ("next_day", "x", flight(date="9999-12-31"), "date", None, False),
    ("next_day", "x", flight(date="soon"), "date", None, False),
    ("other_value", "Weather of Hanoi", call("get_weather", city="Hanoi"), "city", "Paris", True),
    ("other_value", "Weather here", call("get_weather", city="Hanoi"), "city", None, False),
    ("other_value", "Weather of old Paris", call("get_weather", city="old Paris"), "city", None, False),
    ("truncate_list", "Tags red, blue", flight(tags=["red", "blue"]), "tags", ["red"], True),
    ("truncate_list", "Tags red", flight(tags=["red", "blue"]), "tags", ["red"], False),
    ("truncate_list", "Tags red", flight(tags=["red"]), "tags", None, False),
    ("flip_flag", "Notify me", call("refund_order", order_id="A-1", amount=1, notify=True), "notify", False, False),
    ("flip_flag", "Notify", call("refund_order", order_id="A-1", amount=1, notify=False), "notify", True, False),
    ("flip_flag", "One", call("refund_order", order_id="A-1", amount=1), "notify", None, False),
    ("drop_stated", "Volume 8", call("set_alarm", minutes=1, volume=8), "volume", None, True),
    ("drop_stated", "Loud", call("set_alarm", minutes=1, volume=8), "volume", None, False),
    ("drop_stated", "Volume 5", call("set_alarm", minutes=1, volume=5), "volume", "never", False),
    ("drop_stated", "Limit 3 for a@b.c", call("list_orders", email="a@b.c", limit=3), "limit", None, True),
    ("drop_stated", "Limit 10 for a@b.c", call("list_orders", email="a@b.c", limit=10), "limit", "never", False),
    ("drop_stated", "x", call("set_alarm", minutes=1), "minutes", "never", False),
    ("swap_args", "Hue to Rome", flight(from_city="Hue", to_city="Rome"), "from_city, to_city",
     ["Rome", "Hue"], True),
    ("swap_args", "Add 2 and 3", call("add", a=2, b=3), "a, b", [3, 2], False),
    ("swap_args", "Add 2 and 2", call("add", a=2, b=2), "a, b", None, False),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "request_text", "made", "parameter", "after", "planted"), ROWS)
def test_values(
    operator: str, request_text: str, made: ToolCall, parameter: str, after: Any, planted: bool
) -> None:
    others = [call("get_weather", city="Paris")]
    found = [
        mutant
        for mutant in mutants(
            golden(request_text, made.name), trajectory(made), operators=[operator], others=others
        )
        if mutant.parameter == parameter
    ]
    if not planted:
        assert found == []
        return
    assert [mutant.after for mutant in found].count(after) == 1


FIND = call("find_order", _output=ORDER, order_id="x")
REFUND = call("refund_order", order_id="A-17", amount=30)


def only(operator: str, g: Golden | ConversationalGolden, *good: Trajectory) -> list[tuple[str, str]]:
    return sorted((mutant.tool, mutant.harm) for mutant in mutants(g, *good, operators=[operator]))


def test_calls_left_out_repeated_and_added() -> None:
    g = golden("Refund it", "find_order", "refund_order")
    good = trajectory(FIND, REFUND)
    assert only("do_nothing", g, good) == [("", "missed")]
    assert only("do_nothing", Golden("Hi", id="g", category="negative"), trajectory()) == []
    assert only("drop_call", g, good) == [("find_order", "missed"), ("refund_order", "missed")]
    shorter = trajectory(REFUND)
    dropped = {tool for tool, *_ in only("drop_call", g, good, shorter)}
    assert dropped == {"refund_order"}  # without find_order it is the other right behaviour
    optional = Golden("Refund it", id="g", expected_calls=[ExpectedCall("find_order", required=False), ExpectedCall("refund_order")])  # fmt: skip
    assert only("drop_call", optional, good) == [("refund_order", "missed")]
    by_outcome = Golden("Refund it", id="g", max_calls=9)
    assert only("drop_call", by_outcome, good) == [("refund_order", "missed")]
    assert only("repeat_call", g, good) == [("refund_order", "double_effect")]
    update = call("set_alarm", minutes=5)
    assert only("repeat_call", golden("Alarm in 5", "set_alarm"), trajectory(update)) == []
    added = only("extra_call", g, good)
    assert added and {harm for _, harm in added} == {"extra_effect"}
    assert {"get_weather", "list_orders"}.isdisjoint(tool for tool, _ in added)
    assert only("sibling_tool", g, good)
    either = Golden("Find it", id="g", expected_calls=[ExpectedCall(("find_order", "cancel_order"))])
    assert ("cancel_order", "extra_effect") not in only("sibling_tool", either, trajectory(FIND))


def test_values_of_results() -> None:
    g = golden("Refund my first order", "find_order", "refund_order")
    good = trajectory(FIND, REFUND)
    stale = mutants(g, good, operators=["stale_ref"])
    assert {(m.parameter, m.before, m.after) for m in stale} == {
        ("order_id", "A-17", "B-23"), ("amount", 30, 8)
    }  # fmt: skip
    assert {m.harm for m in stale} == {"wrong_object"}
    invented = mutants(g, good, operators=["invented_ref"])
    assert {(m.parameter, m.after) for m in invented} == {("order_id", "A-18"), ("amount", 31)}
    said = golden("Refund A-17 with 30", "find_order", "refund_order")
    assert mutants(said, good, operators=["stale_ref", "invented_ref"]) == []
    assert only("skip_lookup", g, good) == only("wrong_order", g, good) == []
    after = Golden("Refund my first order", id="g", expected_calls=[
        ExpectedCall("find_order", id="find"), ExpectedCall("refund_order", after=["find"])])  # fmt: skip
    assert only("skip_lookup", after, good) == [("find_order", "order")]
    assert len(only("wrong_order", after, good)) == 1
    strict = golden("x", "find_order", "refund_order", order="strict")
    assert len(only("wrong_order", strict, good)) == 1


def test_answers_consent_and_worlds() -> None:
    told = trajectory(FIND, output="The total is 30 euros.")
    asked = golden("Total?", "find_order", output_contains=["30"])
    assert len(only("no_content", asked, told)) == 1
    assert only("no_content", golden("Total?", "find_order"), told) == []
    (changed,) = mutants(asked, told, operators=["wrong_content"])
    assert changed.trajectory.output == "The total is 31 euros."
    assert only("wrong_content", golden("Is it 30?", "find_order"), told) == []
    careful = Trajectory(
        calls=[
            ToolCall(
                "refund_order", {"order_id": "A", "amount": 1}, status="ok", approval=Approval("approved")
            )
        ]
    )
    consent = golden("Refund", "refund_order", confirm=["refund_order"])
    assert [m.harm for m in mutants(consent, careful, operators=["skip_confirmation"])] == ["wrong_effect"]
    assert mutants(golden("Refund", "refund_order"), careful, operators=["skip_confirmation"]) == []
    world = Trajectory(calls=[REFUND], state_before={"shop": {"n": 0}}, state={"shop": {"n": 1}})
    (lost,) = mutants(golden("x", "refund_order"), world, operators=["world_not_reached"])
    assert lost.trajectory.state == {"shop": {"n": 0}}
    assert mutants(golden("x", "refund_order"), trajectory(REFUND), operators=["world_not_reached"]) == []


def test_unknown_operators_are_refused_by_name() -> None:
    with pytest.raises(ConfigError, match="no operator is called 'drop_cal'; did you mean 'drop_call'"):
        select_operators(["drop_cal"])
    assert select_operators(["drop_call"]) == ("drop_call",)
    assert len(operators()) == 24


def test_every_operator_is_documented() -> None:
    page = Path("docs/audit.md").read_text("utf-8")
    assert [name for name in operators() if f"`{name}`" not in page] == []


@pytest.mark.parametrize(
    ("value", "text", "stands"),
    [
        (12, "Refund 12.50 of order A-17.", False),
        ("12", "Refund 12.50 of order A-17.", False),
        (12.5, "Refund 12.50 of order A-17.", True),
        (17, "Refund 12.50 of order A-17.", False),
        ("A-17", "Refund 12.50 of order A-17.", True),
        (10, "Between 5-10 people", True),
        (1000, "It costs 1,000 euros.", True),
        ("1", "It costs 1,000 euros.", False),
        (-3, "It is -3 degrees.", True),
        (3, "Room 3, please.", True),
    ],
)
def test_a_part_of_a_number_or_of_a_name_does_not_stand_in_a_text(value: object, text: str, stands: bool):
    assert stands_in(value, text) is stands
