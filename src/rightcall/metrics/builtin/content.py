"""The metric `content`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import VerdictMetric
from rightcall.model.case import TestCase


@dataclass(frozen=True)
class Content(VerdictMetric):
    """Share of the required content that the final answer contains.

    Correct calls are worth little if the answer omits their result. `output_contains` lists keywords (case-insensitive)
    and matchers. Missing content fails the case and lowers its score by the weight of content.

    Golden: {"input": "Weather in Hanoi?", "output_contains": ["Hanoi", "°C"]}
    Fails: {"output": "It is sunny in Hanoi."}
    Passes: {"output": "Hanoi: sunny, 31 °C."}
    """

    number = "content"
    codes = frozenset(("missing_content",))

    def nothing_to_check(self, case: TestCase) -> str:
        return "" if case.golden.output_contains else "the golden has no output_contains"
