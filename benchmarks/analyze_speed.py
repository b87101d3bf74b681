"""Analyzing a stored run of 100,000 failed cases: seconds, and memory compared with 10,000."""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rightcall.core.codec import encode
from rightcall.improve.run_analysis import analyze_run
from rightcall.metrics.case_result import result_of
from rightcall.records import ExpectedCall, Golden, Run, Tool, ToolCall, Trajectory
from rightcall.store.address import open_store
from rightcall.store.sql.store import Store

TRIALS = 3


def main() -> None:
    if len(sys.argv) > 2:
        _measured(sys.argv[1], sys.argv[2])
        return
    with tempfile.TemporaryDirectory() as folder:
        for failed in (10_000, 100_000):
            path = Path(folder) / f"{failed}.db"
            _fill(open_store(path), failed)
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.analyze_speed", str(path), str(failed)],
                capture_output=True, text=True, check=True,
            )  # fmt: skip
            print(done.stdout.strip(), flush=True)


def _measured(path: str, failed: str) -> None:
    with open_store(path) as store:
        start = time.perf_counter()
        busy = time.process_time()
        found = analyze_run(store, "last")
        seconds = time.perf_counter() - start
        busy = time.process_time() - busy
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    assert found.failed == int(failed)
    print(
        f"{found.failed:>8,} failed cases: {seconds:.1f} s ({busy:.1f} s of CPU time), {memory:.0f} MB at most"
    )
    print(f"         first finding: {found.findings[0].cause}")


TOOLS = [
    Tool(f"tool_{n}", f"Do the {word} of a thing that users ask for.", {
        "type": "object", "required": ["minutes", "name"],
        "properties": {"minutes": {"type": "integer", "description": "How long"}, "name": {"type": "string"}},
    })
    for n, word in enumerate(["washing", "cooking", "mending", "sorting", "painting", "counting", "drawing", "writing"])
]  # fmt: skip


def _fill(store: Store, failed: int) -> None:
    offered = {tool.name: tool for tool in TOOLS}
    run = Run(
        "speed",
        "speed",
        "2027-01-01T00:00:00.000Z",
        trials=TRIALS,
        fingerprints={"tools": "t", "dataset": "d"},
    )
    writer = store.runs.begin(run, planned=failed, documents={"tools": encode(TOOLS)})
    goldens = [_golden(n) for n in range(-(-failed // TRIALS))]
    writer.add_goldens(goldens)
    batch = []
    made = 0
    for golden in goldens:
        for trial, trajectory in enumerate(_trajectories(golden)):
            if made < failed:
                made += 1
                batch.append(result_of(golden, trial, trajectory, offered))
        if len(batch) >= 1000:
            writer.add(batch)
            batch = []
    writer.add(batch)
    store.close()


def _golden(number: int) -> Golden:
    rng = random.Random(number)
    tool = rng.choice(TOOLS)
    name = f"customer {number}"
    text = f"Please do the {tool.description.split()[2]} for {name} within {rng.randint(1, 9)} hours, as last time"
    wanted = ExpectedCall(tool.name, {"minutes": 60 * (1 + number % 9), "name": name})
    return Golden(text, f"g{number:06}", expected_calls=(wanted,))


def _trajectories(golden: Golden) -> Iterator[Trajectory]:
    rng = random.Random(golden.id)
    call = golden.expected_calls[0]
    for _ in range(TRIALS):
        way = rng.random()
        arguments = dict(call.args or {})
        name = str(call.tool)
        hours = arguments | {"minutes": arguments["minutes"] // 60}
        if way < 0.5:
            calls = (ToolCall(name, hours, status="ok", output="done"),)
        elif way < 0.8:
            other = TOOLS[(int(name[5:]) + 1) % 8].name
            calls = (ToolCall(other, arguments, status="ok", output="done"),)
        else:
            calls = ()
        yield Trajectory(calls=calls, output="I did it.")


if __name__ == "__main__":
    main()
