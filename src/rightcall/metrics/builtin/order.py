"""The metric `order`."""

from __future__ import annotations

from dataclasses import dataclass

from rightcall.metrics.base import VerdictMetric


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
