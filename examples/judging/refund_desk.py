"""The agent under test: a help desk that promises refunds, mostly."""

from __future__ import annotations

import re


def answer(golden):
    """One of four kinds of answers: right, without the order, refused, and vague."""
    order = re.search(r"order (\d+)", golden.input)[1]
    kind = (int(order) * 7) % 10
    if kind < 6:
        return f"I am sorry about that. Your refund for order {order} is on its way."
    if kind < 7:
        return "I am sorry about that. Your refund is on its way."
    if kind < 9:
        return f"Order {order} cannot be refunded. Thank you for your patience."
    return f"Order {order}: we will see what we can do, and a refund may be possible once we have looked into it."
