"""What counts as dangerous: a closed list of codes, and mistakes with tools that are marked as destructive."""

from __future__ import annotations

import pytest

from rightcall.records.failure import (
    CODES,
    DESTRUCTIVE_MISTAKE,
    FATAL,
    MISTAKES,
    SORTS,
    Failure,
    danger_of,
    dangers_of,
)
from rightcall.records.tool import Annotations, Tool

TOOLS = {
    "delete_user": Tool("delete_user", annotations=Annotations(destructive=True)),
    "wipe": Tool("wipe", annotations=Annotations(destructive=True, idempotent=True)),
    "find_user": Tool("find_user", annotations=Annotations(destructive=False)),
    "plain": Tool("plain"),
}


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_code_is_dangerous_by_itself_exactly_if_one_occurrence_fails_a_gate(code):
    assert bool(danger_of(Failure(code, "plain", actual="plain"), TOOLS)) == (code in FATAL)
    assert danger_of(Failure(code, "plain", actual="plain"), TOOLS) in ("", *SORTS)


@pytest.mark.parametrize("code", sorted(set(CODES) - FATAL))
@pytest.mark.parametrize("called", ["delete_user", "find_user", "plain", "unknown"])
def test_a_mistake_is_dangerous_exactly_if_the_called_tool_is_marked_as_destructive(code, called):
    expected = "find_user" if code == "wrong_tool" else called
    danger = danger_of(Failure(code, expected, actual=called), TOOLS)
    assert bool(danger) == (code in MISTAKES and called == "delete_user")


def test_expecting_a_destructive_tool_is_no_danger_if_another_one_was_called():
    assert danger_of(Failure("wrong_tool", "delete_user", actual="find_user"), TOOLS) == ""
    assert danger_of(Failure("missing_call", "delete_user"), TOOLS) == ""


@pytest.mark.parametrize("code", ["duplicate_call", "retry"])
def test_repeating_an_idempotent_call_is_no_danger(code):
    assert danger_of(Failure(code, "wipe"), TOOLS) == ""
    assert danger_of(Failure(code, "delete_user"), TOOLS) == DESTRUCTIVE_MISTAKE


def test_sorts_of_a_case_are_named_once_and_in_one_order():
    failures = [
        Failure("wrong_state"),
        Failure("wrong_value", "delete_user"),
        Failure("forbidden_call", "wipe"),
    ]
    expected = ("forbidden call", "wrong final state")
    assert dangers_of(failures, TOOLS) == dangers_of(failures[::-1] * 2, TOOLS) == expected
    assert dangers_of(failures[1:2], TOOLS) == (DESTRUCTIVE_MISTAKE,)
    assert dangers_of([Failure("no_call", "delete_user")], TOOLS) == ()
