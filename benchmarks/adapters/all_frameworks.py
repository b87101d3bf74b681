"""Every framework in its own environment, one after the other, and the table of what was equal."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.adapters.scenarios import SCENARIOS
from rightcall.adapters import ADAPTERS, adapter_info

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "data" / "adapters.json"
SECONDS = 900
"""Of one framework."""

QUIET = {
    "OPENAI_AGENTS_DISABLE_TRACING": "1",
    "CREWAI_DISABLE_TELEMETRY": "true",
    "ANONYMIZED_TELEMETRY": "False",
}
"""Nothing is sent anywhere but to the server on this machine."""

Row = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks adapters")
    parser.add_argument("names", nargs="*", help="frameworks; all when none is named")
    parser.add_argument("--scenario", action="append", default=[], help="only this one; repeatable")
    parser.add_argument("--write", action="store_true", help="write the results and the table in the docs")
    options = parser.parse_args()
    available = framework_names()
    unknown = [name for name in options.names if name not in available]
    if unknown:
        sys.exit(f"there is no framework {', '.join(unknown)}; there are {', '.join(available)}")
    results = {name: run(name, options.scenario) for name in options.names or available}
    problems = [problem for name, rows in results.items() for problem in shown(name, rows)]
    if options.write and not options.scenario:
        write(results)
    if problems:
        sys.exit("\n" + "\n".join(problems))


def framework_names() -> list[str]:
    """Those with a file, in the order of the catalog; `NAME__variant` is another way to use the framework."""
    files = sorted(path.stem for path in (Path(__file__).parent / "frameworks").glob("*.py"))
    return [file for info in ADAPTERS for file in files if adapter_of(file) == info.name]


def adapter_of(name: str) -> str:
    """The adapter of a framework or of a variant of it."""
    return name.partition("__")[0]


def run(name: str, scenarios: list[str]) -> list[Row]:
    """The rows of one framework, from a process of its environment."""
    own = ROOT / ".venv-adapters" / adapter_of(name) / "bin" / "python"
    python = str(own) if own.exists() else sys.executable
    with tempfile.TemporaryDirectory() as folder:
        out, log = Path(folder) / "rows.jsonl", Path(folder) / "log.txt"
        path = os.pathsep.join((str(ROOT), str(ROOT / "src")))
        command = [python, "-m", "benchmarks.adapters.trials", name, str(out), *scenarios]
        with log.open("w") as lines:
            done = subprocess.run(
                command, cwd=ROOT, env={**os.environ, **QUIET, "PYTHONPATH": path}, stdout=lines, stderr=lines,
                timeout=SECONDS, check=False,
            )  # fmt: skip
        if done.returncode:
            sys.exit(f"{name} ended with code {done.returncode}:\n{log.read_text('utf-8')[-3000:]}")
        return [json.loads(line) for line in out.read_text("utf-8").splitlines()]


def shown(name: str, rows: list[Row]) -> list[str]:
    """Print the row of a framework; returns what is wrong: a difference without a limitation, or the reverse."""
    possible = [row for row in rows if "cannot" not in row]
    equal = [row for row in possible if not row["differs"]]
    print(
        f"{name:<26} {rows[0]['version']:<10} equal in {len(equal)} of {len(possible)} scenarios", flush=True
    )
    problems = []
    for row in possible:
        limit, where = row["limit"], f"{name} {row['scenario']}"
        for one in row["differs"]:
            print(
                f"  {row['scenario']}: {one['aspect']}: happened {one['happened']}, recorded {one['recorded']}"[
                    :600
                ]
            )
        if limit and limit not in adapter_info(adapter_of(name)).loses:
            problems.append(f"{where}: the limitation is not in the catalog: {limit}")
        if row["differs"] and not limit:
            problems.append(f"{where} differs in {', '.join(one['aspect'] for one in row['differs'])}")
        if limit and not row["differs"]:
            problems.append(f"{where} is equal; its limitation can be removed: {limit}")
    return problems


def write(results: dict[str, list[Row]]) -> None:
    """Keep the results for the docs, those of other frameworks as they were, and write the pages."""
    kept = json.loads(RESULTS.read_text("utf-8"))["frameworks"] if RESULTS.exists() else {}
    for name, rows in results.items():
        kept[name] = {"version": rows[0]["version"], "cells": {row["scenario"]: _cell(row) for row in rows}}
    ordered = {name: kept[name] for name in framework_names() if name in kept}
    titles = {scenario.name: scenario.title for scenario in SCENARIOS}
    text = json.dumps({"scenarios": titles, "frameworks": ordered}, indent=1, ensure_ascii=False)
    RESULTS.write_text(text + "\n", "utf-8")
    subprocess.run([sys.executable, str(ROOT / "docs" / "make_adapter_pages.py")], check=True)


def _cell(row: Row) -> Row:
    if "cannot" in row:
        return {"cannot": row["cannot"]}
    aspects = [one["aspect"] for one in row["differs"]]
    return {"differs": aspects, **({"limit": row["limit"]} if row["limit"] else {})}
