"""The metric `call_recall`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import VerdictMetric


@dataclass(frozen=True)
class CallRecall(VerdictMetric):
    """Share of the expected calls that were made, with the right arguments.

    Low recall means unfinished work. One actual call can satisfy only one expected call, so calling twice never
    raises recall above 1. TP / required calls; 1 when none are required.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: []
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    number = "call_recall"
