"""The metric `call_soft_f1`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import VerdictMetric


@dataclass(frozen=True)
class CallSoftF1(VerdictMetric):
    """Call F1 with partial credit for arguments.

    Separates nearly right from entirely wrong: a call with three of four correct arguments is better than no call.
    Like call F1, but each pair counts with its argument score instead of 0 or 1.

    Golden: {"input": "Weather in Hanoi?", "expected_calls": [{"tool": "get_weather", "args": {"city": "Hanoi"}}]}
    Fails: [{"name": "get_weather", "arguments": {"city": "Hue"}}]
    Passes: [{"name": "get_weather", "arguments": {"city": "Hanoi"}}]
    """

    number = "call_soft_f1"
