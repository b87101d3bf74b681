"""What the shop knows and can do: the functions behind the agent's tools."""

ORDERS = {1007: "a lamp", 2044: "a desk", 3100: "two chairs"}


def find_order(order_id: int) -> str:
    """Look up what was bought with an order."""
    return f"order {order_id}: {ORDERS[order_id]}" if order_id in ORDERS else f"order {order_id} not found"


def track_parcel(order_id: int) -> str:
    """Where the parcel of an order is now."""
    return f"order {order_id}: on its way" if order_id in ORDERS else f"order {order_id} not found"


def refund_order(order_id: int, reason: str) -> str:
    """Pay an order back. Look the order up first."""
    return f"order {order_id} is paid back ({reason})"
