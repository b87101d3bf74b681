"""Runs on Ray: cases per second, CPU time of driver, workers and Ray, startup and memory, compared with bare Ray.

    python -m benchmarks scale [--workers 1 2] [--rows io0 cpu5 …] [--postgres] [--scale 1.0] [--markdown]
    python -m benchmarks scale --memory 10000 100000

Each row is a run of the same suite: in this process, then on each number of workers. `Ray alone` carries batches of as
many bytes between actors and driver and does nothing with them. Rates and CPU time count from the first result to
the last; what comes before is `start`. `more` is the CPU time of all processes, less that of the run in one
process. Efficiency is the rate against that of one worker times the number of workers, and says nothing when workers,
driver and model share fewer cores than they are. In the row `wait100` each worker has 16 cases in progress that only
wait, so that more workers than cores can be measured; each has as many cases as the one process. Compare rows of one
table only: another hour, another machine. `--memory` shows what driver and workers hold in runs of these sizes.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.support.model_process import loopback_model, write_suite
from tests.support.postgres import postgres_server

from benchmarks.process_times import ProcessTimes
from benchmarks.run_memory import write_goldens
from rightcall.agents.agent import Agent
from rightcall.cli.collector import postpone
from rightcall.limbs.ray.driver import Driver
from rightcall.limbs.ray.engine import WorkerOptions
from rightcall.limbs.ray.place import RayEngine
from rightcall.limbs.ray.ray import RayOptions
from rightcall.records import ExpectedCall, Golden, ToolCall
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.run.suite import load_suite
from rightcall.run.suite_plan import plan_suite
from rightcall.store.address import open_store

ROOT = str(Path(__file__).parents[1])
SIZES = {"io0": 10_000, "io200": 6000, "wait100": 1600, "cpu5": 1500, "cpu50": 400}
AT_ONCE = 16
"""Cases that each worker has in progress in the row `wait100`."""
NAMES = {
    "io0": "model answers at once", "io200": "model takes 200 ms", "wait100": "agent waits 100 ms",
    "cpu5": "agent burns 5 ms", "cpu50": "agent burns 50 ms",
}  # fmt: skip
BATCH = 100
BYTES = 1200
COLUMNS = ("", "cases/s", "efficiency", "driver", "workers", "Ray", "more", "start", "MB")


@dataclass(frozen=True)
class Measured:
    """One run. Times are CPU seconds a case, from the first result to the last."""

    name: str
    rate: float
    driver: float
    workers: float = 0.0
    ray: float = 0.0
    start: float = 0.0
    size: int = 0
    efficiency: float | None = None
    alone: float | None = None

    def cells(self) -> tuple[str, ...]:
        whole = self.driver + self.workers + self.ray
        return (
            self.name,
            f"{self.rate:,.0f}",
            "" if self.efficiency is None else f"{self.efficiency:.2f}",
            f"{self.driver * 1000:.2f}",
            f"{self.workers * 1000:.2f}" if self.workers else "",
            f"{self.ray * 1000:.2f}" if self.ray else "",
            "" if self.alone is None else f"{(whole - self.alone) * 1000:.2f}",
            f"{self.start:.1f} s" if self.start else "",
            f"{self.size / 2**20:,.0f}",
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks scale")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--rows", nargs="*", choices=[*SIZES], default=[*SIZES])
    parser.add_argument("--postgres", action="store_true", help="also runs whose results go to PostgreSQL")
    parser.add_argument("--scale", type=float, default=1.0, help="more or fewer cases")
    parser.add_argument("--markdown", action="store_true", help="a table in Markdown")
    parser.add_argument(
        "--memory", type=int, nargs="+", metavar="CASES", help="memory of runs of these sizes"
    )
    options = parser.parse_args()
    postpone()  # as the program does; with Ray loaded, Python's defaults would make one process a third slower
    os.environ.setdefault("OPENAI_API_KEY", "loopback")
    began = time.perf_counter()
    engine = RayEngine(RayOptions(workers=max(options.workers)))
    asyncio.run(engine.open())
    load = os.getloadavg()[0]
    print(
        f"Ray started in {time.perf_counter() - began:.1f} s; load {load:.1f} on {os.cpu_count()} CPUs\n",
        flush=True,
    )
    try:
        if options.memory:
            memory(engine, options.memory, max(options.workers))
            return
        show = Table(options.markdown)
        postgres: Any = postgres_server() if options.postgres else nullcontext("")
        with tempfile.TemporaryDirectory() as folder, postgres as url:
            for row in options.rows:
                for found in runs(row, engine, options, Path(folder), url):
                    show(found)
            for workers in options.workers:
                show(floor(workers, int(20_000 * options.scale)))
    finally:
        engine.close()


class Table:
    """Prints rows as they come, for a terminal or for a page."""

    def __init__(self, markdown: bool) -> None:
        self._markdown = markdown
        self._line(COLUMNS)
        if markdown:
            print("|" + "---|" * len(COLUMNS))

    def __call__(self, found: Measured) -> None:
        self._line(found.cells())

    def _line(self, cells: tuple[str, ...]) -> None:
        if self._markdown:
            print("|", " | ".join(cells), "|", flush=True)
        else:
            print(f"{cells[0]:<46}" + "".join(f"{cell:>11}" for cell in cells[1:]), flush=True)


def runs(
    row: str, engine: RayEngine, options: argparse.Namespace, folder: Path, url: str
) -> Iterator[Measured]:
    """One kind of agent, in this process and on workers."""
    n = max(20, int(SIZES[row] * options.scale))
    with planned(row, n, folder) as plan:
        file = str(folder / f"{row}.db")
        alone = measured(f"{NAMES[row]}, one process", plan, file, None)
        yield alone
        for store in (file, *((url,) if url else ())):
            one = 0.0
            for workers in options.workers:
                driver = Driver(engine, WorkerOptions(workers, paths=(ROOT,)))
                name = f"{workers} worker{'s' if workers > 1 else ''}, {'PostgreSQL' if store == url else 'a file'}"
                found = measured(name, widened(plan, n, workers) if row == "wait100" else plan, store, driver)
                one = one or found.rate / workers
                yield replace(found, efficiency=found.rate / (workers * one), alone=alone.driver)


@contextmanager
def planned(row: str, n: int, folder: Path) -> Iterator[Plan]:
    if row == "wait100":
        yield Plan("scale", Agent(wait100), numbered(n), concurrency=AT_ONCE)
        return
    if row.startswith("cpu"):
        yield Plan("scale", Agent(spin5 if row == "cpu5" else spin50), numbered(n), concurrency=8)
        return
    with loopback_model(latency_ms=float(row.removeprefix("io"))) as port:
        suite = write_suite(folder, n, port, concurrency=100)
        yield replace(plan_suite(load_suite(suite), folder), concurrency=100)


def widened(plan: Plan, n: int, workers: int) -> Plan:
    """The plan with as many cases, and as many of them in progress, for each worker."""
    return replace(plan, dataset=numbered(n * workers), concurrency=AT_ONCE * workers)


def numbered(n: int) -> list[Golden]:
    return [Golden(f"Do {i}", id=f"g{i}", expected_calls=(ExpectedCall("a", {"n": i}),)) for i in range(n)]


async def wait100(golden: Golden) -> list[ToolCall]:
    await asyncio.sleep(0.1)
    return [ToolCall("a", {"n": int(golden.id[1:])})]


async def spin5(golden: Golden) -> list[ToolCall]:
    return _spun(golden, 0.005)


async def spin50(golden: Golden) -> list[ToolCall]:
    return _spun(golden, 0.05)


async def at_once(golden: Golden) -> list[ToolCall]:
    return [ToolCall("a", {"n": 1})]


def _spun(golden: Golden, seconds: float) -> list[ToolCall]:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
    return [ToolCall("a", {"n": int(golden.id[1:])})]


def measured(name: str, plan: Plan, store: str, driver: Driver | None) -> Measured:
    """A run, from its first results to its last; the start apart."""
    first = 0.0
    before = 0

    def begin(done: int) -> None:
        nonlocal first, before
        first = time.perf_counter()
        before = done
        times.mark()

    def started(run: Any) -> None:
        if driver is None:  # a case that blocks the loop is done long before it is reported
            begin(0)

    def watch(progress: Any, batch: Any) -> None:
        if not first and progress.workers == workers:
            begin(progress.done)

    workers = driver._options.count if driver is not None else 0
    with open_store(store) as opened, ProcessTimes() as times:
        began = time.perf_counter()
        outcome = asyncio.run(run_plan(plan, opened, backend=driver, watch=watch, started=started))
        wall = time.perf_counter() - first
        used = times.driver
    assert outcome.done == outcome.planned
    n = outcome.done - before
    return Measured(
        name, n / wall, used / n, times.workers / n, times.others / n, first - began, times.all_bytes
    )


def floor(workers: int, n: int) -> Measured:
    """Ray carrying the same bytes in the same batches, two streams a worker, and nothing else."""
    import ray

    class Idle:
        async def lease(self, batches: int) -> Any:
            for _ in range(batches):
                yield os.urandom(BATCH * BYTES)

    async def carried() -> None:
        actors = [ray.remote(Idle).options(num_cpus=0).remote() for _ in range(workers)]

        async def stream(actor: Any, batches: int) -> None:
            lease = actor.lease.options(num_returns="streaming", _generator_backpressure_num_objects=4)
            async for ref in lease.remote(batches):
                await ref

        await asyncio.gather(*(stream(actor, 1) for actor in actors))
        times.mark()
        batches = n // BATCH // workers // 2
        await asyncio.gather(*(stream(actor, batches) for actor in actors for _ in range(2)))

    with ProcessTimes("ray::Idle") as times:
        began = time.perf_counter()
        asyncio.run(carried())
        wall = time.perf_counter() - began
        used = times.driver
    name = f"Ray alone, {workers} worker{'s' if workers > 1 else ''}"
    return Measured(name, n / wall, used / n, times.workers / n, times.others / n, size=times.all_bytes)


def memory(engine: RayEngine, sizes: list[int], workers: int) -> None:
    """The most that driver and workers held in runs of several sizes, of an agent that does nothing."""
    print(f"{'cases':>10}{'driver MB':>12}{'worker MB':>12}")
    for n in sizes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "goldens.jsonl"
            write_goldens(path, n)
            plan = Plan("memory", Agent(at_once), path, concurrency=64)
            with open_store(str(Path(folder) / "results.db")) as store, ProcessTimes() as times:
                driver = Driver(engine, WorkerOptions(workers, paths=(ROOT,)))
                asyncio.run(run_plan(plan, store, backend=driver))
        print(f"{n:>10,}{times.driver_bytes / 2**20:>12,.0f}{times.worker_bytes / 2**20:>12,.0f}", flush=True)


if __name__ == "__main__":
    main()
