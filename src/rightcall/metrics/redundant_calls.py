"""The metric `redundant_calls`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import Metric
from rightcall.metrics.matching.equality import same
from rightcall.metrics.matching.reasons import call_text
from rightcall.model.call import ToolCall
from rightcall.model.case import TestCase
from rightcall.model.score import Score


@dataclass(frozen=True)
class RedundantCalls(Metric):
    """Share of the calls that were not a repetition of an earlier, successful, identical call.

    Needs no expectation. Repeating a call that failed is a retry, not a redundancy. Calls whose
    arguments are not known are never redundant.

    Golden: {"input": "Weather in Hanoi?"}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}, {"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}, {"name": "get_weather", "arguments": {"city": "Hue"}}]
    """

    def measure(self, case: TestCase) -> Score:
        calls = case.trajectory.calls
        unknown = [call.name for call in calls if call.arguments_unknown]
        if len(unknown) == len(calls) and len(set(unknown)) < len(unknown):
            return Score.broken(
                f"arguments_unknown: arguments unknown for {len(unknown)} of {len(calls)} calls"
            )
        repeated = [call for at, call in enumerate(calls) if any(_repeats(call, past) for past in calls[:at])]
        if not repeated:
            return Score(1.0, True)
        names = ", ".join(dict.fromkeys(call_text(call.name, call.arguments) for call in repeated))
        return Score(1 - len(repeated) / len(calls), False, f"called again for nothing: {names}")


def _repeats(call: ToolCall, past: ToolCall) -> bool:
    known = not (call.arguments_unknown or past.arguments_unknown)
    return (
        known and past.status != "error" and past.name == call.name and same(past.arguments, call.arguments)
    )
