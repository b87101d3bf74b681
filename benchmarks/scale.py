"""Runs on Ray: cases a second, processor time of driver, workers and Ray, start-up and memory, beside bare Ray.

    python -m benchmarks scale [--workers 1 2] [--rows io0 io200 cpu5 cpu50] [--postgres] [--scale 1.0]

Each row is a run of the same suite: in this process, then on each number of workers. `floor` is Ray alone, carrying
batches of as many bytes between actors and driver and doing nothing with them. Efficiency is the rate against that of
one worker times the number of workers. Compare rows of one table only: another hour, another machine.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.distributed.ray_process import descendants
from tests.support.model_process import loopback_model, write_suite
from tests.support.postgres import postgres_server

from rightcall.distributed import Driver, RayEngine, RayOptions, WorkerOptions
from rightcall.executor import Agent
from rightcall.model import ExpectedCall, Golden, ToolCall
from rightcall.store import open_store
from rightcall.suite import Plan, load_suite, plan_suite, run_plan

ROOT = str(Path(__file__).parents[1])
SIZES = {"io0": 4000, "io200": 2000, "cpu5": 1500, "cpu50": 200}
BATCH, BYTES = 100, 1200
TICK = os.sysconf("SC_CLK_TCK")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks scale")
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--rows", nargs="*", choices=[*SIZES], default=[*SIZES])
    parser.add_argument("--postgres", action="store_true", help="also runs whose workers write to PostgreSQL")
    parser.add_argument("--scale", type=float, default=1.0, help="more or fewer cases")
    options = parser.parse_args()
    os.environ.setdefault("OPENAI_API_KEY", "loopback")
    began = time.perf_counter()
    engine = RayEngine(RayOptions(workers=max(options.workers)))
    asyncio.run(engine.open())
    print(
        f"Ray started in {time.perf_counter() - began:.1f} s; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs"
    )
    print(f"{'':<41}{'CPU ms a case':>25}")
    print(f"{'':<26}{'cases/s':>9}{'eff.':>6}{'driver':>9}{'workers':>9}{'Ray':>7}{'first':>8}{'RSS MB':>8}")
    postgres: Any = postgres_server() if options.postgres else nullcontext("")
    try:
        with tempfile.TemporaryDirectory() as folder, postgres as url:
            for row in options.rows:
                table(row, engine, options, Path(folder), url)
            for workers in options.workers:
                floor(engine, workers, int(20_000 * options.scale))
    finally:
        engine.close()


def table(row: str, engine: RayEngine, options: argparse.Namespace, folder: Path, url: str) -> None:
    """One kind of agent, in this process and on workers."""
    n = max(20, int(SIZES[row] * options.scale))
    with planned(row, n, folder) as plan:
        file = str(folder / f"{row}.db")
        show(f"{row} in process", measured(plan, file, None), n)
        one = 0.0
        for workers in options.workers:
            for store, writes in ((file, False), *(((url, True),) if url else ())):
                driver = Driver(engine, WorkerOptions(workers, writes=writes, paths=(ROOT,)))
                found = measured(plan, store, driver)
                one = one or found["rate"] / workers
                name = f"{row} {workers} worker{'s' if workers > 1 else ''}{', they write' if writes else ''}"
                show(name, found, n, found["rate"] / (workers * one))


@contextmanager
def planned(row: str, n: int, folder: Path) -> Iterator[Plan]:
    kind, amount = row[:-1].rstrip("0123456789"), int("".join(filter(str.isdigit, row)))
    if kind == "cpu":
        goldens = [
            Golden(f"Do {i}", id=f"g{i}", expected_calls=(ExpectedCall("a", {"n": i}),)) for i in range(n)
        ]
        yield Plan("scale", Agent(spin5 if amount == 5 else spin50), goldens, concurrency=8)
        return
    with loopback_model(latency_ms=amount) as port:
        suite = write_suite(folder, n, port, concurrency=100)
        yield replace(plan_suite(load_suite(suite), folder), concurrency=100)


async def spin5(golden: Golden) -> list[ToolCall]:
    return _spun(golden, 0.005)


async def spin50(golden: Golden) -> list[ToolCall]:
    return _spun(golden, 0.05)


def _spun(golden: Golden, seconds: float) -> list[ToolCall]:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass
    return [ToolCall("a", {"n": int(golden.id[1:])})]


def measured(plan: Plan, store: str, driver: Driver | None) -> dict[str, float]:
    """A run: its rate from the first result to the last, start-up apart, and who used the processor."""
    first = 0.0

    def watch(progress: Any, batch: Any) -> None:
        nonlocal first
        first = first or time.perf_counter()

    with open_store(store) as opened, Sampler() as sampler:
        began, cpu = time.perf_counter(), time.process_time()
        outcome = asyncio.run(run_plan(plan, opened, backend=driver, watch=watch))
        wall, used = time.perf_counter() - (first or began), time.process_time() - cpu
    assert outcome.done == outcome.planned
    return {
        "rate": outcome.done / wall,
        "driver": used,
        "workers": sampler.cpu("ray::_Actor"),
        "ray": sampler.cpu("") - sampler.cpu("ray::_Actor"),
        "first": first - began,
        "rss": sampler.most / 2**20,
    }


class Sampler:
    """Follows the processes below this one: what each has used of the processor, and the memory of all."""

    def __init__(self) -> None:
        self._used: dict[int, tuple[str, float, float]] = {}
        self._done = threading.Event()
        self.most = 0.0

    def cpu(self, name: str) -> float:
        return sum(last - first for known, first, last in self._used.values() if known.startswith(name))

    def __enter__(self) -> Sampler:
        self._look(new=False)
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._done.set()
        self._thread.join()
        self._look()

    def _watch(self) -> None:
        while not self._done.wait(0.25):
            self._look()

    def _look(self, new: bool = True) -> None:
        memory = float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
        for pid, name in descendants(os.getpid()):
            try:
                stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            used = (int(stat[11]) + int(stat[12])) / TICK
            if "loopback_model" in name or "postgres" in name:
                continue
            known = self._used.get(pid, (name, 0.0 if new else used, used))
            self._used[pid] = (name if name.startswith("ray::") else known[0], known[1], used)
            memory += int(stat[21]) * os.sysconf("SC_PAGE_SIZE")
        self.most = max(self.most, memory)


def floor(engine: RayEngine, workers: int, n: int) -> None:
    """Ray carrying the same bytes in the same batches, two streams a worker, and nothing else."""
    import ray

    class Idle:
        async def lease(self, batches: int) -> Any:
            for _ in range(batches):
                yield os.urandom(BATCH * BYTES)

    async def carried() -> None:
        actors = [ray.remote(Idle).options(num_cpus=0).remote() for _ in range(workers)]

        async def stream(actor: Any) -> None:
            lease = actor.lease.options(num_returns="streaming", _generator_backpressure_num_objects=4)
            async for ref in lease.remote(n // BATCH // workers // 2):
                await ref

        await asyncio.gather(*(stream(actor) for actor in actors for _ in range(2)))

    with Sampler() as sampler:
        began, cpu = time.perf_counter(), time.process_time()
        asyncio.run(carried())
        wall, used = time.perf_counter() - began, time.process_time() - cpu
    found = {"rate": n / wall, "driver": used, "workers": sampler.cpu("ray::Idle"),
             "ray": sampler.cpu("") - sampler.cpu("ray::Idle"), "first": 0.0, "rss": sampler.most / 2**20}  # fmt: skip
    show(f"floor, {workers} worker{'s' if workers > 1 else ''}", found, n)


def show(name: str, found: dict[str, float], n: int, efficiency: float | None = None) -> None:
    share = f"{efficiency:6.2f}" if efficiency is not None else f"{'':>6}"
    costs = "".join(
        f"{found[who] / n * 1000:{width}.2f}" for who, width in (("driver", 9), ("workers", 9), ("ray", 7))
    )
    print(
        f"{name:<26}{found['rate']:9,.0f}{share}{costs}{found['first']:7.1f}s{found['rss']:8,.0f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
