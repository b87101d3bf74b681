"""What every scripted model of the adapter tests says, and what every agent's tools do.

The model answers by the user's last words and by how often it has answered since: `trip Hanoi` asks for the weather of two
cities at once, books a hotel, which fails, and says so.
"""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from typing import Any

USAGE = (100, 10)
"""Tokens in and out of every answer."""


@dataclass(frozen=True)
class Call:
    name: str
    arguments: Any
    id: str

    @property
    def text(self) -> str:
        """The arguments as they go over the wire; a text is sent as it is, however broken."""
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True)
class Answer:
    """`cached` of the input tokens came from the provider's cache; without `usage` no tokens are reported."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    cut: bool = False
    """Whether the answer ended at the length limit."""
    ending: str = ""
    """`refused` or `filtered`, as far as the provider has a word for it."""
    lost: bool = False
    """Whether the connection breaks in the middle of it."""
    usage: tuple[int, int] | None = USAGE
    cached: int = 0


def respond(user: str, turn: int) -> Answer:
    """The answer to what the user said, after `turn` answers to it."""
    kind, _, rest = user.partition(" ")
    city = rest or "Hanoi"
    weather = Call("get_weather", {"city": city}, f"c1-{city}")
    if kind == "trip":
        plan = [
            Answer(calls=(weather, Call("get_weather", {"city": "Hue"}, f"c2-{city}"))),
            Answer(calls=(Call("book", {"city": city, "nights": 2}, f"c3-{city}"),)),
        ]
        return plan[turn] if turn < len(plan) else Answer(f"No room in {city}.")
    if kind == "malformed":
        return Answer(calls=(Call("get_weather", '{"city": "Hano', "m1"),)) if turn == 0 else Answer("Sorry.")
    if kind == "unknown":
        first = Answer(calls=(weather, Call("no_such_tool", {"x": 1}, "u1")))
        return first if turn == 0 else Answer("Sorry.")
    if kind == "delete":
        both = (Call("delete_account", {"id": 7}, "d1"), Call("list_accounts", {}, "d2"))
        return Answer(calls=both) if turn == 0 else Answer("Finished.")
    if kind == "loop":
        return Answer(calls=(Call("get_weather", {"city": f"{city} {turn}"}, f"l{turn}"),))
    if kind == "slow":
        steps = [Answer(calls=(weather,)), Answer(calls=(Call("wait", {"seconds": 60}, "w1"),))]
        return steps[turn] if turn < len(steps) else Answer("Late.")
    if turn == 0:
        return Answer(calls=(weather,))
    return Answer(f"31 degrees in {city}.")


@dataclass
class Journal:
    """What reached the model: how often it was asked, and everything it was sent, as text."""

    requests: list[str] = field(default_factory=list)
    lock: Any = field(default_factory=threading.Lock)

    def note(self, sent: Any) -> None:
        with self.lock:
            self.requests.append(repr(sent))


def weather_of(city: str) -> str:
    return f"31 in {city}"


class NoRoomError(Exception):
    """What `book` raises."""


def book_room(city: str, nights: int) -> str:
    raise NoRoomError(f"no room in {city} for {nights}")
