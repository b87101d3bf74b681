"""Behaviour recorded in a golden, as the trajectory of a test case."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rightcall.model.call import ToolResult
from rightcall.model.golden import Golden, Turn
from rightcall.model.message import Message
from rightcall.model.trajectory import Trajectory, Usage

RECORDED = ("actual_output", "tools_called", "token_cost", "input_token_count", "output_token_count")


def trajectory_of(golden: Golden, latency_ms: float | None = None) -> Trajectory:
    """What the golden's `actual_output` and `tools_called` say the agent did."""
    usage = Usage(
        int(golden.input_token_count or 0), int(golden.output_token_count or 0), cost_usd=golden.token_cost
    )
    return Trajectory(
        calls=golden.tools_called or (), output=golden.actual_output or "", usage=usage, latency_ms=latency_ms
    )


def without_recorded(golden: Golden) -> Golden:
    """The golden without its recording, so that two recordings are two trials of one golden."""
    return msgspec.structs.replace(golden, **dict.fromkeys(RECORDED))


def conversation_of(turns: Sequence[Turn]) -> Trajectory:
    """The trajectory of a conversation recorded turn by turn."""
    from rightcall.model.dialects.transcript import (
        trajectory_from_messages,  # start-up: few cases need dialects
    )

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
