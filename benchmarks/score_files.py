"""`rightcall score` from files to rows: rows per second and peak memory, by the number of rows.

    python -m benchmarks score_files [--rows 10000 100000] [--million] [--shuffled] [--form calls|openai|anthropic]

Each run is a separate process; its CPU time and peak memory are what the system reports at its end. Two of
ten cases fail. The goals on an idle 2-core machine are 90,000 rows of calls and 40,000 message lists per processor
second, with memory that does not grow with rows.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.bare_loop import bare_comparison


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks score_files")
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--million", action="store_true", help="a million rows too")
    parser.add_argument("--shuffled", action="store_true", help="trajectories in another order than goldens")
    parser.add_argument("--form", choices=["calls", "openai", "anthropic"], default="calls")
    options = parser.parse_args()
    bare = bare_comparison()
    print(f"bare dict comparison: {1 / bare:,.0f}/s")
    for rows in [*options.rows, *([1_000_000] if options.million else [])]:
        with tempfile.TemporaryDirectory() as folder:
            files = write_files(Path(folder), rows, options.shuffled, options.form)
            for mode in (["--json"], []):
                report(rows, mode, *scored(files, mode), bare)


def write_files(folder: Path, rows: int, shuffled: bool, form: str) -> tuple[Path, Path]:
    goldens = folder / "goldens.jsonl"
    trajectories = folder / "done.jsonl"
    order = list(range(rows))
    if shuffled:
        random.Random(7).shuffle(order)
    with goldens.open("w") as file:
        for n in range(rows):
            wanted = [
                {"tool": "get_weather", "args": {"city": f"City {n % 97}", "days": 5, "units": "celsius"}}
            ]
            file.write(
                json.dumps({"id": f"case-{n:07d}", "input": "Weather?", "expected_calls": wanted}) + "\n"
            )
    with trajectories.open("w") as file:
        for n in order:
            name = "get_forecast" if n % 10 == 5 else "get_weather"
            city = "Hue" if n % 10 == 0 else f"City {n % 97}"
            done = FORMS[form](name, {"city": city, "days": 5, "units": "celsius"}, f"call_{n}")
            file.write(json.dumps({"golden_id": f"case-{n:07d}", **done}) + "\n")
    return goldens, trajectories


def as_calls(name: str, arguments: dict[str, object], call_id: str) -> dict[str, object]:
    return {"calls": [{"name": name, "arguments": arguments}], "output": "Sunny."}


def as_openai(name: str, arguments: dict[str, object], call_id: str) -> dict[str, object]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": call_id, "type": "function", "function": function}
    return {
        "messages": [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call_id, "content": "21"},
            {"role": "assistant", "content": "Sunny."},
        ]
    }


def as_anthropic(name: str, arguments: dict[str, object], call_id: str) -> dict[str, object]:
    use = {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
    result = {"type": "tool_result", "tool_use_id": call_id, "content": "21"}
    return {
        "messages": [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": [{"type": "text", "text": "Sunny."}]},
        ]
    }


FORMS = {"calls": as_calls, "openai": as_openai, "anthropic": as_anthropic}


def scored(files: tuple[Path, Path], mode: list[str]) -> tuple[float, float, float]:
    """Seconds, CPU seconds and peak MiB of one process."""
    command = [sys.executable, "-m", "rightcall.cli.main", "score", *map(str, files), *mode]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 1:  # some cases fail, by intention
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}")
    return time.perf_counter() - started, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def report(rows: int, mode: list[str], seconds: float, cpu: float, peak: float, bare: float) -> None:
    label = f"{rows:,} rows {mode[0] if mode else 'table'}"
    print(
        f"{label:<24} {rows / seconds:>9,.0f} rows/s, {rows / cpu:>9,.0f} per processor second, "
        f"peak {peak:>5.0f} MiB   ×{cpu / rows / bare:,.0f} of a bare comparison",
        flush=True,
    )


if __name__ == "__main__":
    main()
