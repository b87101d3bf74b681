"""CPU time per stored result, with twelve scores and a compressed transcript, in batches of 100.

    python -m benchmarks store_throughput [--results 20000] [--postgres URL]

Prints the best of three rounds. The server's CPU is not counted for PostgreSQL, the disk's time for neither.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
import time
from pathlib import Path

from sqlalchemy import insert

from benchmarks.store_cases import result, results, run
from rightcall.store.address import open_store
from rightcall.store.sql import tables
from rightcall.store.sql.rows import ScorePacker, to_rows
from rightcall.store.sql.store import Store

BATCH = 100


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--results", type=int, default=20_000)
    options.add_argument("--postgres", metavar="URL")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report("SQLite", open_store(Path(folder) / "store.db"), asked.results)
    if asked.postgres:
        report("PostgreSQL", open_store(asked.postgres), asked.results)


def report(engine: str, store: Store, count: int) -> None:
    rounds = [write(store, f"{time.time_ns()}-{number}", count) for number in range(3)]
    cpu = min(cpu for cpu, _ in rounds)
    wall = min(wall for _, wall in rounds)
    print(f"{engine}: {cpu * 1e3:.4f} ms CPU, {wall * 1e3:.4f} ms wall per result; {1 / wall:,.0f} results/s")
    pack = ScorePacker(store.metric_keys(result(0).metrics))
    print(
        f"  of it making the rows, compression included: {timed(lambda: to_rows(result(1), pack)) * 1e3:.4f} ms"
    )
    print(
        f"  for comparison, the results alone through SQLAlchemy's execute: {core_results(store) * 1e3:.4f} ms"
    )
    store.close()


def write(store: Store, run_id: str, count: int) -> tuple[float, float]:
    """CPU and wall seconds per result."""
    began = run(0)
    writer = store.runs.begin(type(began)(run_id, began.name, began.started_at))
    batches = (
        list(itertools.batched(results(count), BATCH)) if hasattr(itertools, "batched") else slices(count)
    )
    cpu = time.process_time()
    wall = time.perf_counter()
    for batch in batches:
        writer.add(batch)
    return (time.process_time() - cpu) / count, (time.perf_counter() - wall) / count


def slices(count: int) -> list[list]:
    everything = list(results(count))
    return [everything[start : start + BATCH] for start in range(0, count, BATCH)]


def core_results(store: Store) -> float:
    """What the rows of results alone would cost as dicts."""
    names = [column.name for column in tables.results.columns]
    rows = [
        dict(
            zip(
                names,
                (-number, -1, "g", number, 1, True, 1.0, "golden", "", 1.0, 1, 1, None, b"", None),
                strict=True,
            )
        )
        for number in range(1, BATCH + 1)
    ]
    cpu = time.process_time()
    with store.write_transaction() as connection:
        connection.execute(insert(tables.results), rows)
        connection.rollback()
    return (time.process_time() - cpu) / BATCH


def timed(work: object, times: int = 3000) -> float:
    cpu = time.process_time()
    for _ in range(times):
        work()
    return (time.process_time() - cpu) / times


if __name__ == "__main__":
    main()
