"""The measurements that the docs are written from: `benchmarks/data/adapters.json`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.adapters.rows import Row
from benchmarks.adapters.scenarios import SCENARIOS
from rightcall.agents.observed.catalog import ADAPTERS

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "data" / "adapters.json"
KEYS = {"scenarios": "frameworks", "outages": "outages", "again": "again"}
"""Where the file has each measurement."""


def framework_names() -> list[str]:
    """Those with a file, in the order of the catalog; `NAME__variant` is another way to use the framework."""
    files = sorted(path.stem for path in (Path(__file__).parent / "frameworks").glob("*.py"))
    return [file for info in ADAPTERS for file in files if adapter_of(file) == info.name]


def adapter_of(name: str) -> str:
    """The adapter of a framework or of a variant of it."""
    return name.partition("__")[0]


def write(measurement: str, entries: dict[str, Row]) -> None:
    """Keep what was measured, and what was measured before of other frameworks and scenarios, and write the pages."""
    results = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    key = KEYS[measurement]
    kept = dict(results.get(key, {}))
    for name, entry in entries.items():
        before = kept.get(name, {})
        kept[name] = entry
        if "cells" in entry and before.get("version") == entry["version"]:
            cells = {**before["cells"], **entry["cells"]}
            ordered_cells = {one.name: cells[one.name] for one in SCENARIOS if one.name in cells}
            kept[name] = {**entry, "cells": ordered_cells}
    results[key] = {name: kept[name] for name in framework_names() if name in kept}
    results["scenarios"] = {scenario.name: scenario.title for scenario in SCENARIOS}
    ordered = {part: results[part] for part in ("scenarios", *KEYS.values()) if part in results}
    RESULTS.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n", "utf-8")
    subprocess.run([sys.executable, str(ROOT / "docs" / "make_adapter_pages.py")], check=True)
