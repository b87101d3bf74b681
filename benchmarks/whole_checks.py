"""500 whole checks of simulated changes: suite, store, diff, lint, trials and verdict, as `rightcall check` runs them.

    python -m benchmarks whole_checks [--changes 500] [--goldens 200] [--trials 3] [--suite mixed] [--confirm off]

A suite of ten tools, a tenth of the goldens for each, and an agent that passes each golden with a known rate. Of the
changes 40% alter nothing but a word of one tool, 30% break one tool (half by 20 points, half by 50) and 30% come
with a new prompt that makes everything worse (half by 10 points, half by 20). Rates and baselines are drawn anew for
each change. The rule is the one without confirmation, or with that by a second draw. Exits with 1 when a promised rate
is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import yaml

from benchmarks.check import SUITES, rates_of
from benchmarks.check_simulation import worse_rates
from rightcall.check.options import CheckOptions
from rightcall.check.suite_check import check_suite
from rightcall.decide.check_result import CheckResult
from rightcall.decide.check_settings import CheckSettings
from rightcall.records import Golden, ToolCall
from rightcall.run.baseline_file import BaselinePool, write_baseline
from rightcall.run.baseline_pool import find_baseline
from rightcall.run.runner import run_plan
from rightcall.run.suite import load_suite
from rightcall.run.suite_plan import plan_suite
from rightcall.store.address import open_store
from rightcall.store.sql.store import Store

TOOLS = 10
KINDS = [("none", 0)] * 40 + [("tool", 20), ("tool", 50)] * 15 + [("global", 10), ("global", 20)] * 15
AGENT = "from benchmarks.whole_checks import acts\n\ndef agent(golden):\n    return acts(golden)\n"
WORDS = ("alpine", "bronze", "cobalt", "desert", "ember", "fjord", "garnet", "harbor", "island", "jungle")


class Simulated:
    """The agent under test: the true rate of each golden, and its dice."""

    rates: ClassVar[dict[str, float]] = {}
    rng: ClassVar[random.Random] = random.Random(0)


def acts(golden: Golden) -> list[ToolCall]:
    """Calls the expected tool as often as the golden's rate says, else nothing."""
    passed = Simulated.rng.random() < Simulated.rates[golden.id]
    return [ToolCall(str(golden.expected_calls[0].tool), {})] if passed else []


def write_suite(folder: Path, goldens: int, *, told: str = "", system: str = "") -> Path:
    """The suite; `told` is appended to the description of the first tool."""
    tools = [
        {
            "name": f"find_{word}",
            "description": f"Find {word} records of a customer." + (told if i == 0 else ""),
            "input_schema": {"type": "object", "properties": {}},
        }
        for i, word in enumerate(WORDS)
    ]
    (folder / "tools.json").write_text(json.dumps(tools))
    lines = [
        json.dumps({"id": f"g{i}", "input": f"request {i}", "expected_calls": [{"tool": tool}]})
        for i in range(goldens)
        for tool in [f"find_{WORDS[i * TOOLS // goldens]}"]
    ]
    (folder / "goldens.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "simulated.py").write_text(AGENT)
    suite = {
        "name": "simulated", "tools": "tools.json", "dataset": "goldens.jsonl",
        "agent": {"model": "simulated:agent", "system": f"You help.{system}"},
    }  # fmt: skip
    (folder / "suite.yaml").write_text(yaml.safe_dump(suite))
    return folder / "suite.yaml"


def marks(pool: BaselinePool, rates: dict[str, float], trials: int, rng: random.Random) -> BaselinePool:
    """The baseline as if its trials had been these."""
    lines = tuple(
        msgspec.structs.replace(
            line, t=("".join("1" if rng.random() < rates[line.id] else "0" for _ in range(trials)),)
        )
        for line in pool.lines
    )
    return BaselinePool(pool.header, lines)


async def simulate(options: argparse.Namespace, folder: Path, store: Store) -> list[tuple[str, CheckResult]]:
    """Every change checked; its kind and what came of it."""
    rng = random.Random(options.seed)
    found = []
    file = write_suite(folder, options.goldens)
    Simulated.rates = dict.fromkeys((f"g{i}" for i in range(options.goldens)), 1.0)
    outcome = await run_plan(plan_suite(load_suite(file), folder, trials=1), store)
    pool = find_baseline(store, outcome.run.id, "simulated")
    drawn = [KINDS[i * len(KINDS) // options.changes] for i in range(options.changes)]
    for number, (kind, points) in enumerate(drawn):
        rates = rates_of(options.suite, options.goldens, rng)
        names = list(rates)
        write_baseline(marks(pool, rates, options.trials, rng), folder / "main.jsonl")
        hit = names if kind == "global" else names[: options.goldens // TOOLS]
        Simulated.rates = rates | worse_rates({name: rates[name] for name in hit}, points / 100, rng)
        Simulated.rng = random.Random(rng.random())
        said = f" Change {number}."
        write_suite(folder, options.goldens, **({"system": said} if kind == "global" else {"told": said}))
        suite = msgspec.structs.replace(load_suite(file), check=CheckSettings(confirm=options.confirm))
        result = await check_suite(suite, file, store, CheckOptions(baseline=str(folder / "main.jsonl")))
        found.append((f"{kind} {points}", result))
        if number % 50 == 49:
            print(f"  {number + 1} checks", file=sys.stderr, flush=True)
    return found


def main() -> None:
    """Print shares of the words and calls by change, and whether the promises are kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--changes", type=int, default=500)
    parser.add_argument("--goldens", type=int, default=200)
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--suite", choices=list(SUITES), default="mixed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--confirm", choices=("off", "candidate"), default="off")
    options = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        sys.path.insert(0, name)
        with open_store(Path(name) / "rightcall.db") as store:
            found = asyncio.run(simulate(options, Path(name), store))
    cells = {kind: [result for other, result in found if other == kind] for kind, _ in found}
    shown: dict[str, dict[str, float]] = {}
    for kind, results in cells.items():
        words = Counter(result.verdict for result in results)
        calls = sum(result.calls.spent for result in results) / len(results)
        shown[kind] = {word: words[word] / len(results) for word in ("WORSE", "PASS")} | {"calls": calls}
        print(
            f"{kind:<12}{len(results):>5} checks   WORSE {shown[kind]['WORSE']:.1%}   "
            f"PASS {shown[kind]['PASS']:.1%}   {calls:.0f} calls"
        )
    print(f"{len(found)} checks in {time.monotonic() - started:.0f} s")
    if (options.goldens, options.trials, options.suite) == (200, 3, "mixed") and len(cells) == len(
        set(KINDS)
    ):
        missed = [said for said, kept in promises(shown, options.goldens * options.trials) if not kept]
        print("missed: " + "; ".join(missed) if missed else "every promise is kept")
        sys.exit(1 if missed else 0)


def promises(shown: dict[str, dict[str, float]], full: int) -> list[tuple[str, bool]]:
    """What is promised for a mixed suite of 200 goldens with three baseline trials, and whether it was kept."""

    def at(kind: str, what: str) -> Any:
        return shown[kind][what]

    return [
        ("WORSE without a change ≤ 5%", at("none 0", "WORSE") <= 0.05),
        ("PASS without a change ≥ 88%", at("none 0", "PASS") >= 0.88),
        ("calls without a change ≤ 22%", at("none 0", "calls") <= 0.22 * full),
        ("tool 20 WORSE ≥ 84%", at("tool 20", "WORSE") >= 0.84),
        ("tool 50 WORSE ≥ 98%", at("tool 50", "WORSE") >= 0.98),
        ("global 10 WORSE ≥ 85%", at("global 10", "WORSE") >= 0.85),
        ("global 20 WORSE ≥ 98%", at("global 20", "WORSE") >= 0.98),
        ("PASS at the margin ≤ 5%", max(at("tool 20", "PASS"), at("global 10", "PASS")) <= 0.05),
    ]


if __name__ == "__main__":
    main()
