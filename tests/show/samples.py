"""Runs to report on: the bundled demo, a run in which every kind of thing happens, and a hostile one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

import rightcall as api
from rightcall.agents.agent import Agent
from rightcall.cli.demo_suites import FOLDER
from rightcall.records import ExpectedCall, Golden, Message, Tool, ToolCall, ToolResult, Trajectory, Usage
from rightcall.show.check_comment import LONGEST
from rightcall.store.sql.store import Store
from rightcall.tools.definitions.source import load_tools

DEEP: Any = 1
for _ in range(300):
    DEEP = {"d": [DEEP]}

HOSTILE = (
    '</script><script>window.pwned = 1</script><img src=x onerror="window.pwned = 2">'
    "<svg/onload=window.pwned=3>[click](javascript:window.pwned=4) ]]> %0A::error::owned\n::error::owned\n"
    "\x1b[31mred\x1b[0m \u202egnp.exe\u202c \u2066iso\u2069 \x00\x07 {{ 7*7 }} ${7*7} | a | b |\n# h1 `code` <!-- -->"
)


def demo_run(folder: Path, trials: int = 1) -> tuple[Store, str]:
    agent = Agent("keyword:", tools=load_tools(FOLDER / "tools.json"))
    run = api.evaluate(agent, FOLDER / "goldens.jsonl", store=folder / "demo.db", name="demo", trials=trials)
    return run.store, run.id


def stored_run(
    folder: Path,
    goldens: list[Golden],
    did: dict[str, Trajectory],
    *,
    name: str = "varied",
    trials: int = 1,
    tools: Sequence[Tool] | None = None,
) -> tuple[Store, str]:
    offered = load_tools(FOLDER / "tools.json") if tools is None else tools
    run = api.evaluate(
        Agent(lambda golden: did[golden.id], tools=offered),
        goldens,
        store=folder / f"{len(goldens)}.db",
        name=name,
        trials=trials,
    )
    return run.store, run.id


def called(*calls: ToolCall, output: str = "", latency_ms: float = 800.0, **more: Any) -> Trajectory:
    return Trajectory(calls=calls, output=output, latency_ms=latency_ms, **more)


def conversation() -> Trajectory:
    """Two answers of the model with two tools between them, all measured."""
    asked = ToolCall("get_weather", {"city": "Hanoi", "units": "fahrenheit"}, "c1", 0, "ok", {"f": 88}, 120.0)
    also = ToolCall("get_forecast", {"city": "Hanoi", "days": "3"}, "c2", 0, "error", "no days", 300.0)
    messages = (
        Message("user", "Weather in Hanoi now, and for 3 days"),
        Message("assistant", "Let me look.", (asked, also), latency_ms=600.0),
        Message("tool", results=(ToolResult("c1", {"f": 88}, False, "get_weather"),)),
        Message("tool", results=(ToolResult("c2", "no days", True, "get_forecast"),)),
        Message("assistant", "It is 88 °F in Hanoi.", latency_ms=400.0),
    )
    return Trajectory(messages, (asked, also), "It is 88 °F in Hanoi.", Usage(420, 61, 0.0021), 1300.0)


def varied_goldens() -> tuple[list[Golden], dict[str, Trajectory]]:
    weather = ExpectedCall("get_weather", {"city": "Hanoi"})
    forecast = ExpectedCall("get_forecast", {"city": "Hanoi", "days": 3})
    cities = [ExpectedCall("get_weather", {"city": city}) for city in ("Paris", "Rome")]
    asked = "Weather in Hanoi now, and for 3 days"
    goldens = [
        Golden(asked, "conversation", expected_calls=(weather, forecast), tags=("weather", "two tools")),
        Golden("Paris and Rome?", "two-cities", expected_calls=tuple(cities)),
        Golden("Weather in Hanoi", "silent", expected_calls=(weather,)),
        Golden("Weather in Hanoi", "other-tool", expected_calls=(weather,)),
        Golden("Weather in Hanoi", "invented", expected_calls=(weather,)),
        Golden("Good morning", "chatty", category="negative", no_calls=True),
        Golden("Good evening", "quiet", category="negative", no_calls=True),
        Golden("Weather, or forecast", "either", expected_calls=(), any_of=((weather,), (forecast,))),
        Golden("Weather in Hanoi", "down", expected_calls=(weather,)),
        Golden("Weather in Hanoi", "broken-json", expected_calls=(weather,)),
    ]
    hanoi = ToolCall("get_weather", {"city": "Hanoi"})
    did = {
        "conversation": conversation(),
        "two-cities": called(
            ToolCall("get_weather", {"city": "Rome"}), ToolCall("get_weather", {"city": "Paris"})
        ),
        "silent": called(output="I cannot."),
        "other-tool": called(ToolCall("get_forecast", {"city": "Hanoi", "days": 1}), latency_ms=2500.0),
        "invented": called(ToolCall("weather_now", {"city": "Hanoi"})),
        "chatty": called(hanoi),
        "quiet": called(output="Good evening!", latency_ms=90.0),
        "either": called(ToolCall("get_forecast", {"city": "Hanoi", "days": 3})),
        "down": called(stop_reason="infra_error", error="503 after 5 tries"),
        "broken-json": called(ToolCall("get_weather", None, raw='{"city": Hanoi')),
    }
    return goldens, did


def varied_run(folder: Path, trials: int = 1) -> tuple[Store, str]:
    return stored_run(folder, *varied_goldens(), trials=trials)


def flaky_run(folder: Path) -> tuple[Store, str]:
    """Three trials of two goldens: one passes once, the other always; the fault is the same in many cases."""
    hanoi = Golden(
        "Weather in Hanoi", "sometimes", expected_calls=(ExpectedCall("get_weather", {"city": "Hanoi"}),)
    )
    goldens = [Golden("Good evening", "always", category="negative", no_calls=True), hanoi]
    asked: dict[str, int] = {}

    def agent(golden: Golden) -> Trajectory:
        asked[golden.id] = asked.get(golden.id, 0) + 1
        if golden.id == "always":
            return called(output="Good evening!")
        city = "Hanoi" if asked[golden.id] == 2 else "Hue"
        return called(ToolCall("get_weather", {"city": city}))

    offered = load_tools(FOLDER / "tools.json")
    run = api.evaluate(
        Agent(agent, tools=offered), goldens, store=folder / "flaky.db", name="flaky", trials=3, concurrency=1
    )
    return run.store, run.id


def hostile_run(folder: Path) -> tuple[Store, str]:
    """Hostile text in every field that a model, a tool or a dataset fills, and once three times what any report shows."""
    huge = HOSTILE + "A" * 3 * LONGEST
    wanted = ExpectedCall(HOSTILE, {HOSTILE: HOSTILE, "deep": DEEP, "n": 1})
    goldens = []
    did = {}
    for number, (text, value) in enumerate([(HOSTILE, HOSTILE), (huge, huge), (HOSTILE, DEEP)]):
        id_ = f"\u202e\x1b[31m{HOSTILE[:100]}{number}"
        goldens.append(
            Golden(
                text,
                id_,
                system=HOSTILE,
                expected_calls=(wanted,),
                forbidden_calls=(HOSTILE + "x",),
                output_contains=(HOSTILE,),
                comments=text,
                tags=(HOSTILE[:60],),
                cluster=HOSTILE,
            )
        )
        call = ToolCall(HOSTILE, {HOSTILE: "x", "deep": 1, "v": value}, HOSTILE, 0, "ok", value, 5.0)
        other = ToolCall(HOSTILE + "y", None, "i", 0, "error", HOSTILE, 5.0, raw=text)
        messages = (
            Message("system", text),
            Message("user", text),
            Message("assistant", text, (call, other), latency_ms=3.0),
            Message("tool", results=(ToolResult(HOSTILE, value, True, HOSTILE),)),
            Message("assistant", text),
        )
        did[id_] = Trajectory(messages, (call, other), text, Usage(1, 1), 20.0, "agent_error", text)
    down = Golden(HOSTILE, "down" + HOSTILE[:80], expected_calls=(wanted,))
    did[down.id] = Trajectory(stop_reason="infra_error", error=huge)
    return stored_run(folder, [*goldens, down], did, name=HOSTILE, tools=())


def many_cases(folder: Path, cases: int, letters: int) -> tuple[Store, str]:
    """Cases with long transcripts of words that hardly compress."""
    chance = random.Random(7)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(20_000)]

    def prose() -> str:
        return " ".join(chance.choices(words, k=letters // 7))

    sample = conversation()
    goldens = []
    did = {}
    for number in range(cases):
        golden = Golden(
            prose()[:200],
            f"case-{number:05}",
            expected_calls=(ExpectedCall("get_weather", {"city": "Hanoi"}),),
        )
        messages = (Message("user", golden.input), *sample.messages[1:-1], Message("assistant", prose()))
        did[golden.id] = msgspec.structs.replace(
            sample, messages=messages, latency_ms=chance.expovariate(1 / 900)
        )
        goldens.append(golden)
    return stored_run(folder, goldens, did, name="many")
