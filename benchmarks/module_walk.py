"""Modules used by one row of `score`, one case of `run`, one tool call with a fault, one `lint`, a `check` of three
goldens, and one received trace.

    python -m benchmarks module_walk [--list WALK]

A module counts when one of its functions runs, except while modules are imported: what a module makes of itself then
(tables, patterns, decorated functions) is no part of the walk. Imported modules are counted separately. Each walk is a
separate process. `decoded` counts how often a golden's line is decoded, for each golden; `sessions` how often a session
(tools, model, throttle of an agent) is made. `--list` prints the modules of one walk, such as `--list check`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

GOLDEN = {
    "id": "a",
    "input": "Weather in Hue?",
    "expected_calls": [{"tool": "get_weather", "args": {"city": "Hue"}}],
}
DONE = {"golden_id": "a", "calls": [{"name": "get_weather", "arguments": {"city": "Hue"}}]}
TOOL = {
    "name": "get_weather",
    "description": "Current weather for a city.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
SUITE = {"dataset": "g.jsonl", "tools": "tools.json", "agent": {"model": "keyword:"}}

GOLDENS = [
    {**GOLDEN, "id": city, "input": f"Weather in {city}?",
     "expected_calls": [{"tool": "get_weather", "args": {"city": city}}]}
    for city in ("Hue", "Oslo", "Lima")
]  # fmt: skip
CHANGED = {**TOOL, "description": "The weather that a city has now."}
SPANS = {
    "resourceSpans": [{"scopeSpans": [{"spans": [
        {"traceId": "a" * 32, "spanId": "b" * 16, "name": "chat gpt", "startTimeUnixNano": "1", "endTimeUnixNano": "2",
         "attributes": [
             {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
             {"key": "gen_ai.output.messages", "value": {"stringValue": json.dumps([{"role": "assistant", "parts": [
                 {"type": "tool_call", "id": "1", "name": "get_weather", "arguments": {"city": "Hue"}}]}])}}]}]}]}]
}  # fmt: skip

COMMAND = "from rightcall.cli.main import cli\ncli.main({arguments!r}, standalone_mode=False)"
CALL = """
import asyncio, rightcall as rc
from rightcall.tools.faults.plan import read_plan
from rightcall.tools.runtime.toolbox import Toolbox
@rc.tool
def get_weather(city: str) -> str:
    "Current weather."
    return "mild"
plan = read_plan({"faults": [{"tool": "get_weather", "type": "error_5xx_before", "nth": 1}]}, "faults")
box = Toolbox([get_weather], execute="real", faults=plan)
asyncio.run(box.invoke(rc.ToolCall("get_weather", {"city": "Hue"}), box.context()))
"""
TRACE = """
import asyncio, json, pathlib, aiohttp
from rightcall.store.address import open_store
from rightcall.limbs.monitor.monitor import Monitor
from rightcall.limbs.monitor.receiver import Receiver
from rightcall.limbs.monitor.settings import MonitorSettings

async def work(store):
    monitor = Monitor(MonitorSettings(settle="0.1s"), store=store, redacted=True)
    receiver, stop, port = Receiver(monitor), asyncio.Event(), asyncio.Future()
    serving = asyncio.create_task(receiver.run("127.0.0.1", 0, stop, port.set_result))
    async with aiohttp.ClientSession(f"http://127.0.0.1:{await port}") as client:
        walked.clear()
        body = pathlib.Path("spans.json").read_bytes()
        headers = {"content-type": "application/json"}
        assert (await client.post("/v1/traces", data=body, headers=headers)).status == 200
        while not receiver.counters.closed:
            await asyncio.sleep(0.05)
    stop.set()
    await serving

with open_store("watch.db") as store:
    asyncio.run(work(store))
"""
WALKS = {
    "one row of score": COMMAND.format(arguments=["score", "g.jsonl", "t.jsonl", "--json"]),
    "one case of run": COMMAND.format(arguments=["run", "suite.json", "--json"]),
    "one tool call with a fault": CALL,
    "  the call alone": CALL.replace("asyncio.run(", "walked.clear()\nasyncio.run("),
    "one lint": COMMAND.format(arguments=["lint", "tools.json", "--json"]),
    "check of three goldens": COMMAND.format(
        arguments=["check", "check.json", "--json", "--baseline", "last"]
    ),
    "one received trace": TRACE,
}
COUNTER = """
import atexit, json, os, sys, threading
walked, counts = set(), {"decoded": 0, "sessions": 0}
COUNTED = {("datasets/goldens.py", "numbered_goldens"): "decoded", ("agents/open_agent.py", "__init__"): "sessions"}
FUNCTION = 1  # CO_OPTIMIZED: set for functions, not for modules and class bodies
def importing(frame):
    while frame is not None:
        if frame.f_code.co_name == "<module>" and "/rightcall/" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False
def profile(frame, event, argument):
    code = frame.f_code
    if event == "call" and code.co_flags & FUNCTION and "/rightcall/" in code.co_filename:
        name = code.co_filename.split("/rightcall/")[-1]
        if name not in walked and not importing(frame):
            walked.add(name)
        if (name, code.co_name) in COUNTED and (code.co_name != "__init__" or "concurrency" in code.co_varnames):
            counts[COUNTED[name, code.co_name]] += 1
def report():
    sys.setprofile(None)
    if hasattr(sys, "last_value"):
        os._exit(1)  # the program failed: a walk cut short is no result
    ours = [name for name in sys.modules if name.partition(".")[0] == "rightcall"]
    rules = sum(name.startswith("lint/rules/") for name in walked)
    print(json.dumps({"walked": sorted(walked), "rules": rules, "imported": len(ours), **counts}), file=sys.stderr)
    os._exit(0)
atexit.register(report)
threading.setprofile(profile)
sys.setprofile(profile)
"""


def walk(program: str, folder: Path) -> dict[str, Any]:
    """The modules a program walks through, how many it imports, and what it repeats, in a separate process."""
    environment = {**os.environ, "HOME": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", COUNTER + program], cwd=folder, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    try:
        counts: dict[str, Any] = json.loads(done.stderr.splitlines()[-1])
    except (IndexError, ValueError):
        raise SystemExit(f"the walk failed:\n{done.stderr or done.stdout}") from None
    return counts


def prepare(folder: Path) -> None:
    """The files of all walks, and a run that `check` compares with, made with another description of the tool."""
    files = {
        "t.jsonl": json.dumps(DONE) + "\n",
        "g.jsonl": json.dumps(GOLDEN) + "\n",
        "three.jsonl": "".join(json.dumps(golden) + "\n" for golden in GOLDENS),
        "tools.json": json.dumps([TOOL]),
        "suite.json": json.dumps(SUITE),
        "check.json": json.dumps({**SUITE, "dataset": "three.jsonl", "tools": "changed.json", "trials": 3}),
        "changed.json": json.dumps([TOOL]),
        "spans.json": json.dumps(SPANS),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    walk(COMMAND.format(arguments=["run", "check.json", "--json"]), folder)
    (folder / "changed.json").write_text(json.dumps([CHANGED]))


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks module_walk")
    parser.add_argument(
        "--list", default="", metavar="WALK", help="print the modules of the walks with this word"
    )
    shown = parser.parse_args().list
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        for what, program in WALKS.items():
            if shown and shown not in what:
                continue
            counts = walk(program, folder)
            rules = f", {counts['rules']} of them rules" if counts["rules"] else ""
            again = f"; goldens decoded {counts['decoded']} times, {counts['sessions']} sessions"
            print(
                f"{what:<28} {len(counts['walked']):>4} modules{rules}; {counts['imported']} imported"
                + again * bool(counts["decoded"] + counts["sessions"])
            )
            if shown:
                print("".join(f"    {module}\n" for module in counts["walked"]), end="")


if __name__ == "__main__":
    main()
