"""Modules used by one row of `score`, one case of `run`, one tool call with a fault, and one `lint`.

    python -m benchmarks module_walk

A module counts when one of its functions runs, except while modules are imported: what a module makes of itself then
(tables, patterns, decorated functions) is no part of the walk. Imported modules are counted separately. Each walk is a
separate process.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

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
WALKS = {
    "one row of score": COMMAND.format(arguments=["score", "g.jsonl", "t.jsonl", "--json"]),
    "one case of run": COMMAND.format(arguments=["run", "suite.json", "--json"]),
    "one tool call with a fault": CALL,
    "  the call alone": CALL.replace("asyncio.run(", "walked.clear()\nasyncio.run("),
    "one lint": COMMAND.format(arguments=["lint", "tools.json", "--json"]),
}
COUNTER = """
import atexit, json, os, sys, threading
walked = set()
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
def report():
    sys.setprofile(None)
    if hasattr(sys, "last_value"):
        os._exit(1)  # the program failed: a walk cut short is no result
    ours = [name for name in sys.modules if name.partition(".")[0] == "rightcall"]
    rules = sum(name.startswith("lint/rules/") for name in walked)
    print(json.dumps({"walked": len(walked), "rules": rules, "imported": len(ours)}), file=sys.stderr)
    os._exit(0)
atexit.register(report)
threading.setprofile(profile)
sys.setprofile(profile)
"""


def walk(program: str, folder: Path) -> dict[str, int]:
    """How many modules a program walks through and imports, in a separate process."""
    environment = {**os.environ, "HOME": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", COUNTER + program], cwd=folder, env=environment, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    found: dict[str, int] = json.loads(done.stderr.splitlines()[-1])
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "g.jsonl").write_text(json.dumps(GOLDEN) + "\n")
        (folder / "t.jsonl").write_text(json.dumps(DONE) + "\n")
        (folder / "tools.json").write_text(json.dumps([TOOL]))
        (folder / "suite.json").write_text(json.dumps(SUITE))
        for what, program in WALKS.items():
            found = walk(program, folder)
            rules = f", {found['rules']} of them rules" if found["rules"] else ""
            print(f"{what:<28} {found['walked']:>4} modules{rules}; {found['imported']} imported")


if __name__ == "__main__":
    main()
