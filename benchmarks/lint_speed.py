"""How long linting takes: the definitions of bfcl-eval and copies of them, 4,000 tools in all.

    python -m benchmarks lint_speed

Prints seconds of a fresh process, the best of three, and its CPU seconds: for 300 tools in one set (as many as
a large agent has), for 4,000 tools in sets as the benchmark offers them, for 4,000 tools in one set (where every pair
must be compared), and for `rightcall lint --help`. The goals are 0.3 s beyond the start of the process for 300 tools,
6 s for 4,000 and 0.2 s for help on an idle machine.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TOOLS = 4000
FEW = 300


def main() -> None:
    sys.path.insert(0, str(Path(__file__).parent.parent))
    from tests.lint.corpora import bfcl_sets

    sets = [[tool.raw for tool in each.tools] for each in bfcl_sets()]
    flat = [tool for tools in sets for tool in tools][:TOOLS]
    with tempfile.TemporaryDirectory() as folder:
        many = Path(folder) / "many.jsonl"
        many.write_text("\n".join(json.dumps({"tools": tools}) for tools in _first(sets, TOOLS)))
        one = Path(folder) / "one.json"
        one.write_text(json.dumps(flat))
        few = Path(folder) / "few.json"
        few.write_text(json.dumps(flat[:FEW]))
        print(f"{FEW} tools in one set:    {_timed(few)}", flush=True)
        for label, argument in (("in many sets", many), ("in one set", one)):
            print(f"{TOOLS} tools {label + ':':<13} {_timed(argument)}", flush=True)
    print(f"lint --help:             {_timed('--help')}")


def _first(sets: list[list[object]], count: int) -> list[list[object]]:
    chosen: list[list[object]] = []
    while sets and sum(map(len, chosen)) + len(sets[0]) <= count:
        chosen.append(sets.pop(0))
    return chosen


def _timed(argument: str | Path) -> str:
    seconds, processor = min(_once(argument) for _ in range(3))
    return f"{seconds:.2f} s ({processor:.2f} s of processors)"


def _once(argument: str | Path) -> tuple[float, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    options = ["--json"] if argument != "--help" else []
    command = [sys.executable, "-m", "rightcall.cli.main", "lint", str(argument), *options]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    seconds = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


if __name__ == "__main__":
    main()
