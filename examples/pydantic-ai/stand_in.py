"""Stands in for a model, so that the example needs no key: decides by words what a model would decide by reading.

Replace it with a real model and keep everything else.
"""

import re

REASONS = {"broken": "damaged", "late": "late"}


def decide(text: str, told: list[tuple[str, str]]) -> tuple[str, list[tuple[str, dict]]]:
    """What to say and what to call next, given the user's words and what tools have told so far, as (name, result)."""
    orders = [int(number) for number in re.findall(r"\d{4}", text)]
    words = text.lower()
    if not orders:
        return ("Which order do you mean?" if "parcel" in words else "You are welcome."), []
    if not told:
        tool = "track_parcel" if "track" in words or "where" in words else "find_order"
        return "", [(tool, {"order_id": order}) for order in orders]
    if "refund" in words and told[-1][0] == "find_order" and "not found" not in told[-1][1]:
        reason = next((reason for word, reason in REASONS.items() if word in words), "other")
        return "", [("refund_order", {"order_id": orders[0], "reason": reason})]
    return "; ".join(result for _, result in told), []
