"""Response times of the store for three pages of the dashboard, with a million results.

    python -m benchmarks store_pages [--results 1000000] [--postgres URL] [--only-postgres]

Fills a new store (runs of 5,000 results, and one run of a tenth of all), then asks what each page asks, twenty
times; prints the median and the slowest. The goal is 300 ms a page.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.store_cases import golden, results, run
from rightcall.store.address import open_store
from rightcall.store.base import ResultFilter, RunFilter
from rightcall.store.sql.store import Store

A_RUN = 5_000
BATCH = 1_000
TIMES = 20


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--results", type=int, default=1_000_000)
    options.add_argument("--only-postgres", action="store_true")
    options.add_argument("--postgres", metavar="URL", help="an empty database")
    asked = options.parse_args()
    if not asked.only_postgres:
        with tempfile.TemporaryDirectory() as folder, open_store(Path(folder) / "store.db") as store:
            measure("SQLite", store, asked.results)
            print(f"  {sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6:,.0f} MB on disk")
    if asked.postgres:
        with open_store(asked.postgres) as store:
            measure("PostgreSQL", store, asked.results)


def measure(engine: str, store: Store, count: int) -> None:
    began = time.perf_counter()
    large = fill(store, count)
    took = time.perf_counter() - began
    print(
        f"{engine}: {count:,} results in {len(store.runs.page(limit=10_000))} runs, filled in {took:,.0f} s"
    )
    small = "run-00000"
    case = golden(4_321).id
    pages: dict[str, Callable[[], object]] = {
        "runs page": lambda: runs_page(store, RunFilter()),
        "runs page, one suite": lambda: runs_page(store, RunFilter(name="suite-3")),
        "runs page, searched": lambda: runs_page(store, RunFilter(text="SUITE-5")),
        "runs page, by tag": lambda: runs_page(store, RunFilter(tag="baseline")),
        f"run page ({A_RUN:,} results)": lambda: run_page(store, small, ResultFilter()),
        "run page, failures": lambda: run_page(store, small, ResultFilter(outcome="failed")),
        "run page, one code": lambda: run_page(store, small, ResultFilter(code="wrong_value")),
        "run page, searched": lambda: run_page(store, small, ResultFilter(text="city 43")),
        f"run page ({count // 10:,} results)": lambda: run_page(store, large, ResultFilter()),
        "  failures": lambda: run_page(store, large, ResultFilter(outcome="failed")),
        "  last page": lambda: list(store.runs.results(large, after=(golden(count // 10 - 60).id, 0))),
        "case page": lambda: store.runs.case(small, case),
    }
    for name, page in pages.items():
        median, slowest = timed(page)
        print(f"  {name:<32} median {median * 1e3:7.1f} ms   slowest {slowest * 1e3:7.1f} ms")


def runs_page(store: Store, which: RunFilter) -> object:
    return store.runs.page(which, limit=50), store.runs.overview().tags


def run_page(store: Store, run_id: str, which: ResultFilter) -> object:
    """The run, how its failures group, how many results fit, and the first hundred of them."""
    return (
        store.runs.get(run_id),
        store.runs.failures(run_id).code_counts(),
        store.runs.count(run_id, which),
        list(store.runs.results(run_id, which, limit=100)),
    )


def fill(store: Store, count: int) -> str:
    """Write the runs; the id of the large one."""
    some = list(results(A_RUN))
    large = count // 10
    for number in range((count - large) // A_RUN):
        writer = store.runs.begin(run(number))
        writer.add_goldens(golden(place) for place in range(A_RUN))
        for start in range(0, A_RUN, BATCH):
            writer.add(some[start : start + BATCH])
        store.runs.finish(writer.run_id, None, "PASS")
    store.runs.tag("run-00000", "baseline")
    writer = store.runs.begin(run(9_999))
    writer.add_goldens(golden(place) for place in range(large))
    stream = results(large)
    while batch := list(itertools.islice(stream, BATCH)):
        writer.add(batch)
    return writer.run_id


def timed(work: Callable[[], object]) -> tuple[float, float]:
    taken = []
    for _ in range(TIMES):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken), max(taken)


if __name__ == "__main__":
    main()
