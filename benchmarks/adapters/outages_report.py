"""How runs of a framework ended when its model server failed: shown, checked, and kept."""

from __future__ import annotations

from benchmarks.adapters.outages import EXPECTED
from benchmarks.adapters.rows import Row

MODULE = "benchmarks.adapters.outages"


def shown(name: str, rows: list[Row]) -> list[str]:
    """Print the row of a framework; returns every end that is not as expected."""
    wrong = [row for row in rows if row["stop_reason"] != EXPECTED[row["outage"]]]
    right = len(rows) - len(wrong)
    print(f"{name:<26} {rows[0]['version']:<10} right in {right} of {len(rows)} failures", flush=True)
    return [
        f"{name} {row['outage']}: {row['stop_reason']}, not {EXPECTED[row['outage']]}: {row['error'][:300]}"
        for row in wrong
    ]


def entry(rows: list[Row]) -> Row:
    ends = {row["outage"]: row["stop_reason"] for row in rows}
    return {"version": rows[0]["version"], "ends": ends}
