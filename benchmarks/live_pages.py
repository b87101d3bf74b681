"""The live page and the page of a trace over many stored traces: milliseconds a page."""

from __future__ import annotations

import argparse
import tempfile
import time

import msgspec
from starlette.testclient import TestClient

from rightcall.monitor import kept_trace, run_checks
from rightcall.monitor.checks import CheckSettingsInUse
from rightcall.monitor.demo import SETTINGS, live_traffic
from rightcall.store import open_store
from rightcall.web.app import make_app

BATCH = 5000


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--traces", type=int, default=1_000_000)
    options.add_argument("--store", default="")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(given.store or f"{folder}/many.db")
        start = time.perf_counter()
        fill(store, given.traces)
        taken = time.perf_counter() - start
        print(f"{given.traces:,} traces stored in {taken:.0f} s: {given.traces / taken:,.0f} traces/s")
        client = TestClient(make_app(store), base_url="http://127.0.0.1:8765")
        one = store.traces(limit=1)[0].trace_id
        for path in ("/live", f"/live/trace?id={one}"):
            times = []
            for _ in range(7):
                start = time.perf_counter()
                assert client.get(path).status_code == 200
                times.append((time.perf_counter() - start) * 1000)
            print(f"{path[:20]:<20} first {times[0]:.0f} ms, then {sorted(times[1:])[2]:.0f} ms")
        store.close()


def fill(store: object, count: int) -> None:
    samples = list(live_traffic())
    done = 0
    while done < count:
        batch = []
        for i in range(min(BATCH, count - done)):
            sample = samples[(done + i) % len(samples)]
            trace = msgspec.structs.replace(
                sample, trace_id=f"{done + i + 1:032x}", time=sample.time + (done + i) * 10**9
            )
            checks = run_checks(SETTINGS.cheap, trace, CheckSettingsInUse())
            batch.append(kept_trace(trace, "travel", checks, any(check.bad for check in checks)))
        store.keep_traces(batch)  # type: ignore[attr-defined]
        done += len(batch)


if __name__ == "__main__":
    main()
