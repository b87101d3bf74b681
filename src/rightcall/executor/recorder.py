"""Records what happens during a case."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rightcall.executor.limits import total
from rightcall.model.call import ToolCall, ToolResult
from rightcall.model.message import Message
from rightcall.model.nesting_limit import bounded_call
from rightcall.model.trajectory import StopReason, Trajectory, Usage
from rightcall.providers import ModelReply

MOST_NAME = 200


class Recorder:
    """Messages, calls with their steps and results, usage and time of one case, turned into a trajectory."""

    def __init__(self, *messages: Message) -> None:
        self.messages: list[Message] = list(messages)
        self.calls: list[ToolCall] = []
        self.usage = Usage()
        self.latency_ms, self.lag_ms = 0.0, 0.0
        self.steps = 0
        self.served_model = ""

    def reply(self, reply: ModelReply) -> tuple[ToolCall, ...]:
        """Record an answer of the model and return its calls, each with its step."""
        step, self.steps = self.steps, self.steps + 1
        calls = tuple(msgspec.structs.replace(bounded_call(call), step=step) for call in reply.message.calls)
        taken = round(reply.latency_ms, 3)
        self.messages.append(msgspec.structs.replace(reply.message, calls=calls, latency_ms=taken))
        self.calls += calls
        self.usage = total(self.usage, reply.usage) if self.steps > 1 else reply.usage
        self.latency_ms += reply.latency_ms
        self.lag_ms += reply.lag_ms
        self.served_model = reply.model[:MOST_NAME]
        return calls

    def results(self, calls: Sequence[ToolCall], told: Sequence[ToolResult], lag_ms: float = 0.0) -> None:
        """Record the results of the last calls: status, output and time of each, and the text the model reads."""
        self.calls[len(self.calls) - len(calls) :] = calls
        taken = max((call.latency_ms or 0.0 for call in calls), default=0.0)
        self.latency_ms += taken
        self.lag_ms += min(lag_ms, taken)
        self.messages.append(Message("tool", results=tuple(told)))

    def trajectory(self, stop_reason: StopReason = "done", error: str = "") -> Trajectory:
        """The trajectory. The final answer is the text of the last message, if it is the model's."""
        last = self.messages[-1] if self.messages else None
        return Trajectory(
            messages=tuple(self.messages),
            calls=tuple(self.calls),
            output=last.content if last and last.role == "assistant" else "",
            usage=self.usage,
            latency_ms=round(self.latency_ms, 3),
            lag_ms=round(self.lag_ms, 3),
            stop_reason=stop_reason,
            error=error,
            served_model=self.served_model,
        )
