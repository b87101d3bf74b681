"""Uses each part of `examples/plugin` in one process and prints what it did; see `test_plugin.py`."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import rightcall as rc
from rightcall.cli.main import cli

TOOLS = [
    {
        "name": "get_weather",
        "description": "Get the weather of a city. TODO: units",
        "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    }
]


def command(*words: str) -> str:
    out = io.TextIOWrapper(io.BytesIO(), "utf-8")
    with contextlib.redirect_stdout(out):
        cli.main(list(words), standalone_mode=False)
    out.flush()
    return out.buffer.getvalue().decode()  # type: ignore[attr-defined]


def calls_of(trajectory: Any) -> list[Any]:
    return [[call.name, call.arguments] for call in trajectory.calls]


def main() -> None:
    from rightcall_orbit.framework import OrbitAgent

    from rightcall.datasets.goldens import load_goldens
    from rightcall.limbs.traces.assembly import assemble
    from rightcall.limbs.traces.span import Span
    from rightcall.metrics.matching.base import Scope
    from rightcall.metrics.matching.compile import compile_matcher
    from rightcall.metrics.resolve import as_metrics
    from rightcall.records.case import TestCase
    from rightcall.records.trajectory import Trajectory

    Path("tools.json").write_text(json.dumps(TOOLS), "utf-8")
    Path("lines.txt").write_text("weather in Hanoi => get_weather\n", "utf-8")
    golden = rc.Golden(
        "What is the weather in Hanoi?", id="a", expected_calls=(rc.ExpectedCall("get_weather"),)
    )
    run = rc.evaluate(
        rc.Agent("orbit:get_weather", tools=rc.load_tools("tools.json")),
        [golden],
        store="runs.db",
        quiet=True,
    )
    (result,) = run.store.runs.results(run.id, trajectories=True)
    case = TestCase(golden, Trajectory(output="one two three"))
    score = as_metrics(["brevity(limit=2)"])[0].measure(case)
    agent = OrbitAgent(
        lambda text: [("get_weather", {"city": "Hanoi"})], {"get_weather": lambda city: "sunny"}
    )
    observed = rc.evaluate(rc.observe(agent), [golden], store="runs.db", quiet=True)
    (seen,) = observed.store.runs.results(observed.id, trajectories=True)
    attributes = {"orbit.kind": "tool", "orbit.tool": "get_weather", "orbit.arguments": '{"city": "Hanoi"}'}
    trace = assemble([Span("a" * 32, "b" * 16, name="call", start=1, end=2, attributes=attributes)])
    phone = compile_matcher({"phone": "+49 30 1234"}, Scope())
    command("dataset", "convert", "lines.txt", "--from", "arrows", "-o", "goldens.jsonl")
    command("runs", "report", run.id, "--store", "runs.db", "-o", "run.csv")
    lint = json.loads(command("lint", "tools.json", "--format", "json", "--fail-on", "never"))
    shown = {
        "provider": calls_of(result.trajectory),
        "metric": [score.passed, score.reason],
        "lint rule": [d["code"] for d in lint["diagnostics"] if d["code"].startswith("ORB")],
        "rules listed": "Installed packages\n  ORB001" in command("list", "rules"),
        "matcher": [phone.score("+49-301234", 0), phone.score("+49 30 9", 0)],
        "importer": [[g.input, g.expected_calls[0].tool] for g in load_goldens("goldens.jsonl")],
        "adapter": calls_of(seen.trajectory),
        "dialect": calls_of(trace.trajectory),
        "report format": Path("run.csv").read_text("utf-8").split(),
        "command": [
            name for name in ("brevity", "orbit", "unfinished-description") if name in command("orbit")
        ],
        "help": "orbit" in command("--help"),
    }
    print(json.dumps(shown))


if __name__ == "__main__":
    main()
