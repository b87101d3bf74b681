"""Goldens with what was recorded beside them, as test cases; and test cases as such goldens."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rightcall.model.call import ToolCall, ToolResult
from rightcall.model.case import AnyTestCase, ConversationalTestCase, TestCase
from rightcall.model.dialects import trajectory_from_messages
from rightcall.model.golden import AnyGolden, Golden, Turn
from rightcall.model.message import Message
from rightcall.model.trajectory import Trajectory, Usage

RECORDED = ("actual_output", "tools_called", "token_cost", "input_token_count", "output_token_count")


def case_of(golden: AnyGolden) -> AnyTestCase:
    """The test case of a golden: its recorded output and calls, or its turns, become the trajectory."""
    if not isinstance(golden, Golden):
        return ConversationalTestCase(golden, conversation_of(golden.turns))
    usage = Usage(
        int(golden.input_token_count or 0), int(golden.output_token_count or 0), cost_usd=golden.token_cost
    )
    made = Trajectory(calls=golden.tools_called or (), output=golden.actual_output or "", usage=usage)
    return TestCase(msgspec.structs.replace(golden, **dict.fromkeys(RECORDED)), made)


def golden_of_case(case: AnyTestCase) -> AnyGolden:
    """The golden of a test case with what the agent did beside it."""
    made = case.trajectory
    if isinstance(case, ConversationalTestCase):
        return msgspec.structs.replace(case.golden, turns=turns_of(made)) if made.messages else case.golden
    known = bool(made.usage.input_tokens or made.usage.output_tokens)
    return msgspec.structs.replace(
        case.golden,
        actual_output=made.output,
        tools_called=made.calls,
        token_cost=made.usage.cost_usd,
        input_token_count=float(made.usage.input_tokens) if known else None,
        output_token_count=float(made.usage.output_tokens) if known else None,
    )


def conversation_of(turns: Sequence[Turn]) -> Trajectory:
    """The trajectory of a conversation that was written down turn by turn."""
    messages: list[Message] = []
    for turn in turns:
        calls = turn.tools_called or ()
        messages.append(Message(turn.role, turn.content, calls))
        results = tuple(
            ToolResult(call.id, call.output, call.status == "error", call.name)
            for call in calls
            if call.status != "not_run"
        )
        if results:
            messages.append(Message("tool", results=results))
    return trajectory_from_messages(messages)


def turns_of(trajectory: Trajectory) -> tuple[Turn, ...]:
    """The turns of a conversation; calls stand in the turn that made them, with their results."""
    turns: list[Turn] = []
    calls = iter(_by_step(trajectory.calls))
    for message in trajectory.messages:
        if message.role == "user":
            turns.append(Turn("user", message.content))
        elif message.role == "assistant":
            made = next(calls, ()) if message.calls else ()
            turns.append(Turn("assistant", message.content, tools_called=made or None))
    return tuple(turns)


def _by_step(calls: Sequence[ToolCall]) -> list[tuple[ToolCall, ...]]:
    groups: dict[int | None, list[ToolCall]] = {}
    for call in calls:
        groups.setdefault(call.step, []).append(call)
    return [tuple(group) for group in groups.values()]
