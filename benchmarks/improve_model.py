"""`improve` with a real model: which changes of definitions help the embedded one, and are they accepted?

    python -m benchmarks improve_model [SUITE …] [--model local:smollm2]

Every suite has a defect and enough goldens to prove that its removal helps: levels of a lamp and ways to send a parcel
without a list, two tools with the same text, a tool whose text lacks its users' words. About a second a call.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Mapping
from typing import Any, NamedTuple

from rightcall.agents.agent import Agent
from rightcall.improve.proof.options import ImproveOptions
from rightcall.improve.proof.protocol import improve_plan
from rightcall.model import ExpectedCall, Golden, Tool
from rightcall.models.base import Settings
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store

ROOMS, LEVELS = ("kitchen", "hall", "study", "bedroom", "garage", "attic"), ("dim", "bright", "off")
METHODS = ("standard", "express", "courier")
ACCOUNTS = ("savings", "checking", "holiday", "business", "joint", "travel")


class Defective(NamedTuple):
    """Tools with a defect, and requests with the call that is right."""

    tools: list[Tool]
    requests: list[tuple[str, str, dict[str, Any]]]


def tool(name: str, text: str, **parameters: Mapping[str, Any]) -> Tool:
    return Tool(name, text, {"type": "object", "properties": parameters, "required": [*parameters]})


def whole(text: str) -> dict[str, Any]:
    return {"type": "integer", "description": text}


def lamps() -> Defective:
    room = {"type": "string", "enum": [*ROOMS], "description": "Name of the room"}
    level = {"type": "string", "description": "How much light"}
    light = "Set the lamp of a room to a level. Use it for light in the house."
    timer = tool("start_timer", "Start a timer that rings later. Use it for cooking times.",
                 minutes=whole("How long, in minutes"))  # fmt: skip
    cases = [(ROOMS[n % 6], LEVELS[n // 6 % 3]) for n in range(36)]
    return Defective(
        [tool("set_lamp", light, room=room, level=level), timer],
        [
            *((f"Turn the lamp in the {r} {v}.", "set_lamp", {"room": r, "level": v}) for r, v in cases),
            *((f"Start a timer for {n} minutes", "start_timer", {"minutes": n}) for n in range(3, 7)),
        ],
    )


def parcels() -> Defective:
    number, method = whole("Number of the parcel"), {"type": "string", "description": "How it goes"}
    cases = [(100 + n, METHODS[n % 3]) for n in range(24)]
    return Defective(
        [tool("ship_parcel", "Ship a parcel.", parcel=number, method=method),
         tool("track_parcel", "Track a parcel.", parcel=number)],
        [
            *((f"Ship parcel {n} by {m}", "ship_parcel", {"parcel": n, "method": m}) for n, m in cases),
            *((f"Track parcel {n}", "track_parcel", {"parcel": n}) for n in range(200, 206)),
        ],
    )  # fmt: skip


def pair() -> Defective:
    number = whole("Number of the note")
    said = {"archive_note": ("Archive note {}", "Put note {} away for now"),
            "erase_note": ("Erase note {}", "Destroy note {} for good")}  # fmt: skip
    return Defective(
        [tool("archive_note", "Removes the note of a user.", number=number),
         tool("erase_note", "Removes a note of the user.", number=number)],
        [(texts[n % 2].format(n), name, {"number": n}) for name, texts in said.items() for n in range(11, 25)],
    )  # fmt: skip


def narrow() -> Defective:
    texts = ("How much money is in my {} account?", "Show the balance of the {} account",
             "What money is left in my {} account?")  # fmt: skip
    return Defective(
        [tool("read_ledger", "Second version of the service."),
         tool("show_weather", "Show the weather of a city."), tool("play_song", "Play a song.")],
        [
            *((text.format(a), "read_ledger", {}) for text in texts for a in ACCOUNTS),
            *((f"Show the weather of {c}", "show_weather", {}) for c in ("Oslo", "Paris", "Lima", "Cairo", "Rome")),
            *((f"Play the song {s}", "play_song", {}) for s in ("Yesterday", "Imagine", "Hurt", "Creep", "Jolene")),
        ],
    )  # fmt: skip


SUITES = {"lamps": lamps, "parcels": parcels, "pair": pair, "narrow": narrow}


async def improved(name: str, model: str) -> str:
    """The pass rate, and what `improve` says."""
    tools, requests = SUITES[name]()
    goldens = [
        Golden(text, f"{called}-{at:02}", expected_calls=(ExpectedCall(called, args),))
        for at, (text, called, args) in enumerate(requests)
    ]
    settings = Settings(temperature=0.0, max_tokens=80, tool_choice="required")
    plan = Plan(name, Agent(model, tools=tools, settings=settings), goldens)
    with tempfile.TemporaryDirectory() as folder, open_store(f"{folder}/s.db") as store:
        run = await run_plan(plan, store)
        improvement = await improve_plan(plan, store, run.run.id, ImproveOptions(trials=1))
    rate = run.summary.overall.pass_rate
    return f"{name}: passes {rate:.0%} of {len(goldens)}; {improvement.outcome}: {improvement.sentence}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("suites", nargs="*", help=", ".join(SUITES))
    parser.add_argument("--model", default="local:smollm2")
    options = parser.parse_args()
    for name in options.suites or SUITES:
        print(asyncio.run(improved(name, options.model)), flush=True)


if __name__ == "__main__":
    main()
