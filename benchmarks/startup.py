"""Cost of importing RightCall, of `--help`, and of running a small suite.

    python -m benchmarks startup [--repeats 15]

Fresh interpreters with warm bytecode. An import counts from `-X importtime` (what RightCall adds to Python), the best
of several; a command in CPU time (user and system) from start to end, Python's own start included, the median
of several. The goals: `import rightcall` under 50 ms, `--help` under 150 ms, a run of the `init` suite under 550 ms.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.bare_loop import bare_comparison

RIGHTCALL = ("-m", "rightcall.cli.main")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks startup")
    parser.add_argument("--repeats", type=int, default=15)
    repeats = parser.parse_args().repeats
    bare = bare_comparison()
    print(f"bare dict comparison: {1 / bare:,.0f}/s")
    for statement in (
        "import rightcall",
        "import rightcall; rightcall.Golden",
        "import rightcall; rightcall.evaluate",
    ):
        best = min(added_by(statement) for _ in range(repeats))
        print(f"{statement:<40} adds {best * 1e3:>6.1f} ms   ×{best / bare:,.0f} of a bare comparison")
    with tempfile.TemporaryDirectory() as folder:
        print_commands(Path(folder), repeats)


def print_commands(folder: Path, repeats: int) -> None:
    """The CPU time of commands, taken in turns so that a busy minute is shared by all."""
    used_by([*RIGHTCALL, "init", "suite"], folder)
    suite = folder / "suite"
    (suite / "trajectories.jsonl").write_text('{"golden_id": "weather-hanoi", "calls": []}\n')
    score = [*RIGHTCALL, "score", "goldens.jsonl", "trajectories.jsonl", "--partial"]
    commands: dict[str, tuple[list[str], Callable[[], None]]] = {
        "python -c pass": (["-c", "pass"], _nothing),
        "python -c 'import sqlalchemy'": (["-c", "import sqlalchemy"], _nothing),
        "rightcall --help": ([*RIGHTCALL, "--help"], _nothing),
        "rightcall lint tools.json": ([*RIGHTCALL, "lint", "tools.json"], _nothing),
        "rightcall score": (score, _nothing),
        "rightcall run (new store)": ([*RIGHTCALL, "run", "suite.yaml"], lambda: _forget(suite)),
        "rightcall run (existing store)": ([*RIGHTCALL, "run", "suite.yaml"], _nothing),
        "rightcall runs list": ([*RIGHTCALL, "runs", "list"], _nothing),
    }
    found: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(repeats + 1):
        for name, (command, before) in commands.items():
            before()
            found[name].append(used_by(command, suite))
    empty = statistics.median(found["python -c pass"][1:])
    for name, (_, *times) in found.items():  # the first of each wrote its bytecode
        median = statistics.median(times)
        print(
            f"{name:<40} {median * 1e3:>5.0f} ms of processor ({min(times) * 1e3:.0f} to {max(times) * 1e3:.0f})   "
            f"×{median / empty:.1f} of bare Python"
        )


def _nothing() -> None:
    pass


def _forget(suite: Path) -> None:
    shutil.rmtree(suite / ".rightcall", ignore_errors=True)


def added_by(statement: str) -> float:
    """Seconds of import that RightCall and what it loads add."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", statement],
        capture_output=True,
        text=True,
        check=True,
        env=ENVIRONMENT,
    )
    found = re.findall(r"import time:\s+(\d+) \|\s+\d+ \| (\s*)(\S+)", done.stderr)
    ours = next(
        at for at, (_, _, name) in enumerate(found) if name.startswith("rightcall") or name == "msgspec"
    )
    site = max((at for at, (_, _, name) in enumerate(found[:ours]) if name == "site"), default=-1)
    return sum(int(own) for own, _, _ in found[site + 1 :]) / 1e6


def used_by(command: list[str], folder: Path) -> float:
    """Processor seconds of one interpreter."""
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
