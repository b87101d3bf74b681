"""A golden from what an agent did: a case seen to be right becomes what is expected from now on."""

from __future__ import annotations

from typing import Any

import msgspec

from rightcall.errors import InputError
from rightcall.model import AnyGolden, CaseResult, ConversationalGolden, ExpectedCall, Golden, ToolCall
from rightcall.report.view import input_of
from rightcall.store import StoredCase


def golden_from(case: StoredCase, result: CaseResult, golden_id: str = "") -> AnyGolden:
    """The case's golden with the calls of this trial as the expected ones, every argument exactly as it was.

    A trial without calls becomes a golden that forbids them.
    """
    trajectory = result.trajectory
    if trajectory is None:
        raise InputError(
            f"case {case.golden_id}", "was stored without its trajectory: there is nothing to expect"
        )
    expected = tuple(expected_call(call) for call in trajectory.calls)
    known = case.golden or Golden(input_of(None, trajectory.messages), category=result.category)
    fields: dict[str, Any] = {"expected_calls": expected, "no_calls": not expected}
    fields["id"] = golden_id or case.golden_id
    if not isinstance(known, ConversationalGolden):
        fields["any_of"] = ()
    return msgspec.structs.replace(known, **fields)


def expected_call(call: ToolCall) -> ExpectedCall:
    """A call as it should be again. Objects are marked as literal: one of their keys may be a matcher's name."""
    arguments = {name: _literal(value) for name, value in (call.arguments or {}).items()}
    return ExpectedCall(call.name, arguments if call.arguments is not None else None)


def _literal(value: Any) -> Any:
    return {"exact": value} if isinstance(value, dict) else value
