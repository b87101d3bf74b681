"""What each operator makes of a call, and whether that is provably wrong: both directions of every rule."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rightcall.core.errors import ConfigError
from rightcall.model import ConversationalGolden, ExpectedCall, Golden, ToolCall, Trajectory
from rightcall.model.approval import Approval
from rightcall.run.rehearsal.values import stands_in
from rightcall.wings.audit.mutation import operators, select_operators
from tests.wings.audit.shop import call, mutants, trajectory

ORDER = {"orders": [{"id": "A-17", "total": 30}, {"id": "B-23", "total": 8}]}


def golden(text: str, *tools: str, **fields: Any) -> Golden:
    return Golden(text, id="g", expected_calls=[ExpectedCall(tool) for tool in tools], **fields)


ROWS: list[tuple[str, str, ToolCall, str, Any, str | None]] = [
    # operator, request, call, parameter, value of the mutant, certainty (None: not made)
    ("other_id", "Cancel A-17", call("cancel_order", order_id="A-17"), "order_id", "A-18", "sure"),
    ("other_id", "Cancel it", call("cancel_order", order_id="A-19"), "order_id", "A-10", "sure"),
    ("other_id", "Cancel the blue one", call("cancel_order", order_id="the blue one"), "order_id", None, None),
    ("other_id", "Mail a@b.c", call("send_email", to="a@b.c", subject="Hi"), "to", None, None),
    ("other_id", "Weather of Hue 9", call("get_weather", city="Hue 9"), "city", None, None),
    ("enum_neighbour", "It is late", call("cancel_order", order_id="A", reason="late"), "reason", "broken", "sure"),
    ("enum_neighbour", "It", call("cancel_order", order_id="A", reason="other"), "reason", "late", "sure"),
    ("enum_neighbour", "It", call("cancel_order", order_id="A", reason="lost"), "reason", None, None),
    ("off_by_one", "Alarm in 20 minutes", call("set_alarm", minutes=20), "minutes", 21, "sure"),
    ("off_by_one", "Alarm soon", call("set_alarm", minutes=20), "minutes", 21, "maybe"),
    ("off_by_one", "Refund 12.5 of A-1", call("refund_order", order_id="A-1", amount=12.5), "amount", 13.5, "sure"),
    ("off_by_one", "Pay 1,250 for A-1", call("refund_order", order_id="A-1", amount=1250), "amount", 1251, "sure"),
    ("off_by_one", "Alarm", call("set_alarm", minutes=5, loud=True), "loud", None, None),
    ("other_unit", "Alarm in 20 minutes", call("set_alarm", minutes=20), "minutes", 1200, "sure"),
    ("other_unit", "Refund 12 of A-1", call("refund_order", order_id="A-1", amount=12), "amount", 1200, "sure"),
    ("other_unit", "It is 20", call("get_weather", city="Hue", temperature=20), "temperature", 68, "sure"),
    ("other_unit", "Alarm soon", call("set_alarm", minutes=20), "minutes", 1200, "maybe"),
    ("other_unit", "Alarm at 0", call("set_alarm", minutes=0), "minutes", None, None),
    ("next_day", "Fly 2027-03-03", call("book_flight", date="2027-03-03"), "date", "2027-03-04", "sure"),
    ("next_day", "Fly on March 3, 2027", call("book_flight", date="2027-03-03"), "date", "2027-03-04", "sure"),
    ("next_day", "Fly tomorrow", call("book_flight", date="2027-03-03"), "date", "2027-03-04", "maybe"),
    ("next_day", "x", call("book_flight", date="2027-03-03T10:00:00Z"), "date", "2027-03-03T11:00:00Z", "maybe"),
    ("next_day", "x", call("book_flight", date="9999-12-31"), "date", None, None),
    ("next_day", "x", call("book_flight", date="soon"), "date", None, None),
    ("other_value", "Weather of Hanoi", call("get_weather", city="Hanoi"), "city", "Paris", "sure"),
    ("other_value", "Weather here", call("get_weather", city="Hanoi"), "city", None, None),
    ("other_value", "Weather of old Paris", call("get_weather", city="old Paris"), "city", None, None),
    ("truncate_list", "Tags red, blue", call("book_flight", tags=["red", "blue"]), "tags", ["red"], "sure"),
    ("truncate_list", "Tags red", call("book_flight", tags=["red", "blue"]), "tags", ["red"], "maybe"),
    ("truncate_list", "Tags red", call("book_flight", tags=["red"]), "tags", None, None),
    ("flip_flag", "Notify me", call("refund_order", order_id="A-1", amount=1, notify=True), "notify", False, "maybe"),
    ("flip_flag", "Notify", call("refund_order", order_id="A-1", amount=1, notify=False), "notify", True, "maybe"),
    ("flip_flag", "One", call("refund_order", order_id="A-1", amount=1), "notify", None, None),
    ("drop_stated", "Volume 8", call("set_alarm", minutes=1, volume=8), "volume", None, "sure"),
    ("drop_stated", "Loud", call("set_alarm", minutes=1, volume=8), "volume", None, "maybe"),
    ("drop_stated", "Volume 5", call("set_alarm", minutes=1, volume=5), "volume", "never", None),
    ("drop_stated", "Limit 3 for a@b.c", call("list_orders", email="a@b.c", limit=3), "limit", None, "sure"),
    ("drop_stated", "Limit 10 for a@b.c", call("list_orders", email="a@b.c", limit=10), "limit", "never", None),
    ("drop_stated", "x", call("set_alarm", minutes=1), "minutes", "never", None),
    ("swap_args", "Hue to Rome", call("book_flight", from_city="Hue", to_city="Rome"), "from_city, to_city",
     ["Rome", "Hue"], "sure"),
    ("swap_args", "Add 2 and 3", call("add", a=2, b=3), "a, b", [3, 2], "maybe"),
    ("swap_args", "Add 2 and 2", call("add", a=2, b=2), "a, b", None, None),
    ("invalid_call", "Alarm", call("set_alarm", minutes=1), "minutes", None, "sure"),
]  # fmt: skip


@pytest.mark.parametrize(("operator", "request_text", "made", "parameter", "after", "certainty"), ROWS)
def test_values(
    operator: str, request_text: str, made: ToolCall, parameter: str, after: Any, certainty: str | None
) -> None:
    others = [call("get_weather", city="Paris")]
    found = [
        mutant
        for mutant in mutants(
            golden(request_text, made.name), trajectory(made), operators=[operator], others=others
        )
        if mutant.parameter == parameter
    ]
    if certainty is None:
        assert found == []
        return
    assert [mutant.certainty for mutant in found if mutant.after == after] == [certainty]


FIND, REFUND = (
    call("find_order", _output=ORDER, order_id="x"),
    call("refund_order", order_id="A-17", amount=30),
)


def only(operator: str, g: Golden | ConversationalGolden, *good: Trajectory) -> list[tuple[str, str, str]]:
    return sorted(
        (mutant.tool, mutant.certainty, mutant.harm) for mutant in mutants(g, *good, operators=[operator])
    )


def test_calls_left_out_repeated_and_added() -> None:
    g, good = golden("Refund it", "find_order", "refund_order"), trajectory(FIND, REFUND)
    assert only("do_nothing", g, good) == [("", "sure", "missed")]
    assert only("do_nothing", Golden("Hi", id="g", category="negative"), trajectory()) == []
    assert only("drop_call", g, good) == [
        ("find_order", "sure", "missed"),
        ("refund_order", "sure", "missed"),
    ]
    shorter = trajectory(REFUND)
    dropped = {tool for tool, *_ in only("drop_call", g, good, shorter)}
    assert dropped == {"refund_order"}  # without find_order it is the other right behaviour
    optional = Golden("Refund it", id="g", expected_calls=[ExpectedCall("find_order", required=False), ExpectedCall("refund_order")])  # fmt: skip
    assert ("find_order", "maybe", "missed") in only("drop_call", optional, good)
    by_outcome = Golden("Refund it", id="g", max_calls=9)
    assert only("drop_call", by_outcome, good) == [
        ("find_order", "maybe", "missed"),
        ("refund_order", "sure", "missed"),
    ]
    assert only("repeat_call", g, good) == [
        ("find_order", "maybe", "waste"),
        ("refund_order", "sure", "double_effect"),
    ]
    update = call("set_alarm", minutes=5)
    assert only("repeat_call", golden("Alarm in 5", "set_alarm"), trajectory(update)) == [
        ("set_alarm", "maybe", "waste")
    ]
    added = only("extra_call", g, good)
    assert {certainty for _, certainty, harm in added if harm == "extra_effect"} == {"sure"}
    assert {certainty for _, certainty, harm in added if harm == "waste"} <= {"maybe"}
    siblings = only("sibling_tool", g, good)
    assert siblings and all(certainty == "sure" for _, certainty, _ in siblings)
    either = Golden("Find it", id="g", expected_calls=[ExpectedCall(("find_order", "cancel_order"))])
    assert ("cancel_order", "sure", "extra_effect") not in only("sibling_tool", either, trajectory(FIND))


def test_values_of_results() -> None:
    g, good = golden("Refund my first order", "find_order", "refund_order"), trajectory(FIND, REFUND)
    stale = mutants(g, good, operators=["stale_ref"])
    assert {(m.parameter, m.before, m.after) for m in stale} == {
        ("order_id", "A-17", "B-23"), ("amount", 30, 8)
    }  # fmt: skip
    assert {m.harm for m in stale} == {"wrong_object"}
    invented = mutants(g, good, operators=["invented_ref"])
    assert {(m.parameter, m.after) for m in invented} == {("order_id", "A-18"), ("amount", 31)}
    said = golden("Refund A-17 with 30", "find_order", "refund_order")
    assert mutants(said, good, operators=["stale_ref", "invented_ref"]) == []
    assert [m.certainty for m in mutants(g, good, operators=["skip_lookup"])] == ["maybe"]
    after = Golden("Refund my first order", id="g", expected_calls=[
        ExpectedCall("find_order", id="find"), ExpectedCall("refund_order", after=["find"])])  # fmt: skip
    assert [m.certainty for m in mutants(after, good, operators=["skip_lookup"])] == ["sure"]
    assert [m.certainty for m in mutants(after, good, operators=["wrong_order"])] == ["sure"]
    assert [m.certainty for m in mutants(g, good, operators=["wrong_order"])] == ["maybe"]
    strict = golden("x", "find_order", "refund_order", order="strict")
    assert [m.certainty for m in mutants(strict, good, operators=["wrong_order"])] == ["sure"]


def test_answers_consent_and_worlds() -> None:
    told = trajectory(FIND, output="The total is 30 euros.")
    asked = golden("Total?", "find_order", output_contains=["30"])
    assert [m.certainty for m in mutants(asked, told, operators=["no_content"])] == ["sure"]
    assert [m.certainty for m in mutants(golden("Total?", "find_order"), told, operators=["no_content"])] == [
        "maybe"
    ]
    (changed,) = mutants(asked, told, operators=["wrong_content"])
    assert (changed.certainty, changed.trajectory.output) == ("sure", "The total is 31 euros.")
    assert [
        m.certainty for m in mutants(golden("Is it 30?", "find_order"), told, operators=["wrong_content"])
    ] == ["maybe"]
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
    assert len(operators()) == 25


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
