"""The body of a worker: one session and one pool for life, cells in, batches of results out.

It does not depend on the engine that transports bytes to the driver, so tests run it in their own process.
"""

from __future__ import annotations

import asyncio
import gc
import os
import platform
import socket
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path

from rightcall.agents.agent import Agent
from rightcall.agents.kinds import agent_of_kind, model_problems
from rightcall.agents.limits import RunLimits
from rightcall.agents.open_agent import OpenAgent
from rightcall.agents.pool import Pool
from rightcall.core.redaction.clean_text import scrubber
from rightcall.limbs.ray.engine import WorkerSetup
from rightcall.limbs.ray.message import (
    Close,
    Deal,
    Failed,
    Farewell,
    Hello,
    OpenOrder,
    RateShare,
    Sent,
    cases_to_send,
    encode,
    encode_sent,
    read_message,
    unpack_lease,
)
from rightcall.records.run import CaseResult
from rightcall.run.backend import Cell, LimitedLag
from rightcall.run.case_runner import CaseRunner
from rightcall.run.plan import Plan
from rightcall.run.watched_inputs import AgentWatch
from rightcall.store.base import Key
from rightcall.tools.idempotency.key_location import run_keys

FINGERPRINTS = ("tools", "metrics", "agent", "settings", "limits", "mocks", "faults", "tool_sets")
"""Packages whose versions must be equal on every worker and the driver."""


class Worker:
    """Runs cells for a driver: `tell` answers messages, `lease` streams the results of a lease."""

    def __init__(self, load: Callable[[], WorkerSetup]) -> None:
        self._load = load
        self._cells = _Cells()
        self._outboxes: dict[int, Outbox] = {}
        self._owner: dict[Key, tuple[Outbox, int]] = {}
        self._pool = Pool(1)
        self._session: OpenAgent | None = None
        self._running: asyncio.Task[None] | None = None
        self._failed: Failed | None = None
        self._watch: AgentWatch | None = None
        self._gather_seconds = GATHER_SECONDS

    async def tell(self, message: bytes) -> bytes:
        instruction = read_message(message)
        if isinstance(instruction, OpenOrder):
            return encode(await self._open(instruction))
        if isinstance(instruction, Deal):
            self._deal(instruction.at_once)
        elif isinstance(instruction, RateShare):
            self._resize_rate(instruction.share)
        elif isinstance(instruction, Close):
            return encode(await self._close())
        else:
            self._stop()
        return b""

    async def lease(self, payload: bytes) -> AsyncIterator[bytes]:
        """Run the cells of a lease and yield their results in batches, until all are done or the worker is stopped."""
        number, cells = unpack_lease(payload)
        outbox = Outbox(len(cells), self._gather_seconds)
        self._outboxes[number] = outbox
        for place, (golden, trial) in enumerate(cells):
            self._owner[golden.id, trial] = outbox, place
        if self._failed is not None:
            outbox.fail(self._failed)
        else:
            self._cells.put(cells)
        try:
            async for results in outbox.batches():
                yield self._send(results, outbox)
        finally:
            del self._outboxes[number]

    def _send(self, results: list[Placed], outbox: Outbox) -> bytes:
        asker = self._session.asker if self._session else None
        return encode_sent(
            Sent(
                cases_to_send(results),
                retries=asker.retries if asker else 0,
                at_once=asker.throttle.limit if asker else self._pool.concurrency,
                lag_ms=outbox.lag_ms,
                failed=outbox.failed,
                watched=self._watch.news() if self._watch else None,
            )
        )

    async def _open(self, request: OpenOrder) -> Hello:
        node = socket.gethostname()
        try:
            return await self._session_of(self._load(), request, node)
        except Exception as error:
            return Hello(node, failed=Failed.of(error))

    async def _session_of(self, setup: WorkerSetup, request: OpenOrder, node: str) -> Hello:
        plan = setup.plan
        session = agent_of_kind(
            with_server(plan.agent, request.number),
            concurrency=plan.concurrency,
            seed=plan.seed,
            user=plan.user,
        )
        definitions = tuple(session.definitions)
        await session.__aenter__()
        self._session = session
        problems = [*await session.check(), *await plan.scorer.problems()]
        if session.asks_model:
            problems += await model_problems(plan.agent, setup.models)
        fingerprints = plan.fingerprints(definitions)
        hello = Hello(
            node,
            versions(),
            {name: fingerprints[name] for name in FINGERPRINTS if name in fingerprints},
            tuple(problems),
        )
        keys = partial(run_keys, None, setup.store, scrubber()) if setup.store else None
        session.begin(setup.run_id, keys)
        self._begin(setup, session, request.at_once)
        return hello

    def _begin(self, setup: WorkerSetup, session: OpenAgent, at_once: int) -> None:
        case = CaseRunner(setup.plan, session)
        limited = LimitedLag(setup.plan)
        self._watch = case.watch

        async def do(cell: Cell) -> None:
            golden, trial = cell
            result = await case.result(golden, trial)
            outbox, place = self._owner.pop((golden.id, trial))
            outbox.put(place, result, limited.lag_ms(golden, result))

        self._gather_seconds = PROMPT_SECONDS if may_end_early(setup.plan) else GATHER_SECONDS
        self._deal(at_once)
        self._resize_rate(0.0)  # until the driver says how much there is
        gc.freeze()  # what is open now lives as long as the process
        self._running = asyncio.create_task(self._pool.run(self._cells, do))
        self._running.add_done_callback(self._on_task_end)

    def _on_task_end(self, task: asyncio.Task[None]) -> None:
        error = None if task.cancelled() else task.exception()
        if error is not None:
            self._failed = Failed.of(error)
            for outbox in self._outboxes.values():
                outbox.fail(self._failed)

    def _deal(self, at_once: int) -> None:
        self._pool.resize(at_once)
        if self._session is not None and self._session.asker is not None:
            self._session.asker.throttle.resize(at_once)

    def _resize_rate(self, share: float) -> None:
        asker = self._session.asker if self._session is not None else None
        if asker is not None and asker.rate is not None:
            asker.rate.resize(share)

    def _stop(self) -> None:
        for golden, trial in self._cells.drain():
            self._owner.pop((golden.id, trial))[0].give_up()

    async def _close(self) -> Farewell:
        self._cells.close()
        if self._running is not None:
            await asyncio.wait([self._running])
        session = self._session
        self._session = None
        if session is None:
            return Farewell()
        notices = tuple(session.notices())
        await session.__aexit__(None, None, None)
        return Farewell(notices)


class _Cells:
    """Cells that wait for room in the pool; ends when closed."""

    def __init__(self) -> None:
        self._waiting: deque[Cell] = deque()
        self._news = asyncio.Event()
        self._closed = False

    def put(self, cells: list[Cell]) -> None:
        self._waiting.extend(cells)
        self._news.set()

    def drain(self) -> list[Cell]:
        """Remove and return the cells that were not started."""
        left = list(self._waiting)
        self._waiting.clear()
        return left

    def close(self) -> None:
        self._closed = True
        self._news.set()

    def __aiter__(self) -> _Cells:
        return self

    async def __anext__(self) -> Cell:
        while not self._waiting:
            if self._closed:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._waiting.popleft()


def may_end_early(plan: Plan) -> bool:
    """Whether a result may end the run, by its gate or by a budget."""
    return (plan.gate is not None and plan.gate.stop != "off") or plan.run_limits != RunLimits()


def versions() -> dict[str, str]:
    """The versions that must not differ between driver and workers."""
    return {"rightcall": version("rightcall"), "python": platform.python_version()}


def with_server(agent: Agent, number: int) -> Agent:
    urls = agent.base_urls
    return replace(agent, base_url=urls[number % len(urls)]) if urls else agent


def settle_in(paths: Sequence[str], folder: str) -> None:
    """Find the suite's modules and files as the driver does, where they are here too."""
    for path in reversed(paths):
        if path not in sys.path and Path(path).is_dir():
            sys.path.insert(0, path)
    if folder and Path(folder).is_dir():
        os.chdir(folder)


BATCH = 100
GATHER_SECONDS = 0.25
"""How long a result waits for others to travel with: a batch costs the driver two milliseconds, whatever is in it."""

PROMPT_SECONDS = 0.05
"""The same where every result may end the run: cases that are run meanwhile would be wasted."""

HEARTBEAT_SECONDS = 5.0
"""An empty batch is sent when nothing happened for this long."""


Placed = tuple[int, CaseResult]
"""A result and its place in its lease."""


class Outbox:
    """Holds results until they are sent. `left` counts cells that are neither done nor given up."""

    def __init__(self, cells: int, gather_seconds: float = GATHER_SECONDS) -> None:
        self.left = cells
        self._gather_seconds = gather_seconds
        self.lag_ms = 0.0
        self.failed: Failed | None = None
        self._results: list[Placed] = []
        self._news = asyncio.Event()
        self._full = asyncio.Event()

    def put(self, place: int, result: CaseResult, lag_ms: float = 0.0) -> None:
        self._results.append((place, result))
        self.lag_ms = max(self.lag_ms, lag_ms)
        self.give_up()

    def give_up(self) -> None:
        """One cell will not get a result."""
        self.left -= 1
        self._notify()

    def fail(self, failed: Failed) -> None:
        """End with this error; no more results follow."""
        self.failed = failed
        self._notify()

    async def batches(self) -> AsyncIterator[list[Placed]]:
        """Batches until the lease is done; the last one says so if the worker failed."""
        while not self._has_ended:
            await _wait(self._news, HEARTBEAT_SECONDS)
            if self._results and not self._has_ended:
                await _wait(self._full, self._gather_seconds)
            self._news.clear()
            self._full.clear()
            yield self._take()
            if len(self._results) >= BATCH:
                self._notify()
        while self._results or self.failed is not None:
            yield self._take()
            if not self._results:
                return

    @property
    def _has_ended(self) -> bool:
        return self.left <= 0 or self.failed is not None

    def _notify(self) -> None:
        self._news.set()
        if len(self._results) >= BATCH or self._has_ended:
            self._full.set()

    def _take(self) -> list[Placed]:
        batch = self._results[:BATCH]
        del self._results[:BATCH]
        return batch


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
