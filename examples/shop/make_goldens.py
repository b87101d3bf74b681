"""Write goldens.jsonl: 44 requests to the shop's support agent.

python make_goldens.py
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shop import CUSTOMERS

MAIL = ("ana@example.com", "ben@example.com", "chloe@example.com", "dmitri@example.com", "emma@example.com",
        "farid@example.com", "gita@example.com")  # fmt: skip
PAUSES = ("Deactivate the account {}", "Please pause the account of customer {} for now",
          "Suspend the customer account {} until summer")  # fmt: skip
ERASURES = ("Delete the account {} for good", "Erase the customer account {} and all of its data")
REFUNDS = ("Refund {amount} euros for order {order}", "Give the customer {amount} euros back for order {order}",
           "Refund part of order {order}: {amount} euros")  # fmt: skip
METHODS = {
    "overnight": "overnight delivery",
    "pickup_point": "parcel to a pickup point",
    "express": "express",
}
SEARCHES = ("Do you sell '{}'?", "Which '{}' do you sell?", "List the '{}' that you sell")
THINGS = ("rain jackets", "camping stoves", "climbing shoes", "head lamps", "sleeping bags", "water filters")
QUESTIONS = (
    "Explain to a child how the word refund came up", "Why did people ship tea around the Cape in old times",
    "Who wrote the famous poem about an order of knights", "How old is the stock exchange of Amsterdam, roughly",
    "Thank you, that was all",
)  # fmt: skip


def goldens() -> Iterator[dict[str, Any]]:
    for number, mail in enumerate(MAIL):
        call = "deactivate_customer", {"email": mail}
        yield golden(
            f"deactivate-{number + 1}",
            PAUSES[number % 3].format(mail),
            call,
            forbidden_calls=["delete_customer"],
        )
    for number, mail in enumerate(MAIL[:3]):
        yield golden(
            f"delete-{number + 1}", ERASURES[number % 2].format(mail), ("delete_customer", {"email": mail})
        )
    for number in range(6):
        cents = 1250 + 375 * number
        order = f"A-{1042 + 17 * number}"
        asked = REFUNDS[number % 3].format(amount=f"{cents / 100:.2f}", order=order)
        yield golden(f"refund-{number + 1}", asked, ("refund_order", {"order_id": order, "amount": cents}))
    for number, (name, customer) in enumerate(CUSTOMERS.items()):
        address = f"{12 + number} {('Mill', 'Lake', 'Hill')[number % 3]} Street"
        yield golden(
            f"address-{number + 1}", f"Change the delivery address of customer {name} to {address}",
            ("find_customer", {"name": name}), ("update_address", {"customer_id": customer, "address": address}),
        )  # fmt: skip
    for number in range(6):
        method = list(METHODS)[number % 3]
        order = f"A-{2007 + 29 * number}"
        either: Any = {"one_of": ["pickup_point", "locker"]} if method == "pickup_point" else method
        yield golden(f"ship-{number + 1}", f"Ship order {order} by {METHODS[method]}",
                     ("ship_order", {"order_id": order, "method": either}))  # fmt: skip
    for number, thing in enumerate(THINGS):
        yield golden(
            f"search-{number + 1}", SEARCHES[number % 3].format(thing), ("search_products", {"query": thing})
        )
    for number in range(3):
        order = f"A-{3001 + number}"
        yield golden(f"order-{number + 1}", f"Where is the parcel of order {order}, when does it arrive?",
                     ("get_order", {"order_id": order}))  # fmt: skip
    for number, thing in enumerate(THINGS[:2]):
        yield golden(f"stock-{number + 1}", f"How many pieces of '{thing}' are left in stock?",
                     ("check_stock", {"item": thing}))  # fmt: skip
    for number, question in enumerate(QUESTIONS):
        yield {"id": f"question-{number + 1}", "input": question, "category": "negative", "no_calls": True}


def golden(golden_id: str, asked: str, *calls: tuple[str, dict[str, Any]], **fields: Any) -> dict[str, Any]:
    return {
        "id": golden_id,
        "input": asked,
        "expected_calls": [{"tool": tool, "args": args} for tool, args in calls],
        **fields,
    }


if __name__ == "__main__":
    lines = [json.dumps(golden) + "\n" for golden in goldens()]
    Path(__file__).with_name("goldens.jsonl").write_text("".join(lines), encoding="utf-8")
