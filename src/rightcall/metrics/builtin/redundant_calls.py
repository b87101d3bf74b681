"""The metric `redundant_calls`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rightcall.metrics.base import Metric
from rightcall.metrics.matching.equality import equality_key
from rightcall.metrics.matching.reasons import call_text
from rightcall.model.call import ToolCall
from rightcall.model.case import TestCase
from rightcall.model.score import Score


@dataclass(frozen=True)
class RedundantCalls(Metric):
    """Share of the calls that did not repeat an earlier, successful, identical call.

    Requires no expectations. Repeating a failed call is a retry, not redundant. Calls with unknown arguments are
    never redundant.

    Golden: {"input": "Weather in Hanoi?"}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}, {"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}, {"name": "get_weather", "arguments": {"city": "Hue"}}]
    """

    def measure(self, case: TestCase) -> Score:
        calls = case.trajectory.calls
        unknown = [call.name for call in calls if call.arguments_unknown]
        if len(unknown) == len(calls) and len(set(unknown)) < len(unknown):
            why = f"arguments unknown for {len(unknown)} of {len(calls)} calls"
            return Score.broken(f"arguments_unknown: {why}")
        repeated = list(_repeats(calls))
        if not repeated:
            return Score(1.0, True)
        names = ", ".join(dict.fromkeys(call_text(call.name, call.arguments) for call in repeated))
        return Score(1 - len(repeated) / len(calls), False, f"repeated unnecessarily: {names}")


def _repeats(calls: Sequence[ToolCall]) -> Iterator[ToolCall]:
    succeeded: set[Any] = set()
    for call in calls:
        if call.arguments_unknown:
            continue
        key = (call.name, equality_key(call.arguments))
        if key in succeeded:
            yield call
        if call.status != "error":
            succeeded.add(key)
