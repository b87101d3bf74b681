"""Stands in for the models of the team, so that the example needs no key: each agent decides by words.

Three of its decisions are wrong on purpose, and the goldens notice: triage refunds by itself when somebody is in a
hurry, sends complaints to shipping, and nobody feels responsible for order 1010.
"""

import re


def decide(agent: str, text: str, told: list[tuple[str, str]]) -> tuple[str, list[tuple[str, dict]]]:
    """What an agent says and calls next, given the user's words and what tools have told so far, as (name, result)."""
    orders = [int(number) for number in re.findall(r"\d{4}", text)]
    words = text.lower()
    results = [result for name, result in told if not name.startswith("transfer_to_")]
    if not orders:
        return "You are welcome.", []
    if "responsible" in words:
        return _pass_on(agent, told)
    if results:
        return "; ".join(results), []
    if agent == "shipping" and "complain" in words:
        return "We are sorry.", []
    return "", _first_calls(agent, words, orders)


def _first_calls(agent: str, words: str, orders: list[int]) -> list[tuple[str, dict]]:
    """What an agent does first."""
    if agent == "shipping":
        return [("track_parcel", {"order_id": order}) for order in orders]
    if agent == "lookup":
        return [("find_order", {"order_id": orders[0]})]
    if agent == "billing":
        return [("refund_order", {"order_id": orders[0], "reason": "other"})]
    return [_first_of_triage(words, orders)]


def _first_of_triage(words: str, orders: list[int]) -> tuple[str, dict]:
    if "quickly" in words:
        return "refund_order", {"order_id": orders[0], "reason": "other"}
    if "refund" in words:
        return "transfer_to_billing", {}
    if "track" in words or "where" in words or "complain" in words:
        return "transfer_to_shipping", {}
    return "ask_lookup", {"input": f"What is order {orders[0]}?"}


def _pass_on(agent: str, told: list[tuple[str, str]]) -> tuple[str, list[tuple[str, dict]]]:
    """Triage and billing hand the question to each other, three times."""
    if len(told) >= 6:
        return "Nobody knows.", []
    return "", [("transfer_to_billing" if agent == "triage" else "transfer_to_triage", {})]
