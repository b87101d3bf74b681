"""Ways a tool or an agent can die, and what a run says about each: the table, on both stores.

    python -m benchmarks dying_tools [--store sqlite|postgres|both]

Every cell is a run of two goldens with real processes and servers: the tool dies for one and works for the other.
The world is a file with a line for each effect. The laws: no pass for a case whose tool was not reached, no effect
twice, no green run without the pass, and the other case passes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.support.dying_tools import CELLS, Row, broken_laws, row
from tests.support.postgres import postgres_server


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", choices=["sqlite", "postgres", "both"], default="both")
    wanted = parser.parse_args().store
    rows: list[tuple[str, Row]] = []
    if wanted in ("sqlite", "both"):
        rows += [("SQLite", seen) for seen in table(None)]
    if wanted in ("postgres", "both"):
        with postgres_server() as url:
            rows += [("PostgreSQL", seen) for seen in table(url)]
    broken = [
        f"{store}, {seen.kind}, {seen.death}: {law}" for store, seen in rows for law in broken_laws(seen)
    ]
    print(f"\n{len(rows)} runs, {len(broken)} laws broken", *broken, sep="\n")
    sys.exit(1 if broken else 0)


def table(url: str | None) -> list[Row]:
    """One row for each cell, printed as it is known."""
    print(f"\n{'PostgreSQL' if url else 'SQLite'}\n")
    print("| kind | dies | case | effects | exit code | verdict |\n|---|---|---|---|---|---|")
    rows = []
    for kind, death in CELLS:
        with tempfile.TemporaryDirectory() as folder:
            seen = row(kind, death, Path(folder), url or str(Path(folder) / "r.db"))
        print(
            f"| {kind} | {death} | {seen.state} | {seen.effects} | {seen.exit_code} | {seen.sentence} |",
            flush=True,
        )
        rows.append(seen)
    return rows
