"""Whether following the linter helps: the embedded model chooses between tools before and after a rewrite.

    rightcall list models --download smollm2
    python benchmarks/lint_before_after.py

Four pairs of tools, eight requests each, the two tools of a pair offered together, temperature 0, a tool must be
chosen: guessing is right half of the time. Prints the table of docs/write-tools-a-model-can-use.md. Four pairs
written for the purpose are an illustration, not a benchmark: the intervals are wide.
"""

from __future__ import annotations

import asyncio
import json
import sys
from math import comb
from pathlib import Path
from typing import Any

from rightcall.agents.agent import Agent
from rightcall.agents.kinds import agent_of_kind
from rightcall.lint.engine import lint
from rightcall.records import Golden, Tool

DATA = Path(__file__).parent / "data" / "lint_before_after.json"
MODEL = "local:smollm2"


def main() -> None:
    pairs = json.loads(DATA.read_text())
    before, after = (asyncio.run(chosen(pairs, version)) for version in ("before", "after"))
    print(f"| pair | before ({MODEL}) | after |\n|---|---|---|")
    for pair in pairs:
        count = len(pair["requests"])
        print(
            f"| {pair['title']} | {sum(before[pair['title']])}/{count} | {sum(after[pair['title']])}/{count} |"
        )
    old, new = ([right for pair in pairs for right in found[pair["title"]]] for found in (before, after))
    print(f"| all | {sum(old)}/{len(old)} | {sum(new)}/{len(new)} |")
    worse = sum(a and not b for a, b in zip(old, new, strict=True))
    better = sum(b and not a for a, b in zip(old, new, strict=True))
    print(
        f"\n{better} requests became right, {worse} wrong; exact sign test p = {sign_test(better, worse):.4f}"
    )
    for version in ("before", "after"):
        counts = lint([tool for pair in pairs for tool in tools_of(pair, version)]).counts()
        print(f"lint {version}: {counts}")


async def chosen(pairs: list[dict[str, Any]], version: str) -> dict[str, list[bool]]:
    """For each pair whether the right tool was called, request by request."""
    found: dict[str, list[bool]] = {}
    for pair in pairs:
        tools = tools_of(pair, version)
        agent = Agent(
            MODEL, tools=tools, settings={"temperature": 0, "tool_choice": "required", "max_tokens": 64}
        )
        async with agent_of_kind(agent, concurrency=1) as session:
            rights = found.setdefault(pair["title"], [])
            for which, request in pair["requests"]:
                trajectory = await session.performer.perform(Golden(request), 0)
                rights.append([call.name for call in trajectory.calls] == [tools[which].name])
        print(
            f"{version}, {pair['title']}: {sum(rights)} of {len(rights)} right", file=sys.stderr, flush=True
        )
    return found


def tools_of(pair: dict[str, Any], version: str) -> list[Tool]:
    return [Tool(tool["name"], tool["description"], tool["input_schema"]) for tool in pair[version]]


def sign_test(better: int, worse: int) -> float:
    """Two-sided exact probability of a split at least this uneven when both are equally likely."""
    total = better + worse
    tail = sum(comb(total, k) for k in range(max(better, worse), total + 1))
    return min(1.0, 2 * tail / 2**total) if total else 1.0


if __name__ == "__main__":
    main()
