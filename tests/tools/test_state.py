from __future__ import annotations

from hypothesis import given, strategies as st

from rightcall.tools.worlds.state import StateDifference, state_differences, state_faults

BEFORE = {"accounts": {"a": {"balance": 10}, "b": {"balance": 0}}, "log": []}


def test_every_difference_is_reported_with_its_path():
    after = {"accounts": {"a": {"balance": 9, "note": "x"}}, "log": [1]}
    assert state_differences(BEFORE, after) == [
        StateDifference("accounts.a.balance", "wrong", 10, 9),
        StateDifference("accounts.a.note", "unexpected", None, "x"),
        StateDifference("accounts.b", "missing", {"balance": 0}),
        StateDifference("log[0]", "unexpected", None, 1),
    ]


def test_what_is_expected_must_hold_and_the_rest_must_be_as_it_was():
    expected = {"accounts": {"b": {"balance": 5}}}
    good = {"accounts": {"a": {"balance": 10}, "b": {"balance": 5}}, "log": []}
    assert state_faults(BEFORE, good, expected) == []
    bad = {"accounts": {"a": {"balance": 5}, "b": {"balance": 5}, "c": {}}, "log": []}
    assert {str(d) for d in state_faults(BEFORE, bad, expected)} == {
        "accounts.a.balance is 5, expected 10",
        "accounts.c was not expected, found {}",
    }


def test_what_vanished_is_missed():
    after = {"accounts": {"a": {"balance": 10}}, "log": []}
    found = state_faults(BEFORE, after, {"log": []})
    assert [(d.path, d.kind) for d in found] == [("accounts.b", "missing")]


def test_true_is_not_one_and_one_is_one_point_nought():
    assert state_differences({"x": 1}, {"x": True}) and not state_differences({"x": 1}, {"x": 1.0})


states = st.recursive(
    st.integers() | st.text(max_size=3) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=3), states, max_size=3))
def test_a_state_does_not_differ_from_itself(state):
    assert state_differences(state, state) == []
    assert state_faults(state, state, {}) == []


@given(states, states)
def test_the_difference_is_symmetric_in_whether_there_is_one(one, other):
    assert bool(state_differences(one, other)) == bool(state_differences(other, one))
