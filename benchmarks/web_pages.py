"""Response times of the dashboard with a million results in the store.

    python -m benchmarks web_pages [--results 1000000] [--store FILE] [--postgres URL]

Fills a new store as `store_pages.py` does (runs of 5,000 results, and one of a tenth of all), then asks for each
page twenty times through the whole application and prints the median and the slowest answer, the median processor
time, and how large it is. The goal is 300 ms a page. What a page leaves for later, because it needs
every case of a run, is asked for once, cold, and told apart. `--store` keeps the filled store and uses it again.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

from starlette.testclient import TestClient

from benchmarks.store_cases import golden
from benchmarks.store_pages import fill
from rightcall.limbs.dashboard.server import make_app
from rightcall.store.address import open_store
from rightcall.store.sql.store import Store

TIMES = 20
GOAL_MS = 300


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--results", type=int, default=1_000_000)
    options.add_argument("--store", type=Path, metavar="FILE", help="keep the filled store here")
    options.add_argument("--postgres", metavar="URL", help="an empty database, measured instead of SQLite")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = asked.postgres or asked.store or Path(folder) / "store.db"
        with open_store(place) as store:
            if not store.runs.page(limit=1):
                began = time.perf_counter()
                fill(store, asked.results)
                if asked.postgres:
                    analyze(store)
                print(f"filled with {asked.results:,} results in {time.perf_counter() - began:,.0f} s")
            measure(store)


def measure(store: Store) -> None:
    client = TestClient(make_app(store), base_url="http://127.0.0.1")
    large = store.runs.get("run-09999")
    small = store.runs.get("run-00000")
    case = f"id={golden(4_321).id}"
    pages = {
        "runs": "/runs",
        "runs, one suite": "/runs?name=suite-3",
        "runs, searched": "/runs?text=SUITE-5",
        f"run of {small.results:,}": "/runs/run-00000",
        "  failures": "/runs/run-00000?outcome=failed",
        "  one code": "/runs/run-00000?code=wrong_value",
        "  searched": "/runs/run-00000?text=city+43",
        f"run of {large.results:,}": "/runs/run-09999",
        "  failures of it": "/runs/run-09999?outcome=failed",
        "  one code of it": "/runs/run-09999?code=wrong_value",
        "  searched in it": "/runs/run-09999?text=city+43",
        "  one metric of it": "/runs/run-09999?metric=overall",
        "  last page": f"/runs/run-09999?after={golden(large.results - 60).id}&part=passed",
        "  how far it is": "/runs/run-09999/live",
        "case": f"/runs/run-00000/case?{case}",
        "case, among failures": f"/runs/run-09999/case?{case}&outcome=failed",
        f"compare {small.results:,} with {small.results:,}": "/compare?before=run-00000&after=run-00007",
        f"compare {small.results:,} with {large.results:,}": "/compare?before=run-00000&after=run-09999",
        "compare a case": f"/compare/case?before=run-00000&after=run-00007&{case}",
        "suites over time": "/over-time",
        "a suite over time": "/over-time?suite=suite-3",
    }
    for name, path in pages.items():
        taken, busy, size = zip(*(timed(client, path) for _ in range(TIMES)), strict=True)
        median = statistics.median(taken)
        slowest = max(taken)
        mark = "" if median < GOAL_MS else "  over the goal"
        print(
            f"{name:<32} median {median:7.1f} ms   slowest {slowest:7.1f} ms   "
            f"processor {statistics.median(busy):6.1f} ms   {size[0] / 1e3:6.1f} kB{mark}"
        )
    print("after the page is there:")
    for name, path in {
        f"insights of {small.results:,}": "/runs/run-00000/insights",
        f"insights of {large.results:,}": "/runs/run-09999/insights",
    }.items():
        taken_once, _, _ = timed(client, path)
        print(f"{name:<32} {taken_once:10,.1f} ms")


def analyze(store: Store) -> None:
    """What PostgreSQL does by itself within a minute: without statistics it guesses, and reads whole tables."""
    with store.write_transaction() as connection:
        connection.exec_driver_sql("ANALYZE")


def timed(client: TestClient, path: str) -> tuple[float, float, int]:
    """Milliseconds until the answer, milliseconds of CPU time, and bytes."""
    began = time.perf_counter()
    busy = time.process_time()
    answer = client.get(path)
    took = (time.perf_counter() - began) * 1e3
    busy = (time.process_time() - busy) * 1e3
    answer.raise_for_status()
    return took, busy, len(answer.content)


if __name__ == "__main__":
    main()
