"""The tools of every agent, and what really happened to them.

Annotations are real types here: some frameworks do not resolve those that are text.
"""

import threading
from dataclasses import dataclass
from typing import Any

from typing_extensions import TypedDict


@dataclass(frozen=True)
class ToolRun:
    """One execution of a tool; `raised` is the text of its exception."""

    name: str
    arguments: dict[str, Any]
    output: Any = None
    raised: str = ""


RUNS: list[ToolRun] = []
"""Every execution since the list was last cleared."""

_LOCK = threading.Lock()


class NoRoomError(Exception):
    """What `book` raises."""


class Stop(TypedDict):
    """A place and how long to stay."""

    name: str
    nights: int


def get_weather(city: str) -> str:
    """Get the weather in a city.

    Args:
        city: Name of the city.
    """
    return _note("get_weather", {"city": city}, f"31 in {city}")


def forecast(city: str) -> dict[str, Any]:
    """Get the forecast of a city for the week.

    Args:
        city: Name of the city.
    """
    days = [{"day": "Mon", "high": 31.5, "sun": True}, {"day": "Tue", "high": 29, "sun": None}]
    return _note("forecast", {"city": city}, {"city": city, "days": days, "note": "nắng"})


def plan_route(stops: list[Stop], notes: list[str]) -> str:
    """Plan a route.

    Args:
        stops: Places to visit, in order.
        notes: Wishes of the traveller.
    """
    return _note("plan_route", {"stops": stops, "notes": notes}, f"{len(stops)} stops, {len(notes)} notes")


def book(city: str, nights: int) -> str:
    """Book a room.

    Args:
        city: Name of the city.
        nights: Number of nights.
    """
    words = f"no room in {city} for {nights}"
    _note("book", {"city": city, "nights": nights}, raised=words)
    raise NoRoomError(words)


TOOLS = (get_weather, forecast, plan_route, book)
SAFE_TOOLS = (get_weather, forecast, plan_route)
"""All that an agent may run without asking."""


def run_tool(name: str, arguments: dict[str, Any]) -> Any:
    """What a loop of the user's own does with a call; raises whatever goes wrong."""
    return {tool.__name__: tool for tool in TOOLS}[name](**arguments)


def _note(name: str, arguments: dict[str, Any], output: Any = None, raised: str = "") -> Any:
    from rightcall.agents.observed.values import plain

    with _LOCK:
        RUNS.append(ToolRun(name, plain(arguments), output, raised))
    return output
