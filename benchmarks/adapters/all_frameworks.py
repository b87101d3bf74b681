"""Every framework in its own environment, one after the other, and what was measured of each."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.adapters import outages_report, repeats_report, scenarios_report
from benchmarks.adapters.results import adapter_of, framework_names, write
from benchmarks.adapters.rows import Row, read_rows

ROOT = Path(__file__).parents[2]
SECONDS = 900
"""Of one framework."""

QUIET = {
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "CREWAI_DISABLE_TELEMETRY": "true",
    "ANONYMIZED_TELEMETRY": "False",
}
"""Nothing is sent anywhere but to the server on this machine."""

REPORTS = {"scenarios": scenarios_report, "outages": outages_report, "again": repeats_report}
"""How the rows of each measurement are shown and kept."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks adapters")
    parser.add_argument("names", nargs="*", help="frameworks; all when none is named")
    parser.add_argument("--scenario", action="append", default=[], help="only this one; repeatable")
    parser.add_argument(
        "--outages", action="store_true", help="model servers that fail, instead of scenarios"
    )
    parser.add_argument(
        "--again", action="store_true", help="one agent used many times, instead of scenarios"
    )
    parser.add_argument("--write", action="store_true", help="write the results and the tables in the docs")
    options = parser.parse_args()
    available = framework_names()
    unknown = [name for name in options.names if name not in available]
    if unknown:
        sys.exit(f"there is no framework {', '.join(unknown)}; there are {', '.join(available)}")
    flags = {"outages": options.outages, "again": options.again}
    problems = []
    for measurement in [name for name, chosen in flags.items() if chosen] or ["scenarios"]:
        report = REPORTS[measurement]
        results = {}
        for name in options.names or available:
            results[name] = run(report.MODULE, name, options.scenario if measurement == "scenarios" else [])
            problems += report.shown(name, results[name])
        if options.write:
            write(measurement, {name: report.entry(rows) for name, rows in results.items()})
    if problems:
        sys.exit("\n" + "\n".join(problems))


def run(module: str, name: str, only: list[str]) -> list[Row]:
    """The rows of one framework, from a process of its environment."""
    own = ROOT / ".venv-adapters" / adapter_of(name) / "bin" / "python"
    python = str(own) if own.exists() else sys.executable
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.jsonl"
        log = Path(folder) / "log.txt"
        path = os.pathsep.join((str(ROOT), str(ROOT / "src")))
        command = [python, "-m", module, name, str(out), *only]
        with log.open("w") as lines:
            done = subprocess.run(
                command, cwd=ROOT, env={**os.environ, **QUIET, "PYTHONPATH": path}, stdout=lines, stderr=lines,
                timeout=SECONDS, check=False,
            )  # fmt: skip
        if done.returncode:
            sys.exit(f"{name} ended with code {done.returncode}:\n{log.read_text('utf-8')[-3000:]}")
        return read_rows(out)
