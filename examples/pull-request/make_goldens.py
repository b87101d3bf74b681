"""Writes goldens.jsonl: a hundred and twenty requests of customers, each with the call that answers it."""

import json
from pathlib import Path

ORDERS = [
    "A1007",
    "A1013",
    "B2044",
    "B2051",
    "C3002",
    "C3019",
    "D4410",
    "D4433",
    "E5120",
    "E5188",
    "F6001",
    "F6077",
    "G7003",
    "G7050",
    "H8101",
]
PRODUCTS = [
    "kettle",
    "desk lamp",
    "backpack",
    "headphones",
    "notebook",
    "office chair",
    "water bottle",
    "bike helmet",
    "yoga mat",
    "coffee grinder",
    "rain jacket",
    "phone stand",
    "wall clock",
    "desk fan",
    "travel mug",
]

TEMPLATES = [
    ("get_order", "Show me the details of order {order}"),
    ("track_shipment", "Where is the parcel of order {order}? Track the shipment"),
    ("cancel_order", "Please cancel order {order}"),
    ("refund_order", "I want my money back: refund order {order}"),
    ("search_products", "Search the shop for a {product}"),
    ("check_stock", "Is the {product} in stock at the warehouse?"),
    ("list_reviews", "What do customer reviews say about the {product}?"),
    ("talk_to_human", "Let me talk to a human agent about order {order}"),
]

ABOUT_AN_ORDER = ("get_order", "track_shipment", "cancel_order", "refund_order")
"""Tools whose golden names the order: without it, acting on another order would pass (`rightcall audit`)."""


def goldens():
    for tool, text in TEMPLATES:
        for i, (order, product) in enumerate(zip(ORDERS, PRODUCTS, strict=True)):
            filled = text.format(order=order, product=product)
            call = {"tool": tool}
            if tool in ABOUT_AN_ORDER:
                call |= {"args": {"order_id": order}, "extra_args": "ignore"}
            golden = {"id": f"{tool}-{i:02}", "input": filled, "expected_calls": [call]}
            if tool == "get_order":
                golden["forbidden_calls"] = ["cancel_order", "refund_order"]
            yield golden


if __name__ == "__main__":
    lines = [json.dumps(golden) for golden in goldens()]
    Path(__file__).with_name("goldens.jsonl").write_text("\n".join(lines) + "\n")
