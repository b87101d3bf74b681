"""A golden from what an agent did: behaviour confirmed as right becomes the expectation."""

from __future__ import annotations

from typing import Any

import msgspec

from rightcall.core.errors import InputError
from rightcall.model import AnyGolden, CaseResult, ConversationalGolden, ExpectedCall, Golden, ToolCall
from rightcall.model.failure import FATAL
from rightcall.show.view.case import input_of
from rightcall.store.base import StoredCase


def golden_from(case: StoredCase, result: CaseResult, golden_id: str = "") -> AnyGolden:
    """The case's golden with the calls of this trial as expected calls, every argument exact.

    A trial without calls becomes a golden that forbids them. A trial with a fatal failure is refused: no golden should
    expect a forbidden call.
    """
    trajectory = result.trajectory
    if trajectory is None:
        problem = "was stored without its trajectory, so there are no calls to expect"
        raise InputError(f"case {case.golden_id}", problem)
    if fatal := fatal_codes(result):
        problem = f"has {' and '.join(fatal)}, which no golden should expect"
        raise InputError(f"case {case.golden_id}, trial {result.trial}", problem)
    expected = tuple(expectation_from_call(call) for call in trajectory.calls)
    original = case.golden or Golden(input_of(None, trajectory.messages), category=result.category)
    fields: dict[str, Any] = {"expected_calls": expected, "no_calls": not expected}
    fields["id"] = golden_id or case.golden_id
    if not isinstance(original, ConversationalGolden):
        fields["any_of"] = ()
    return msgspec.structs.replace(original, **fields)


def fatal_codes(result: CaseResult) -> list[str]:
    """The fatal failures of a trial, by name."""
    return sorted({failure.code.replace("_", " ") for failure in result.codes if failure.code in FATAL})


def expectation_from_call(call: ToolCall) -> ExpectedCall:
    """An actual call as an expected one. Objects are marked as literal: one of their keys may be a matcher's name."""
    if call.arguments is None:
        return ExpectedCall(call.name, None)
    arguments = {
        n: {"exact": value} if isinstance(value, dict) else value for n, value in call.arguments.items()
    }
    return ExpectedCall(call.name, arguments)
