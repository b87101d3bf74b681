"""How often `improve` accepts a change that has no effect, and one that helps, simulated with the real protocol.

The agent is flaky and scripted: every golden has its own chance of passing, mostly high or mostly low, 75% on average.
*Null*: ten rewritten texts that change nothing, the same goldens used as proof five times; any acceptance is an error.
*Power*: one text that repairs failing goldens of some tools so that they pass 20 points more often, among four that do
nothing.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rightcall.agents.agent import Agent
from rightcall.improve.hypothesis import ProposedChange
from rightcall.improve.improvement import Improvement
from rightcall.improve.proof.options import ImproveOptions
from rightcall.improve.proof.protocol import improve_plan
from rightcall.improve.proposals import Proposal, ProposalTask
from rightcall.providers.base import ModelReply
from rightcall.records import ExpectedCall, Golden, Message, Tool, ToolCall
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store

SUBJECTS = ("invoice", "meeting", "parcel", "recipe", "garden", "ticket")
TOOLS = [
    Tool(f"find_{word}", f"Find the {word} that a user asks for. Returns its number and its date.", {
        "type": "object", "required": ["name"], "additionalProperties": False,
        "properties": {"name": {"type": "string", "description": f"Name of the {word}, as the user gives it"}},
    })
    for word in SUBJECTS
]  # fmt: skip
SAYINGS = (
    "Look up the {} somebody wants.", "Search for one {} by its name.", "Get the {} with a given name.",
    "Fetch the {} a person names.", "Show which {} has this name.", "Retrieve one {} for a user.",
    "Locate the {} in question.", "Give back the {} that is named.", "Pick out one {} by name.", "Read the {} by name.",
)  # fmt: skip
HELPS = "Match names without regard to spelling."
SOLID = 0.97


class FlakyAgent:
    """Passes a golden with the golden's own chance, and with a better one where a text helps."""

    name = "flaky"

    def __init__(self, seed: str, goldens: list[Golden], helped: set[str], gain: float) -> None:
        rng = random.Random(seed)
        self._chance = {golden.id: rng.betavariate(0.9, 0.3) for golden in goldens}
        of_helped = [self._chance[golden.id] for golden in goldens if golden.id in helped]
        room = sum(max(0.0, SOLID - chance) for chance in of_helped) / max(1, len(of_helped))
        self._repaired = {name for name in sorted(helped) if rng.random() < gain / max(room, gain)}
        self._goldens = {golden.id: golden for golden in goldens}
        self._noise = seed
        self._asked = itertools.count()

    async def complete(self, request: Any) -> ModelReply:
        golden = self._goldens[request.golden_id]
        chance = self._chance[golden.id]
        if golden.id in self._repaired and any(HELPS in tool.description for tool in request.prompt.tools):
            chance = max(chance, SOLID)
        right = random.Random(f"{self._noise}/{next(self._asked)}").random() < chance
        call = golden.expected_calls[0]
        name = (
            str(call.tool)
            if right
            else TOOLS[(1 + [t.name for t in TOOLS].index(str(call.tool))) % len(TOOLS)].name
        )
        return ModelReply(Message("assistant", "", (ToolCall(name, dict(call.args or {})),)))

    def prepare(self, prompt: Any) -> None: ...

    async def check(self) -> list[str]:
        return []

    async def aclose(self) -> None: ...

    async def __aenter__(self) -> FlakyAgent:
        return self

    async def __aexit__(self, *_: object) -> None: ...


def goldens_of(count: int) -> list[Golden]:
    """The same number for each tool."""
    return [
        Golden(
            f"Which {SUBJECTS[n % 6]} belongs to customer {n}?", f"g{n:03}",
            expected_calls=(ExpectedCall(f"find_{SUBJECTS[n % 6]}", {"name": f"customer {n}"}),),
        )
        for n in range(count)
    ]  # fmt: skip


class Texts:
    """Proposes rewritten texts for some tools: those that do nothing, and one that helps if asked."""

    def __init__(self, tools: int, nothing: int, helps: bool) -> None:
        self._names = [tool.name for tool in TOOLS[:tools]]
        self._nothing = nothing
        self._helps = helps

    async def __call__(self, task: ProposalTask) -> list[Proposal]:
        kinds = [f"same {n}" for n in range(self._nothing)] + ["helps"] * self._helps
        return [self._proposal(kind, n) for n, kind in enumerate(kinds)]

    def _proposal(self, kind: str, number: int) -> Proposal:
        changes = []
        for tool in TOOLS[: len(self._names)]:
            first, _, rest = tool.description.partition(". ")
            said = HELPS if kind == "helps" else SAYINGS[number % len(SAYINGS)].format(tool.name[5:])
            text = f"{first}. {said}" if kind == "helps" else f"{said} {rest}"
            changes.append(ProposedChange(tool.name, ("description",), tool.description, text))
        return Proposal(kind, "simulated", tuple(changes), "model", tuple(self._names))


def simulated(
    seed: str, *, goldens: int, tools: int, nothing: int, gain: float, uses: int
) -> list[Improvement]:
    """What `improve` says of one drawn agent, used several times on the same goldens."""
    made = goldens_of(goldens)
    helped = (
        {g.id for g in made if str(g.expected_calls[0].tool) in {t.name for t in TOOLS[:tools]}}
        if gain
        else set()
    )
    agent = Agent(FlakyAgent(seed, made, helped, gain), tools=TOOLS)  # type: ignore[arg-type]
    plan = Plan("simulated", agent, made, trials=3)
    options = ImproveOptions(proposals=30, rewrite=Texts(tools, nothing, gain > 0))
    fast = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=fast) as folder, open_store(f"{folder}/s.db") as store:
        run = asyncio.run(run_plan(plan, store)).run.id
        return [asyncio.run(improve_plan(plan, store, run, options)) for _ in range(uses)]


def _tell(what: str, done: int, accepted: int) -> None:
    if done % 10 == 0:
        print(f"    {what}: {accepted} accepted of {done}", file=sys.stderr, flush=True)


def null(seeds: int, uses: int, goldens: int = 150, start: int = 0) -> tuple[int, int]:
    """Seeds with a wrong acceptance at the first use, and at any use."""
    first = ever = 0
    for seed in range(start, start + seeds):
        found = simulated(f"null/{seed}", goldens=goldens, tools=2, nothing=10, gain=0.0, uses=uses)
        first += found[0].outcome == "accepted"
        ever += any(one.outcome == "accepted" for one in found)
        _tell("null", seed - start + 1, ever)
    return first, ever


def power(seeds: int, tools: int, gain: float, goldens: int = 150, start: int = 0) -> tuple[int, float]:
    """Seeds in which the text that helps is accepted, and the mean number of calls."""
    accepted = 0
    calls = 0
    for seed in range(start, start + seeds):
        (found,) = simulated(f"power/{seed}", goldens=goldens, tools=tools, nothing=4, gain=gain, uses=1)
        accepted += found.outcome == "accepted" and HELPS in found.patch
        calls += found.calls
        _tell(f"power {tools}", seed - start + 1, accepted)
    return accepted, calls / seeds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=200, help="agents drawn for each row")
    parser.add_argument("--uses", type=int, default=5, help="proofs on the same goldens")
    parser.add_argument("--start", type=int, default=0, help="first seed: several processes share the work")
    parser.add_argument("--only", choices=["null", "power"])
    options = parser.parse_args()
    start = time.perf_counter()
    os.chdir(tempfile.gettempdir())  # outside any repository, so that no run has to ask git
    if options.only != "power":
        first, ever = null(options.seeds, options.uses, start=options.start)
        print(f"nothing helps: accepted {first} of {options.seeds} at the first proof, {ever} in {options.uses} proofs "
              "on the same goldens", flush=True)  # fmt: skip
    for tools in (2, 3, 1) if options.only != "null" else ():
        accepted, calls = power(options.seeds, tools, 0.2, start=options.start)
        print(f"+20 points on the goldens of {tools} of 6 tools ({15 * tools} in proof): accepted "
              f"{accepted} of {options.seeds}, {calls:.0f} calls", flush=True)  # fmt: skip
    print(f"{time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
