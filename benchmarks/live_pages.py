"""Milliseconds per page of the live page and the page of a trace, with many stored traces."""

from __future__ import annotations

import argparse
import contextlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import closing

import msgspec

from rightcall.limbs.monitor.demo import SETTINGS, live_traffic
from rightcall.limbs.traces.checks import CheckedAgent, run_checks
from rightcall.limbs.traces.trace import Trace
from rightcall.limbs.traces.trace_record import time_text, trace_to_keep
from rightcall.store.address import open_store
from rightcall.store.sql.store import Store
from rightcall.store.watch import KeptTrace

BATCH = 5000
FIRST = 20_000
"""Stored as the monitor stores them; the others are copies of these with ids and times of their own."""


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--traces", type=int, default=1_000_000)
    options.add_argument("--store", default="", help="keep the filled store here, and use it again")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(given.store or f"{folder}/many.db")
        first = min(given.traces, FIRST)
        if not store.traces.page(limit=1):
            start = time.perf_counter()
            fill(store, first)
            taken = time.perf_counter() - start
            print(f"{first:,} traces stored in {taken:.0f} s: {first / taken:,.0f} traces/s", flush=True)
            multiply(given.store or f"{folder}/many.db", first, given.traces // first)
            print(f"{given.traces // first * first:,} in all", flush=True)
        one = store.traces.page(limit=1)[0].trace_id
        store.close()
        for path in ("/live", f"/live/trace?id={one}"):
            times = visits(path, given.store or f"{folder}/many.db")
            print(f"{path[:20]:<20} first {times[0]:.0f} ms, then {statistics.median(times[1:]):.0f} ms")


def visits(path: str, store: str) -> list[float]:
    """Milliseconds of the first and of later visits to a dashboard that was just started."""
    command = [
        sys.executable,
        "-m",
        "rightcall.cli.main",
        "view",
        "--store",
        store,
        "--port",
        "0",
        "--no-open",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip().rstrip("/")
        _wait_for(f"{address}/static/none")
        times = []
        for _ in range(12):
            start = time.perf_counter()
            assert _get(address + path) == 200, path
            times.append((time.perf_counter() - start) * 1000)
        server.terminate()
    return times


def _wait_for(url: str) -> None:
    """Until the server answers, then a second: nobody opens a page sooner."""
    for _ in range(600):
        with contextlib.suppress(OSError):
            _get(url)
            break
        time.sleep(0.1)
    time.sleep(1)


def _get(url: str) -> int:
    try:
        with urllib.request.urlopen(url, timeout=60) as reply:
            reply.read()
            return int(reply.status)
    except urllib.error.HTTPError as error:
        return error.code


def fill(store: Store, count: int) -> None:
    """The bundled hour again and again, each trace under an id and a time of its own."""
    samples = [(trace.time, _kept(trace)) for trace in live_traffic()]
    for done in range(0, count, BATCH):
        batch = []
        for i in range(done, min(done + BATCH, count)):
            time_of, kept = samples[i % len(samples)]
            at = time_text(time_of + i * 10**9)
            row = msgspec.structs.replace(
                kept.row, trace_id=f"{i + 1:032x}", started_at=at, session=f"s{i // 3}"
            )
            batch.append(msgspec.structs.replace(kept, row=row))
        store.traces.keep(batch)


def multiply(path: str, first: int, times: int) -> None:
    """Each stored trace as many times, each time six hours later; counts of days grow alike."""
    skipped = ("key", "trace_id", "started_at", "review")
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        names = [row[1] for row in file.execute("PRAGMA table_info(traces)") if row[1] not in skipped]
        held = ", ".join(names)
        copies = f"""
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {times - 1})
            INSERT INTO traces (trace_id, started_at, review, {held})
            SELECT printf('%032x', traces.key + n.i * {first}),
                   strftime('%Y-%m-%dT%H:%M:%S.000000Z', started_at, '+' || (n.i * 6) || ' hours'), '', {held}
            FROM n, traces WHERE traces.key <= {first}
        """
        if times > 1:
            file.execute(copies)
            file.execute(f"UPDATE check_counts SET seen = seen * {times}, bad = bad * {times}, "
                         f"weight = weight * {times}, weighted_bad = weighted_bad * {times}")  # fmt: skip


def _kept(trace: Trace) -> KeptTrace:
    checks = run_checks(SETTINGS.cheap, trace, CheckedAgent())
    return trace_to_keep(trace, "travel", checks, any(check.bad for check in checks))


if __name__ == "__main__":
    main()
