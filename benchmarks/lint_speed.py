"""How long linting takes: the definitions of bfcl-eval and copies of them, 4,000 tools in all.

    python benchmarks/lint_speed.py

Prints processor seconds of a fresh process, once for 4,000 tools in sets as the benchmark offers them and once for
4,000 tools in one set (where every pair must be compared), and of `rightcall lint --help`.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

TOOLS = 4000


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
        print(f"{TOOLS} tools in many sets: {_seconds(many):.2f} s")
        print(f"{TOOLS} tools in one set:   {_seconds(one):.2f} s")
    print(f"lint --help:               {_seconds('--help'):.2f} s")


def _first(sets: list[list[object]], count: int) -> list[list[object]]:
    chosen: list[list[object]] = []
    while sets and sum(map(len, chosen)) + len(sets[0]) <= count:
        chosen.append(sets.pop(0))
    return chosen


def _seconds(argument: str | Path) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    code = "from rightcall.cli.lint import lint; lint()"
    options = ["--json"] if argument != "--help" else []
    command = [sys.executable, "-c", code, str(argument), *options]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


if __name__ == "__main__":
    main()
