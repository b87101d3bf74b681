"""What it costs to import RightCall, and to ask for the menu.

    python -m benchmarks startup [--repeats 15]

Best of several fresh interpreters. An import counts from `-X importtime` (what RightCall adds to Python); a command
in processor time from start to end, Python's own start included. The goals: under 50 ms and under 150 ms.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import time

from benchmarks.bare_loop import bare_comparison


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
    empty = min(used_by(["-c", ""]) for _ in range(repeats))
    for label, command in (
        ("python -c ''", ["-c", ""]),
        ("rightcall --help", ["-m", "rightcall.cli.main", "--help"]),
    ):
        cpu, wall = min(used_by(command) for _ in range(repeats))
        print(
            f"{label:<40} {cpu * 1e3:>5.0f} ms of processor, {wall * 1e3:.0f} ms   ×{cpu / empty[0]:.1f} of bare Python"
        )


def added_by(statement: str) -> float:
    """Seconds of import that RightCall and what it loads add."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", statement], capture_output=True, text=True, check=True
    )
    found = re.findall(r"import time:\s+(\d+) \|\s+\d+ \| (\s*)(\S+)", done.stderr)
    ours = next(
        at for at, (_, _, name) in enumerate(found) if name.startswith("rightcall") or name == "msgspec"
    )
    site = max((at for at, (_, _, name) in enumerate(found[:ours]) if name == "site"), default=-1)
    return sum(int(own) for own, _, _ in found[site + 1 :]) / 1e6


def used_by(command: list[str]) -> tuple[float, float]:
    """Processor seconds and seconds of one interpreter."""
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, *command], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return used.ru_utime + used.ru_stime, time.perf_counter() - started


if __name__ == "__main__":
    main()
