"""What was measured of the scenarios of a framework: shown, checked against the catalog, and kept."""

from __future__ import annotations

from benchmarks.adapters.results import adapter_of
from benchmarks.adapters.rows import Row
from rightcall.agents.observed.catalog import adapter_info

MODULE = "benchmarks.adapters.trials"


def shown(name: str, rows: list[Row]) -> list[str]:
    """Print the row of a framework; returns what is wrong: a difference without a limitation, or the reverse."""
    possible = [row for row in rows if "cannot" not in row]
    equal = [row for row in possible if not row["differs"]]
    print(
        f"{name:<26} {rows[0]['version']:<10} equal in {len(equal)} of {len(possible)} scenarios", flush=True
    )
    problems = []
    for row in possible:
        limit = row["limit"]
        where = f"{name} {row['scenario']}"
        for difference in row["differs"]:
            happened = difference["happened"]
            recorded = difference["recorded"]
            line = f"  {row['scenario']}: {difference['aspect']}: happened {happened}, recorded {recorded}"
            print(line[:600])
        if limit and limit not in adapter_info(adapter_of(name)).loses:
            problems.append(f"{where}: the limitation is not in the catalog: {limit}")
        if row["differs"] and not limit:
            problems.append(f"{where} differs in {', '.join(_aspects(row))}")
        if limit and not row["differs"]:
            problems.append(f"{where} is equal; its limitation can be removed: {limit}")
    return problems


def entry(rows: list[Row]) -> Row:
    return {"version": rows[0]["version"], "cells": {row["scenario"]: _cell(row) for row in rows}}


def _cell(row: Row) -> Row:
    if "cannot" in row:
        return {"cannot": row["cannot"]}
    return {"differs": _aspects(row), **({"limit": row["limit"]} if row["limit"] else {})}


def _aspects(row: Row) -> list[str]:
    return [difference["aspect"] for difference in row["differs"]]
