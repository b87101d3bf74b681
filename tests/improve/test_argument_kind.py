"""The kind of a wrong argument, decided by values alone."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from rightcall.improve.argument_kind import Setting, argument_kind, is_held, is_unit_error

REQUEST = "Move $40 from Ada to Ben by March 3rd, 2027, really pressing; wait 2 hours"

UNITS = [
    (120, 2), (180, 3), (7200, 2), (86400, 1), (48, 2), (14, 2), (168, 1), (1440, 1), (24, 2), (500, 5), (2000, 2),
    (2048, 2), (1_000_000, 1), (22.046, 10), (16.093, 10), (3.048, 10), (25.4, 10), (28.35, 1), (68.0, 20),
    ("90 min", 90), (1.5, "1.5 h"), (100, "100kg"),
]  # fmt: skip
DATES = [
    ("2027-03-03", "March 3rd, 2027"), ("2027-03-03", "3 March 2027"), ("2027-03-03", "03/03/2027"),
    ("2027-03-03", "2027/3/3"), ("2027-03-03", "tomorrow"), ("2027-03-03", "next Friday"), ("2027-03-03", "March 3"),
    ("2027-05-21", "21.05.2027"), ("2027-05-21", "20270521"), ("2027-05-21", "21st of May, 2027"),
]  # fmt: skip
SPELLINGS = [
    ("New York", "new york"), ("New York", "NewYork"), ("São Paulo", "Sao Paulo"), ("a-b", "a b"), ("ID 7", "id-7"),
    ("O'Neil", "ONeil"), ("EUR", "eur"), ("café", "CAFE"),
]  # fmt: skip
TYPES = [
    (5, "5"), ("5", 5), (True, "true"), ("false", False), (2.0, "2"), ("x", ["x"]), (["x"], "x"), (7, ["7"][:0] or "7"),
    (None, "null"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "expected", "actual"),
    [("unit", *pair) for pair in UNITS]
    + [("unit", two, one) for one, two in UNITS]
    + [("date", *pair) for pair in DATES]
    + [("spelling", *pair) for pair in SPELLINGS]
    + [("spelling", two, one) for one, two in SPELLINGS]
    + [("type", *pair) for pair in TYPES if pair[0] is not None],
)
def test_the_kind_follows_from_the_two_values(kind, expected, actual):
    assert argument_kind("wrong_value", expected, actual) == kind


def test_values_of_other_parameters_are_swapped_or_foreign():
    others = {"source": "Ada", "target": "Ben"}
    swapped = Setting("source", others, {"source": "Ben", "target": "Ada"})
    foreign = Setting("source", others, {"source": "Ben", "target": "Ben"})
    assert argument_kind("wrong_value", "Ada", "Ben", swapped) == "swapped"
    assert argument_kind("wrong_value", "Ada", "Ben", foreign) == "foreign"


def test_words_of_the_request_are_copied_and_others_invented():
    setting = Setting("level", words=REQUEST)
    assert argument_kind("wrong_value", "high", "really pressing", setting) == "copied"
    assert argument_kind("wrong_value", "high", "sometime", setting) == "invented"
    assert (
        argument_kind("wrong_value", "high", "low", Setting("level", enum=["high", "low"]))
        == "enum_neighbour"
    )


@pytest.mark.parametrize(
    ("value", "held"),
    [("Ada", True), ("Ben", True), ("2027-03-03", True), (40, True), (120, True), ("M", False), ("really pressing", True),
     ("Cy", False), (41, False), ("2027-03-04", False), ({"regex": "x"}, True)],
)  # fmt: skip
def test_what_can_be_read_off_a_request_is_held(value, held):
    assert is_held(value, REQUEST + " and save money") is held


@given(st.floats(1e-6, 1e9), st.floats(1e-6, 1e9))
def test_units_are_symmetric_and_equal_numbers_are_not_an_error(one, two):
    assert is_unit_error(one, two) == is_unit_error(two, one)
    assert not is_unit_error(one, one)


@given(st.dates(), st.dates())
def test_a_date_is_never_a_unit(one, two):
    assert argument_kind("wrong_value", one.isoformat(), two.isoformat()) != "unit"
