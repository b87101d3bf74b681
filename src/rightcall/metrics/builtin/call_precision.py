"""The metric `call_precision`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import VerdictMetric


@dataclass(frozen=True)
class CallPrecision(VerdictMetric):
    """Share of the calls made that were expected, with the right arguments.

    Low precision means unnecessary or harmful calls: each costs time and money, and some have side effects.
    TP / (calls made − optional calls made); 1 when nothing was called.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}, {"name": "send_email", "arguments": {}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    number = "call_precision"
