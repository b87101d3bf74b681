"""First requests compared without asking the model: CPU time for 200 goldens, and requests that reach a server.

Each agent is run once per golden to make a baseline, against a scripted model on this machine. Then the first requests
of all goldens are captured and compared: the bounds are 5 s of CPU time and no request. `--goldens` sets how many.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Callable
from typing import Any

from tests.limbs.adapters.kits.asking_agents import ASKING_AGENTS, SYSTEM
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import Answer, Journal

from rightcall.agents.agent import Agent
from rightcall.agents.kinds import agent_of_kind
from rightcall.agents.watched_trial import perform_watched
from rightcall.check.first_requests import FirstRequests, compare_first_requests
from rightcall.records import Golden
from rightcall.run.baseline_file import BaselineHeader, BaselineLine, BaselinePool, BaselineRun
from rightcall.run.inputs import Inputs, golden_hash
from rightcall.run.plan import Plan

BOUND_SECONDS = 5.0


class Counter(Journal):
    """Counts requests."""

    count = 0

    def note(self, sent: Any) -> None:
        self.count += 1


async def baseline_of(agent: Callable[[Golden], Any], goldens: list[Golden]) -> BaselinePool:
    lines = []
    async with agent_of_kind(Agent(agent)) as session:
        for golden in goldens:
            _, first_request = await perform_watched(session, golden, 0)
            lines.append(BaselineLine(golden.id, golden_hash(golden), "", ("1",), first=(first_request,)))
    header = BaselineHeader("benchmark", "", Inputs(), (BaselineRun("r", "2026-01-01T00:00:00Z"),))
    return BaselinePool(header, tuple(lines))


def measured(agent: Any, baseline: BaselinePool, goldens: list[Golden]) -> tuple[FirstRequests, float, float]:
    plan = Plan("benchmark", Agent(agent), goldens)
    started = time.perf_counter()
    cpu = time.process_time()
    comparison = asyncio.run(compare_first_requests(plan, baseline))
    return comparison, time.process_time() - cpu, time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--goldens", type=int, default=200)
    number = parser.parse_args().goldens
    goldens = [Golden(f"weather {i}", id=f"g{i:04}") for i in range(number)]
    failed = []
    print(f"{'agent':<22} {'equal':>6} {'changed':>8} {'sent':>5} {'tools':>6} {'CPU s':>7} {'s':>7}")
    for name, agent in ASKING_AGENTS.items():
        counter = Counter()
        ran = list[str]()
        with model_server(counter, lambda said, turn: Answer("done")) as address:
            baseline = asyncio.run(baseline_of(agent(address, ran), goldens))
            before = counter.count
            same, cpu, seconds = measured(agent(address, ran), baseline, goldens)
            other, _, _ = measured(agent(address, ran, f"{SYSTEM} Be brief."), baseline, goldens)
            sent = counter.count - before
        row = f"{name:<22} {len(same.equal):>6} {len(other.changed):>8} {sent:>5} {len(ran):>6}"
        print(f"{row} {cpu:>7.2f} {seconds:>7.2f}", flush=True)
        if sent or ran or len(same.equal) < number or len(other.changed) < number or cpu > BOUND_SECONDS:
            failed.append(name)
    if failed:
        sys.exit(f"over the bound of {BOUND_SECONDS:g} s, sent a request or missed one: {', '.join(failed)}")


if __name__ == "__main__":
    main()
