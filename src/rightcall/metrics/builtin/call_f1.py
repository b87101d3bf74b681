"""The metric `call_f1`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import VerdictMetric


@dataclass(frozen=True)
class CallF1(VerdictMetric):
    """Harmonic mean of call precision and call recall.

    One number that drops for missing and for unnecessary calls: 2·TP / (required + made).

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hue"}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    number = "call_f1"
