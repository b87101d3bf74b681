"""The planted suites with a real model instead of the scripted agent: how often is the defect named first?

The scripted agent errs where definitions mislead and hardly elsewhere; a real model errs everywhere, so this is the
number to expect. `--model local:smollm2` [default] takes about a second a case.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections import Counter

from benchmarks.planted import hit, planted
from benchmarks.planted_suites.defects import DEFECTS
from benchmarks.planted_suites.domains import HELD_OUT
from rightcall.agents.agent import Agent
from rightcall.improve.run_analysis import analyze_run
from rightcall.providers.base import Settings
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="local:smollm2")
    parser.add_argument("--goldens", type=int, default=3, help="goldens a tool")
    parser.add_argument("--defects", default=",".join(name for name in DEFECTS if name != "error"))
    options = parser.parse_args()
    first: Counter[str] = Counter()
    third: Counter[str] = Counter()
    rates = []
    names = options.defects.split(",")
    for number, name in enumerate(names):
        suite, (truth,) = planted(HELD_OUT[number % len(HELD_OUT)], [name], f"model/{name}", options.goldens)
        agent = Agent(
            options.model, tools=suite.tools, system=suite.system, settings=Settings(temperature=0.0)
        )
        with tempfile.TemporaryDirectory() as folder, open_store(f"{folder}/s.db") as store:
            outcome = asyncio.run(run_plan(Plan(name, agent, suite.goldens), store))
            found = analyze_run(store, outcome.run.id).findings
        rates.append(outcome.summary.overall.pass_rate)
        first[name] += bool(found) and hit(found[0], truth)
        third[name] += any(hit(one, truth) for one in found[:3])
        said = [f"{one.cause} {one.place}" for one in found[:3]]
        print(
            f"{name:<12} passes {rates[-1]:>4.0%}  first {first[name]}  in three {third[name]}   {said}",
            flush=True,
        )
    print(f"{options.model}: first {first.total()} of {len(names)}, in the first three {third.total()}; it passes "
          f"{sum(rates) / len(rates):.0%} of the cases")  # fmt: skip


if __name__ == "__main__":
    main()
