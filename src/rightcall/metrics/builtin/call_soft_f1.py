"""The metric `call_soft_f1`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import VerdictMetric


@dataclass(frozen=True)
class CallSoftF1(VerdictMetric):
    """Call F1 with partial credit for arguments.

    Tells nearly right from entirely wrong: a call with three of four arguments right is not the same as no call.
    As call F1, with each pair worth its argument score instead of 0 or 1.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hue"}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    number = "call_soft_f1"
