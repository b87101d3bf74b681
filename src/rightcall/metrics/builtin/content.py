"""The metric `content`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import VerdictMetric


@dataclass(frozen=True)
class Content(VerdictMetric):
    """Share of the required content that the final answer has.

    Right calls are worth little when the answer hides their result. `output_contains` lists keywords (found
    whatever their case) and matchers. What is missing fails the case, and costs it the weight of
    content in its score.

    Golden: {"input": "Weather in Hanoi?", "output_contains": ["Hanoi", "°C"]}
    Fails: {"output": "It is sunny in Hanoi."}
    Passes: {"output": "Hanoi: sunny, 31 °C."}
    """

    number = "content"
    codes = frozenset(("missing_content",))
