"""Whether the change that broke goldens is named first, among harmless changes: Pairs of stored runs, one planted item.

The second run of a pair has one defect planted into its definitions and three harmless changes: a sentence about
nothing in another tool, titles of the parameters of a third, and a setting. With nothing changed, only noise flips
goldens.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import tempfile
from collections import Counter
from pathlib import Path

import msgspec

from benchmarks.planted import planted
from benchmarks.planted_suites.defects import Truth
from benchmarks.planted_suites.domains import HELD_OUT
from benchmarks.planted_suites.provider import ReadingModel
from benchmarks.planted_suites.suites import PlantedSuite, clean_suite
from rightcall.agents.agent import Agent
from rightcall.improve.attribution import WhatChanged, what_changed
from rightcall.improve.changes import ChangeItem
from rightcall.providers.base import Settings
from rightcall.records import Tool
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store

ITEMS = (
    "unit",
    "enum",
    "date",
    "required",
    "narrow",
    "broad",
    "contrast",
    "abstention",
    "parameter",
    "parameters",
)
"""Defects that are a change of definitions or of the system prompt."""


def pair(name: str, number: int, *, noise: float = 0.03, goldens: int = 7) -> tuple[WhatChanged, Truth]:
    """Two runs of one domain: clean, then with a defect and three harmless changes."""
    domain = HELD_OUT[number % len(HELD_OUT)]
    seed = f"attribution/{name}/{number}"
    broken, (truth,) = planted(domain, [name], seed, goldens)
    clean = clean_suite(domain, f"{seed}/0", goldens)
    tools = _with_harmless(broken.tools, clean.tools, truth, random.Random(seed))
    return compared(broken, (clean.tools, clean.system), (tools, broken.system), seed, noise, 0.5), truth


def unchanged(number: int, noise: float = 0.08) -> WhatChanged:
    """Two runs of the same definitions, so that only noise flips goldens."""
    suite = clean_suite(HELD_OUT[number % len(HELD_OUT)], f"same/{number}")
    setup = suite.tools, suite.system
    return compared(suite, setup, setup, f"same/{number}", noise, None)


def compared(
    suite: PlantedSuite,
    before: tuple[list[Tool], str],
    after: tuple[list[Tool], str],
    seed: str,
    noise: float,
    temperature: float | None,
) -> WhatChanged:
    """Both runs, stored, and what changed between them."""
    fast = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=fast) as folder, open_store(f"{folder}/s.db") as store:
        runs = []
        for side, (tools, system) in enumerate((before, after)):
            model = ReadingModel(suite, noise, f"{seed}/{side}")
            settings = Settings(temperature=temperature if side else None)
            agent = Agent(model, tools=tools, system=system, settings=settings)  # type: ignore[arg-type]
            runs.append(asyncio.run(run_plan(Plan("pair", agent, suite.goldens, trials=3), store)).run.id)
        return what_changed(store, store.runs.get(runs[0]), store.runs.get(runs[1]))


def _with_harmless(tools: list[Tool], clean: list[Tool], truth: Truth, rng: random.Random) -> list[Tool]:
    same = [tool.name for tool in clean if tool.name not in truth.tools]
    one, two = rng.sample(same, 2)
    return [
        _longer(tool) if tool.name == one else _titled(tool) if tool.name == two else tool for tool in tools
    ]


def _longer(tool: Tool) -> Tool:
    return msgspec.structs.replace(tool, description=f"{tool.description} Its answer is short.")


def _titled(tool: Tool) -> Tool:
    schema = msgspec.json.decode(msgspec.json.encode(tool.input_schema))
    for name, one in schema["properties"].items():
        one["title"] = name.title()
    return msgspec.structs.replace(tool, input_schema=schema)


def named_first(found: WhatChanged, truth: Truth) -> bool:
    """Whether the first suspect is the planted change: its tool and parameter, or the system prompt."""
    if not found.suspects:
        return False
    item: ChangeItem = found.items[found.suspects[0].item]
    if truth.cause == "no_abstention_guidance":
        return item.scope == "system"
    return item.tool in truth.tools and (not truth.parameter or item.parameter == truth.parameter)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=63)
    options = parser.parse_args()
    tried: Counter[str] = Counter()
    first: Counter[str] = Counter()
    for number in range(options.pairs):
        name = ITEMS[number % len(ITEMS)]
        found, truth = pair(name, number)
        tried[name] += 1
        first[name] += named_first(found, truth)
    print(f"the planted change is named first in {first.total()} of {tried.total()} pairs", flush=True)
    print("   ", {name: f"{first[name]}/{tried[name]}" for name in tried})
    print(unchanged(0).sentence)


if __name__ == "__main__":
    main()
