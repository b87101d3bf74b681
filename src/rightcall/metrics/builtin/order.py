"""The metric `order`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import VerdictMetric
from rightcall.model.case import TestCase


@dataclass(frozen=True)
class Order(VerdictMetric):
    """Share of the correct calls that were made in the right order.

    Correct calls in the wrong order can be as harmful as wrong calls: charge, then check. 1 when no order is required.

    Golden: {"input": "Check, then pay", "order": "strict", "expected_calls": [{"tool": "check", "args": {}}, {"tool": "pay", "args": {}}]}
    Fails: [{"name": "pay"}, {"name": "check"}]
    Passes: [{"name": "check"}, {"name": "pay"}]
    """

    number = "order"
    codes = frozenset(("order_violation",))

    def nothing_to_check(self, case: TestCase) -> str:
        golden = case.golden
        ordered = golden.order == "strict" or any(
            call.after for calls in (golden.expected_calls, *golden.any_of) for call in calls
        )
        return "" if ordered else "the golden requires no order"
