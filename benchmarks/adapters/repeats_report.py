"""How often an agent of a framework, used again in one process, did what it did first: shown, checked, and kept."""

from __future__ import annotations

from benchmarks.adapters.rows import Row

MODULE = "benchmarks.adapters.repeats"


def shown(name: str, rows: list[Row]) -> list[str]:
    """Print the row of a framework; returns every way of use that was not equal each time."""
    counts = ", ".join(f"{row['equal']} of {row['of']} {row['door']}" for row in rows)
    print(f"{name:<26} {rows[0]['version']:<10} {counts}", flush=True)
    return [
        f"{name}: {row['equal']} of {row['of']} {row['door']} are equal"
        for row in rows
        if row["equal"] < row["of"]
    ]


def entry(rows: list[Row]) -> Row:
    equal = {row["door"]: [row["equal"], row["of"]] for row in rows}
    return {"version": rows[0]["version"], "equal": equal}
