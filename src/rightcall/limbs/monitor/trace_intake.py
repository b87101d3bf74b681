"""Spans on their way to traces: stored before they are acknowledged, closed when their trace is quiet."""

from __future__ import annotations

import asyncio
import datetime
import gc
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, TypeVar

import msgspec

from rightcall.core.errors import StoreError
from rightcall.core.operating_system import return_freed_memory
from rightcall.limbs.monitor.monitor import Monitor
from rightcall.limbs.monitor.open_trace import Open, by_trace, pack_part, redact_item, unpack_spans
from rightcall.limbs.monitor.settings import AlertTo, seconds
from rightcall.limbs.traces.assembly import assemble
from rightcall.limbs.traces.otlp import Item
from rightcall.limbs.traces.otlp_receiver import RequestCounters
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.redaction import Redactor
from rightcall.limbs.traces.span_spool import Part
from rightcall.limbs.traces.trace import time_text
from rightcall.show.lines import tell

MAX_OPEN = 10_000
COMMIT_EVERY = 0.05
REOPEN = 600.0
SWEEP = 3600.0
DROP_EVERY = 30.0
AT_ONCE = 200
T = TypeVar("T")


@dataclass
class Counters(RequestCounters):
    """The counters of /stats."""

    spans: int = 0
    closed: int = 0
    dropped: int = 0


@dataclass
class TraceIntake:
    """Feeds complete traces to a monitor. Everything runs in one event loop."""

    monitor: Monitor
    counters: Counters = field(default_factory=Counters)
    clock: Callable[[], float] = time.monotonic
    log: Callable[[str], None] = lambda _text: None

    def __post_init__(self) -> None:
        settings = self.monitor.settings
        self._redactor = Redactor(self.monitor.store.traces.redaction_key(), settings.redact)
        self._settle = seconds(settings.settle)
        self._idle = seconds(settings.idle)
        self.alerts = Alerts(settings.alerts, self.clock)
        self._told = 0
        self._store_fails = False
        self._waiting: list[tuple[list[tuple[str, bytes]], int, asyncio.Future[None]]] = []
        self.waiting_spans = self.waiting_bytes = 0
        self._wake = asyncio.Event()
        self._open: dict[str, Open] = {}
        # One thread each: memory that a thread needed once stays with it, and a pool has many.
        self._writer = ThreadPoolExecutor(1)
        self._closer = ThreadPoolExecutor(1)
        self._open_again()

    @property
    def open_traces(self) -> int:
        """Traces that are not closed yet."""
        return len(self._open)

    def begin(self) -> list[asyncio.Task[None]]:
        """Start to write and to close."""
        return [asyncio.create_task(self._write()), asyncio.create_task(self._close_quiet())]

    async def end(self, tasks: list[asyncio.Task[None]]) -> None:
        """Store and close what has arrived."""
        await asyncio.gather(*(done for _, _, done in self._waiting), return_exceptions=True)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self.close_all()
        for thread in (self._writer, self._closer):
            thread.shutdown(wait=False)

    def redact(self, items: list[Item]) -> list[Item]:
        """The items as they may be stored. It takes seconds for megabytes: run it in a thread."""
        return [redact_item(item, self._redactor) for item in items]

    async def store(self, items: list[Item]) -> int:
        """Have redacted items written to disk; returns how many exceeded the bounds of a trace."""
        now = self.clock()
        rows: list[tuple[str, bytes]] = []
        taken: list[tuple[str, Open, Part]] = []
        for trace_id, received in by_trace(items).items():
            held = self._open.setdefault(trace_id, Open(now))
            kept = held.take(received)
            held.last = now
            taken.append((trace_id, held, kept))
            if kept.count:
                rows.append((trace_id, pack_part(kept)))
        stored = sum(kept.count for _, _, kept in taken)
        if rows:
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((rows, stored, done))
            self.waiting_spans += stored
            self.waiting_bytes += _size(rows)
            self._wake.set()
            try:
                await done
            except StoreError:
                for _, held, kept in taken:  # the sender gets an error and retries
                    held.give_back(kept)
                raise
        now = self.clock()
        for trace_id, held, _ in taken:
            self._open.setdefault(trace_id, held).last = now
        self.counters.spans += stored
        self.counters.dropped += len(items) - stored
        return len(items) - stored

    async def close_all(self) -> None:
        """Close every open trace, quiet or not: at the end."""
        await self._close(list(self._open))

    def _open_again(self) -> None:
        """Reopen traces that were acknowledged before a crash or a stop but not closed with all their spans.

        Late spans arrive at least `settle` after the others: a stored trace whose spans all arrived within that has
        none.
        """
        waiting = self.monitor.store.traces.arrival_times()
        moment = datetime.datetime.fromisoformat
        settle = datetime.timedelta(seconds=self._settle)
        together = [t for t, first, last in waiting if moment(last) - moment(first) < settle]
        closed = self.monitor.store.traces.ids_in_store(together)
        now = self.clock()
        self._open |= {trace_id: Open(now) for trace_id, _, _ in waiting if trace_id not in closed}

    async def _in(self, thread: ThreadPoolExecutor, work: Callable[..., T], *arguments: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(thread, work, *arguments)

    async def _write(self) -> None:
        """One transaction for everything that arrived within 50 ms."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            await asyncio.sleep(COMMIT_EVERY)
            batch = self._waiting[:]
            rows = list(chain.from_iterable(rows_of_request for rows_of_request, _, _ in batch))
            failure: Exception | None = None
            try:
                await self._in(self._writer, self.monitor.store.traces.add_spans, rows)
            except Exception as error:  # the sender gets an error and retries
                failure = error if isinstance(error, StoreError) else StoreError(str(error))
            del self._waiting[: len(batch)]
            for waited, count, done in batch:
                self.waiting_spans -= count
                self.waiting_bytes -= _size(waited)
                if done.done():
                    continue
                if failure is None:
                    done.set_result(None)
                else:
                    done.set_exception(failure)
            if self._waiting:
                self._wake.set()

    async def _close_quiet(self) -> None:
        swept = -SWEEP
        dropped_at = self.clock()
        while True:
            await asyncio.sleep(min(0.5, self._settle))
            now = self.clock()
            if now - swept >= SWEEP:
                swept = now
                await self._in(self._closer, self.monitor.forget, datetime.datetime.now(datetime.UTC))
            quiet = {True: self._settle, False: self._idle}
            ready = [t for t, o in self._open.items() if now - o.last >= quiet[o.ended]]
            over = len(self._open) - MAX_OPEN
            if over > 0:  # the oldest first, incomplete
                oldest = sorted((o.last, t) for t, o in self._open.items())
                ready = list(dict.fromkeys([*ready, *(t for _, t in oldest[:over])]))
            await self._close(ready)
            if now - dropped_at >= DROP_EVERY:
                dropped_at = now
                await self._in(self._closer, self._drop_closed)

    def _drop_closed(self) -> None:
        """Forget the spans of traces that were closed so long ago that late ones no longer reopen them."""
        before = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=REOPEN)
        store = self.monitor.store
        moment = time_text(int(before.timestamp() * 1e9))
        while closed := [t for t in store.traces.arrivals_before(moment) if t not in self._open]:
            store.traces.drop_spans(closed)
        gc.collect()
        return_freed_memory()

    async def _close(self, trace_ids: list[str]) -> None:
        for start in range(0, len(trace_ids), AT_ONCE):
            await self._close_some(trace_ids[start : start + AT_ONCE])

    async def _close_some(self, trace_ids: list[str]) -> None:
        before = {trace_id: self._open[trace_id].last for trace_id in trace_ids}
        lost = {trace_id: self._open[trace_id].dropped for trace_id in trace_ids}
        try:
            await self._in(self._closer, self._close_now, lost)
        except StoreError as error:
            if not self._store_fails:  # once until it works again
                self.log(f"the store did not answer: {error}")
            self._store_fails = True
            return
        self._store_fails = False
        for trace_id, last in before.items():
            if self._open[trace_id].last == last:  # otherwise spans arrived meanwhile, and it is closed again
                del self._open[trace_id]
        self.counters.closed += len(trace_ids)
        for alarm in self.monitor.alarms[self._told :]:
            self._told += 1
            await self.alerts.send(alarm.content | {"alarm": alarm.key})

    def _close_now(self, lost: dict[str, int]) -> None:
        store = self.monitor.store
        known_ids = store.traces.ids_in_store(list(lost))
        received = store.traces.spans_of(list(lost))
        traces = []
        for trace_id, dropped in lost.items():
            spans = unpack_spans(received.get(trace_id, ()))
            if not spans:
                continue
            problems = Problems()
            if dropped:
                problems.add("too_many", trace_id, dropped)
            trace = assemble(spans, source="otlp", calls=self.monitor.settings.calls, problems=problems)  # type: ignore[arg-type]
            if trace_id in known_ids and trace.spans < store.traces.get(trace_id).origin.get("spans", 0):
                continue  # spans that arrived too late: the rest of the trace is no longer stored
            traces.append(trace)
        self.monitor.feed(traces)


def _size(rows: list[tuple[str, bytes]]) -> int:
    return sum(len(content) for _, content in rows)


PAUSES = (0.5, 2.0)
TIMEOUT = 10.0
QUIET = 3600.0
LONGEST = 64 * 1024


class Alerts:
    """Sends alerts, and remembers them to avoid duplicates within an hour."""

    def __init__(
        self, targets: Sequence[AlertTo], clock: Callable[[], float], say: Callable[[str], None] | None = None
    ) -> None:
        self._targets = targets
        self._clock = clock
        self._say = say or partial(tell, err=True)
        self._last: dict[tuple[str, str], float] = {}
        self.sent = self.failed = self.held_back = 0

    async def send(self, alert: dict[str, Any]) -> None:
        """Send an alert to all targets for this kind. Delivery failures are counted and logged, never raised."""
        key = alert.get("agent", ""), alert.get("check", "")
        now = self._clock()
        if now - self._last.get(key, -QUIET) < QUIET:
            self.held_back += 1
            return
        self._last[key] = now
        body = msgspec.json.encode(alert)[:LONGEST]
        targets = [target for target in self._targets if alert.get("kind") in target.when]
        for target in targets:
            if await self._try(target, body):
                self.sent += 1
            else:
                self.failed += 1
                self._say("an alert could not be delivered after 3 attempts")

    async def _try(self, target: AlertTo, body: bytes) -> bool:
        for pause in PAUSES:
            if await self._deliver(target, body):
                return True
            await asyncio.sleep(pause)
        return await self._deliver(target, body)

    async def _deliver(self, target: AlertTo, body: bytes) -> bool:
        if target.exec:
            return await _run(target.exec, body)
        if target.to == "stderr":
            self._say(body.decode())
            return True
        return await _post(target.to, body)


async def _post(url: str, body: bytes) -> bool:
    import aiohttp

    try:
        timeout = aiohttp.ClientTimeout(total=TIMEOUT)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(
                url, data=body, headers={"content-type": "application/json"}, allow_redirects=False
            ) as reply,
        ):
            return 200 <= reply.status < 300
    except (aiohttp.ClientError, TimeoutError, OSError, ValueError):
        return False


async def _run(command: Sequence[str], body: bytes) -> bool:
    """The alert on stdin: text from traces never becomes an argument."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return False
    try:
        await asyncio.wait_for(process.communicate(body), TIMEOUT)
    except TimeoutError:
        process.kill()
        await process.wait()
        return False
    return process.returncode == 0
