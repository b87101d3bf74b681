"""Goldens with recorded behaviour as test cases, and test cases as such goldens."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rightcall.model.call import ToolCall
from rightcall.model.case import AnyTestCase, ConversationalTestCase
from rightcall.model.golden import AnyGolden, Turn
from rightcall.model.trajectory import Trajectory


def golden_of_case(case: AnyTestCase) -> AnyGolden:
    """The golden of a test case, with what the agent did recorded in it."""
    trajectory = case.trajectory
    if isinstance(case, ConversationalTestCase):
        turns = turns_of(trajectory) if trajectory.messages else case.golden.turns
        return msgspec.structs.replace(case.golden, turns=turns)
    has_usage = bool(trajectory.usage.tokens)
    return msgspec.structs.replace(
        case.golden,
        actual_output=trajectory.output,
        tools_called=trajectory.calls,
        token_cost=trajectory.usage.cost_usd,
        input_token_count=float(trajectory.usage.input_tokens or 0) if has_usage else None,
        output_token_count=float(trajectory.usage.output_tokens or 0) if has_usage else None,
    )


def turns_of(trajectory: Trajectory) -> tuple[Turn, ...]:
    """The turns of a conversation; each turn contains its calls and their results."""
    turns: list[Turn] = []
    calls = iter(_by_step(trajectory.calls))
    for message in trajectory.messages:
        if message.role == "user":
            turns.append(Turn("user", message.content))
        elif message.role == "assistant":
            turn_calls = next(calls, ()) if message.calls else ()
            turns.append(Turn("assistant", message.content, tools_called=turn_calls or None))
    return tuple(turns)


def _by_step(calls: Sequence[ToolCall]) -> list[tuple[ToolCall, ...]]:
    groups: dict[int | None, list[ToolCall]] = {}
    for call in calls:
        groups.setdefault(call.step, []).append(call)
    return [tuple(group) for group in groups.values()]
