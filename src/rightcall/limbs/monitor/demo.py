"""Bundled sample traffic with a planted drift, to try the monitor before relying on it."""

from __future__ import annotations

import random
from collections.abc import Iterator

from rightcall.core.digest import hex_digest
from rightcall.limbs.monitor.settings import FalseAlarms, MonitorSettings
from rightcall.limbs.traces.checks import AgentSettings
from rightcall.limbs.traces.trace import Trace
from rightcall.records.call import ToolCall
from rightcall.records.message import Message
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory, Usage

CITY = {"city": {"type": "string"}}
SEATS = {"seats": {"type": "integer"}}
TOOLS = (
    Tool(
        "get_weather",
        "Current weather for a city.",
        {"type": "object", "properties": CITY, "required": ["city"]},
    ),
    Tool(
        "book",
        "Book seats on a trip.",
        {"type": "object", "properties": CITY | SEATS, "required": ["city", "seats"]},
    ),
)
CITIES = ("Hanoi", "Hue", "Da Nang", "Can Tho", "Da Lat")
BEFORE = 0.04
AFTER = 0.25
"""Share of bookings that fail, before the planted change and after."""
SECOND = 1_000_000_000
START = 1_794_700_800 * SECOND  # 15 November 2026, 00:00 UTC
BASELINE = 600
LIVE = 900
PLANTED = 450
"""Traces of the reference, traces after it, and the number of the one from which bookings fail."""

SETTINGS = MonitorSettings(
    agents={"travel": AgentSettings(match={"service.name": "travel"}, forbidden_calls=("delete_account",))},
    checks=("schema_validity", "unknown_tool", "tool_errors", "loop", "forbidden", "no_answer"),
    false_alarms=FalseAlarms(share=0.05, per="1d", versions=1),
)


def reference_traffic(seed: int = 0) -> Iterator[Trace]:
    """The day before."""
    draw = random.Random(f"reference/{seed}")  # noqa: S311
    return _traffic(draw, START - 86_400 * SECOND, BASELINE, 86_400 // BASELINE, planted=None)


def live_traffic(seed: int = 0) -> Iterator[Trace]:
    """An hour, with bookings that start to fail halfway through."""
    return _traffic(random.Random(f"live/{seed}"), START, LIVE, 3600 // LIVE, planted=PLANTED)  # noqa: S311


def planted_at() -> int:
    """When bookings start to fail, in nanoseconds."""
    return START + PLANTED * (3600 // LIVE) * SECOND


def _traffic(draw: random.Random, start: int, count: int, gap: int, planted: int | None) -> Iterator[Trace]:
    for i in range(count):
        share = AFTER if planted is not None and i >= planted else BEFORE
        yield _trace(draw, start + i * gap * SECOND, f"{start}/{i}", draw.random() < share)


def _trace(draw: random.Random, at: int, name: str, fails: bool) -> Trace:
    city = draw.choice(CITIES)
    seats = draw.randint(1, 4)
    question = f"What is the weather in {city}, and book {seats} seat{'s' if seats > 1 else ''} there"
    calls = (
        ToolCall("get_weather", {"city": city}, "c1", 0, status="ok", output={"celsius": draw.randint(18, 36)},
                 latency_ms=draw.uniform(20, 80)),
        ToolCall("book", {"city": city, "seats": seats}, "c2", 1, status="error" if fails else "ok",
                 output="sold out" if fails else {"booked": seats}, latency_ms=draw.uniform(40, 200)),
    )  # fmt: skip
    answer = "Sorry, the trip is sold out." if fails else f"Booked {seats} for {city}."
    messages = (Message("user", question), Message("assistant", "", calls), Message("assistant", answer))
    digest = hex_digest(name)
    return Trace(
        digest[:32],
        Trajectory(
            messages,
            calls,
            answer,
            Usage(draw.randint(250, 400), draw.randint(20, 60)),
            latency_ms=draw.uniform(600, 2500),
        ),
        TOOLS,
        question,
        system="You are a travel assistant.",
        agent="travel",
        service="travel",
        model="demo-model",
        agent_version="1.0",
        root_span=digest[32:48],
        time=at,
        source="demo",
        resource={"service.name": "travel"},
    )
