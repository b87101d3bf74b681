"""Peak memory of a run in one process, by the number of cases, with and without a gate.

    python -m benchmarks run_memory [--cases 10000 1000000] [--gate]

The agent does nothing, and each run is a new process: what grows with the cases is what RightCall keeps of them.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from rightcall.agents.agent import Agent
from rightcall.decide.config import Gate
from rightcall.records import Golden, ToolCall
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks run_memory")
    parser.add_argument("--cases", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument(
        "--gate", action="store_true", help="runs with a gate, whose verdict needs every result"
    )
    options = parser.parse_args()
    print(f"{'cases':>10}{'peak MB':>10}")
    for n in options.cases:
        code = f"from benchmarks.run_memory import one_run; one_run({n}, {options.gate})"
        ended = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
        print(f"{n:>10,}{int(ended.stdout):>10,}", flush=True)


def one_run(n: int, gated: bool) -> None:
    """Run `n` cases and print the most memory this process had, in MB."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "goldens.jsonl"
        write_goldens(path, n)
        plan = Plan("memory", Agent(_at_once), path, concurrency=64, gate=Gate(min=0.9) if gated else None)
        with open_store(str(Path(folder) / "results.db")) as store:
            asyncio.run(run_plan(plan, store))
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)


def write_goldens(path: Path, n: int) -> None:
    """Write `n` goldens that expect one call."""
    with path.open("w", encoding="utf-8") as file:
        for i in range(n):
            wanted = '[{"tool": "a", "args": {"n": 1}}]'
            file.write(f'{{"id": "g{i}", "input": "Do {i}", "expected_calls": {wanted}}}\n')


async def _at_once(golden: Golden) -> list[ToolCall]:
    return [ToolCall("a", {"n": 1})]
