"""Precision and recall of `grounded_values` on answers with one invented value.

    python -m benchmarks grounded [--answers 2000] [--seed 1]

Answers about orders, flights, accounts, weather, meetings and tickets state what the results say, in one of several
forms: thousands with and without commas, rounded, in thousands, dates in words, counts and totals. In half of them one
value is then replaced by another that stands nowhere.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from typing import Any

from rightcall import Golden, TestCase, ToolCall, Trajectory
from rightcall.metrics.builtin.dialogue import GroundedValues

NAMES = (
    "Okonjo",
    "Lindqvist",
    "Marchetti",
    "Nakamura",
    "Castellanos",
    "Oduya",
    "Petrov",
    "Haddad",
    "Kowalska",
    "Brandt",
)
PLACES = ("Lisbon", "Hamburg", "Osaka", "Nairobi", "Quito", "Tromso", "Galway", "Cusco", "Brno", "Malaga")
Value = tuple[str, Any]
"""A kind and a value that the answer states."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks grounded")
    parser.add_argument("--answers", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    figures = measure(options.answers, options.seed)
    print(f"{options.answers} answers, half with one invented value")
    for kind in ("number", "id", "date", "name"):
        print(f"  {kind:<7} found {figures[kind, 'found']} of {figures[kind, 'planted']} invented ones")
    flagged = figures["flagged"]
    alarms = figures["false alarms"]
    planted = figures["planted"]
    print(f"precision {(flagged - alarms) / flagged:.3f}  recall {(flagged - alarms) / planted:.3f}")
    print(f"false alarms: {alarms} of {options.answers - planted} answers without an invented value")


def measure(answers: int, seed: int) -> Counter[Any]:
    """How many values were invented and found, by kind, and how many answers were flagged without cause."""
    rng = random.Random(seed)
    figures: Counter[Any] = Counter()
    for place in range(answers):
        request, result, template, values = rng.choice(SCENES)(rng)
        kind = ""
        if place % 2:
            slot = rng.choice(sorted(values))
            kind, value = values[slot]
            values[slot] = kind, invent(rng, kind, value)
        answer = template.format(
            **{slot: write(rng, kind_, value) for slot, (kind_, value) in values.items()}
        )
        call = ToolCall("look_up", {}, status="ok", output=result)
        found = (
            not GroundedValues()
            .measure(TestCase(Golden(request), Trajectory(calls=(call,), output=answer)))
            .passed
        )
        figures["flagged"] += found
        if kind:
            figures["planted"] += 1
            figures[kind, "planted"] += 1
            figures[kind, "found"] += found
        else:
            figures["false alarms"] += found
    return figures


def invent(rng: random.Random, kind: str, value: Any) -> Any:
    """Another value of the kind: a number off by a tenth to a half, an id with other digits, another day or name."""
    if kind == "number":
        change = max(1, round(value * rng.uniform(0.1, 0.5), 0 if isinstance(value, int) else 2))
        other = value + change if rng.random() < 0.5 or value <= change else value - change
        return round(other) if isinstance(value, int) else round(other, 2)
    if kind == "id":
        return value[:-3] + str((int(value[-3:]) + rng.randint(1, 900)) % 1000).zfill(3)
    if kind == "date":
        return value + timedelta(days=rng.randint(2, 90))
    return rng.choice(["Zimmerli", "Achterberg", "Vandermolen", "Szczepanski"])


def write(rng: random.Random, kind: str, value: Any) -> str:
    """A value in one of its forms."""
    if kind == "number":
        forms = [f"{value:,}", f"{value}"]
        if isinstance(value, int) and value >= 10_000 and value % 100 == 0:
            forms.append(f"{value / 1000:g}k")
        if isinstance(value, float) and value > 30:
            forms.append(f"{value:.0f}")
        return rng.choice(forms)
    if kind == "date":
        return rng.choice(
            [value.isoformat(), f"{value:%B} {value.day}", f"{value.day} {value:%b} {value.year}"]
        )
    return str(value)


def _day(rng: random.Random) -> date:
    return date(2026, 1, 1) + timedelta(days=rng.randrange(600))


def order(rng: random.Random) -> tuple[str, Any, str, dict[str, Value]]:
    number = f"ORD-{rng.randint(10_000, 99_999)}"
    items = [
        {"sku": f"SK{rng.randint(1000, 9999)}", "price": round(rng.uniform(15, 400), 2)}
        for _ in range(rng.randint(2, 5))
    ]
    day = _day(rng)
    name = rng.choice(NAMES)
    result = {"order": number, "customer": name, "items": items, "ships": day.isoformat()}
    values: dict[str, Value] = {
        "id": ("id", number), "count": ("number", len(items)), "day": ("date", day), "name": ("name", name),
        "total": ("number", round(sum(item["price"] for item in items), 2)),
    }  # fmt: skip
    return (
        "Where is my order?",
        result,
        "Your order {id} for {name} has {count} items and costs ${total} in all. It ships on {day}.",
        values,
    )


def flight(rng: random.Random) -> tuple[str, Any, str, dict[str, Value]]:
    start, end = rng.sample(PLACES, 2)
    fare = rng.randint(60, 2400)
    code = f"{rng.choice('LBKA')}{rng.choice('HAFZ')}-{rng.randint(1000, 9999)}"
    day = _day(rng)
    result = [
        {
            "flight": code,
            "from": start,
            "to": end,
            "date": f"{day}T08:15:00",
            "fare": fare,
            "seats": rng.randint(1, 9),
        }
    ]
    values: dict[str, Value] = {
        "id": ("id", code),
        "fare": ("number", fare),
        "day": ("date", day),
        "to": ("name", end),
    }
    return (
        f"A flight from {start} please",
        result,
        "I found flight {id} to {to}, which leaves on {day} and costs {fare} euros.",
        values,
    )


def account(rng: random.Random) -> tuple[str, Any, str, dict[str, Value]]:
    balance = rng.randint(100, 900) * 100
    sent = rng.randint(5, 95)
    name = rng.choice(NAMES)
    result = {"balance": balance, "payee": {"name": name, "iban": f"DE{rng.randint(10**8, 10**9)}"}}
    values: dict[str, Value] = {
        "balance": ("number", balance), "sent": ("number", sent), "name": ("name", name),
        "left": ("number", balance - sent),
    }  # fmt: skip
    return (
        f"Send {sent} euros to my landlord",
        result,
        "I sent {sent} euros to {name}. Of {balance} euros you have {left} left.",
        values,
    )


def weather(rng: random.Random) -> tuple[str, Any, str, dict[str, Value]]:
    city = rng.choice(PLACES)
    day = _day(rng)
    degrees = round(rng.uniform(5, 35), 1)
    rain = rng.randint(21, 99)
    result = f"{city}, {day:%d %B %Y}: {degrees} degrees, chance of rain {rain} %"
    values: dict[str, Value] = {
        "day": ("date", day), "rain": ("number", rain), "degrees": ("number", degrees), "city": ("name", city),
    }  # fmt: skip
    return (
        "What will the weather be?",
        result,
        "On {day} it will be {degrees} degrees in {city}, with a {rain} % chance of rain.",
        values,
    )


def meeting(rng: random.Random) -> tuple[str, Any, str, dict[str, Value]]:
    day = _day(rng)
    names = rng.sample(NAMES, 3)
    room = f"R{rng.randint(1000, 9999)}"
    seats = rng.randint(4, 18)
    result = {
        "booked": True,
        "room": room,
        "capacity": seats,
        "guests": names,
        "at": f"{day.isoformat()} 14:30",
    }
    values: dict[str, Value] = {
        "room": ("id", room), "day": ("date", day), "first": ("name", names[0]), "seats": ("number", seats),
    }  # fmt: skip
    return (
        "Book a room with the team",
        result,
        "Done: room {room}, with {seats} seats, is booked on {day} at 2:30 pm, and I invited {first} too.",
        values,
    )


SCENES: list[Callable[[random.Random], tuple[str, Any, str, dict[str, Value]]]] = [
    order,
    flight,
    account,
    weather,
    meeting,
]

if __name__ == "__main__":
    main()
