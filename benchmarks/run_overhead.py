"""Overhead of a run besides the model: CPU time per case, time compared with the ideal, memory.

    python -m benchmarks.run_overhead --n 5000 --concurrency 100 --latency-ms 0
    python -m benchmarks.run_overhead --n 2000 --concurrency 100 --latency-ms 200
    python -m benchmarks.run_overhead --n 20000
    python -m benchmarks.run_overhead --instructions

The model is on loopback in a process of its own. Beside each run of `rightcall run` stands a bare loop over the same
HTTP client that compares the answer with a dict, in the same minute on the same machine: compare the two, not either
with another day's. The timeline, in seconds since the process was started, says where the time went: before the first
request, between the replies, or after the last one.

`--instructions` counts with valgrind's cachegrind what a case costs in user mode, start left out: the slope between 200
and 1,000 cases. It does not move with the load of the machine.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.support.loopback_model import passes
from tests.support.model_process import loopback_model, times, write_suite

from benchmarks.startup import ENVIRONMENT

BARE = """
import asyncio, json, sys
import aiohttp
from tests.support.loopback_model import TOOLS, expected, goldens
port, n, concurrency = map(int, sys.argv[1:4])
tools = [{"type": "function", "function": {"name": t["name"], "description": t["description"],
          "parameters": t["input_schema"]}} for t in TOOLS]
async def main():
    gate, right = asyncio.Semaphore(concurrency), 0
    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector) as session:
        async def one(i, golden):
            nonlocal right
            async with gate:
                body = {"model": "m", "messages": [{"role": "user", "content": golden["input"]}], "tools": tools}
                async with session.post(f"http://127.0.0.1:{port}/v1/chat/completions", json=body) as reply:
                    answer = await reply.json()
            call = answer["choices"][0]["message"]["tool_calls"][0]["function"]
            right += {"name": call["name"], "arguments": json.loads(call["arguments"])} == expected(i)
        await asyncio.gather(*(one(i, g) for i, g in enumerate(goldens(n))))
    print(right)
asyncio.run(main())
"""


def measured(command: list[str], folder: str, port: int) -> dict[str, float]:
    """Wall time, CPU time and peak memory of a process, and when the model at `port` heard of it."""
    environment = {**ENVIRONMENT, "PYTHONPATH": str(Path(__file__).parents[1])}
    before = len(times(port)["asked"])
    began = time.time()
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    )
    assert process.stdout is not None
    printed = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    ended = time.time()
    seen = times(port)
    asked = seen["asked"][before:]
    answered = seen["answered"][before:]
    return {
        "wall": ended - began,
        "first request": asked[0] - began,
        **{f"reply {n:,}": at - began for n, at in enumerate(answered, start=1) if n % 1000 == 0},
        "last reply": answered[-1] - began,
        "cpu": usage.ru_utime + usage.ru_stime,
        "rss": usage.ru_maxrss / 1024,
        "passed": _passed(printed),
    }


def instructions(command: list[str], folder: str) -> int:
    """Instructions of a process in user mode."""
    environment = {**ENVIRONMENT, "PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONHASHSEED": "0"}
    counter = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    process = subprocess.run(
        [*counter, *command], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    counted = re.search(r"I\s+refs:\s+([\d,]+)", process.stderr)
    assert counted, process.stderr[-1000:]
    return int(counted.group(1).replace(",", ""))


def commands_of(folder: str, n: int, port: int, at_once: int) -> dict[str, list[str]]:
    suite = write_suite(Path(folder), n, port, concurrency=at_once)
    return {
        "bare client": [sys.executable, "-c", BARE, str(port), str(n), str(at_once)],
        "rightcall run": [sys.executable, "-m", "rightcall.cli.main", "run", str(suite), "--json"],
    }


def print_slopes(at_once: int, few: int = 200, many: int = 1000) -> None:
    counts: dict[str, list[int]] = {}
    for n in (few, many):
        with loopback_model(latency_ms=0.0) as port, tempfile.TemporaryDirectory() as folder:
            for name, command in commands_of(folder, n, port, at_once).items():
                counts.setdefault(name, []).append(instructions(command, folder))
    slopes = {name: (last - first) / (many - few) for name, (first, last) in counts.items()}
    for name, slope in slopes.items():
        ratio = slope / slopes["bare client"]
        print(f"{name:<14} {slope:11,.0f} instructions a case  {ratio:5.2f} × bare")


def timeline(found: dict[str, float]) -> list[str]:
    """The moments of a run, in order."""
    moments = {label: at for label, at in found.items() if label.startswith(("first", "reply", "last"))}
    return [f"{label} {at:.2f} s" for label, at in {**moments, "exit": found["wall"]}.items()]


def _passed(printed: str) -> float:
    last = printed.strip().splitlines()[-1]
    if last.isdigit():
        return float(last)
    rows: list[dict[str, float]] = json.loads(last)["summary"]["rows"]
    return rows[-1]["passed"]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--n", type=int, default=2000)
    parser.add_argument("--concurrency", type=int, default=100)
    parser.add_argument("--latency-ms", type=float, default=0.0)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--instructions", action="store_true")
    options = parser.parse_args()
    n = options.n
    at_once = options.concurrency
    if options.instructions:
        print_slopes(at_once)
        return
    best: dict[str, dict[str, float]] = {}
    with loopback_model(latency_ms=options.latency_ms) as port, tempfile.TemporaryDirectory() as folder:
        commands = commands_of(folder, n, port, at_once)
        for _ in range(options.repeat):
            for name, command in commands.items():
                found = measured(command, folder, port)
                assert found["passed"] == passes(n), (name, found["passed"], passes(n))
                if name not in best or found["cpu"] < best[name]["cpu"]:
                    best[name] = found
    ideal = n * options.latency_ms / 1000 / at_once
    print(f"{n:,} cases, {at_once} at once, {options.latency_ms:g} ms latency; best of {options.repeat}")
    for name, found in best.items():
        against = f"{found['wall'] / ideal:6.2f} × ideal" if ideal else ""
        ratio = found["cpu"] / best["bare client"]["cpu"]
        print(
            f"{name:<14} {found['cpu'] / n * 1000:6.2f} ms CPU a case  {ratio:5.2f} × bare  "
            f"{found['wall']:7.2f} s  {found['rss']:6.0f} MB  {against}"
        )
    for name, found in best.items():
        print(f"{name:<14} {', '.join(timeline(found))}")


if __name__ == "__main__":
    main()
