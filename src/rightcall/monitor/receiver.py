"""The OTLP receiver: spans over HTTP, redacted and stored before they are acknowledged, closed into traces."""

from __future__ import annotations

import asyncio
import datetime
import hmac
import logging
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from rightcall.errors import ConfigError, InputError, StoreError
from rightcall.monitor.alerts import Alerts
from rightcall.monitor.monitor import Monitor
from rightcall.monitor.open_trace import Open, Received, by_trace, unpacked_spans
from rightcall.monitor.settings import seconds
from rightcall.monitor.trace_record import written_time
from rightcall.traces import (
    JSON,
    MAX_SENT,
    PROTOBUF,
    Item,
    Problems,
    Redactor,
    TooLarge,
    accepted_body,
    assemble,
    refused_body,
    rejected_items,
    request_items,
    request_kind,
)

MAX_WAITING = 20_000
MAX_OPEN = 10_000
COMMIT_EVERY = 0.05
BODY_SECONDS, STOP_SECONDS = 60.0, 5.0
REOPEN = 600.0
SWEEP, DROP_EVERY = 3600.0, 30.0
AT_ONCE = 200
T = TypeVar("T")
GRPC = "a client uses gRPC, which is not supported: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"


@dataclass
class Counters:
    """The counters of /stats."""

    spans: int = 0
    rejected: int = 0
    requests: int = 0
    refused: int = 0
    ignored_metrics: int = 0
    closed: int = 0
    dropped: int = 0
    first_rejection: str = ""


@dataclass
class Receiver:
    """Receives OTLP requests and feeds complete traces to a monitor. Everything runs in one event loop."""

    monitor: Monitor
    token: str = ""
    clock: Callable[[], float] = time.monotonic
    counters: Counters = field(default_factory=Counters)
    log: Callable[[str], None] = lambda _text: None

    def __post_init__(self) -> None:
        settings = self.monitor.settings
        self._redactor = Redactor(self.monitor.store.redaction_key(), settings.redact)
        self._settle, self._idle = seconds(settings.settle), seconds(settings.idle)
        self._alerts = Alerts(settings.alerts, self.clock)
        self._told = 0
        self._store_fails = False
        self._waiting: list[tuple[list[tuple[str, bytes]], int, asyncio.Future[None]]] = []
        self._waiting_spans = 0
        self._wake = asyncio.Event()
        self._open: dict[str, Open] = {}
        self._warned: set[str] = set()
        # One thread each: memory that a thread needed once stays with it, and a pool has many.
        self._writer, self._closer = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        self._open_again()

    def _open_again(self) -> None:
        """Reopen traces that were acknowledged before a crash or a stop but not closed with all their spans.

        Late spans arrive at least `settle` after the others: a stored trace whose spans all arrived within that has
        none.
        """
        waiting = self.monitor.store.waiting_traces()
        together = [t for t, first, last in waiting if _seconds_between(first, last) < self._settle]
        closed = self.monitor.store.known_traces(together)
        now = self.clock()
        for trace_id, _, _ in waiting:
            if trace_id not in closed:
                self._open[trace_id] = Open(now)

    def app(self) -> Any:
        """The HTTP application."""
        from aiohttp import web

        app = web.Application(client_max_size=MAX_SENT)
        app.router.add_post("/v1/traces", self._traces)
        app.router.add_post("/v1/logs", self._logs)
        app.router.add_post("/v1/metrics", self._metrics)
        app.router.add_get("/healthz", self._health)
        app.router.add_get("/stats", self._stats)
        return app

    async def run(self, host: str, port: int, stop: asyncio.Event, ready: Callable[[int], None]) -> None:
        """Serve until `stop`, then store and close what has arrived."""
        from aiohttp import web

        runner = web.AppRunner(
            self.app(),
            auto_decompress=False,
            access_log=None,
            logger=_server_log(self._server_said),
            shutdown_timeout=STOP_SECONDS,
        )
        await runner.setup()
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except OSError as error:
            await runner.cleanup()
            raise ConfigError(
                f"cannot listen on {host}:{port}: {(error.strerror or str(error)).lower()}"
            ) from None
        server: Any = site._server
        ready(server.sockets[0].getsockname()[1])
        tasks = [asyncio.create_task(self._write()), asyncio.create_task(self._close_quiet())]
        try:
            await stop.wait()
        finally:
            await runner.cleanup()
            await asyncio.gather(*(done for _, _, done in self._waiting), return_exceptions=True)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.close_all()
            for thread in (self._writer, self._closer):
                thread.shutdown(wait=False)

    def _server_said(self, said: str, error: BaseException | None) -> None:
        """One line for each kind of connection that is not HTTP/1, whatever bytes it sent."""
        from aiohttp.http_exceptions import HttpProcessingError

        text = GRPC if "PRI" in said else "a connection that was not HTTP was closed"
        if error is not None and not isinstance(error, HttpProcessingError):
            text = f"a request could not be handled: {type(error).__name__}"
        self.counters.refused += 1
        if text not in self._warned:
            self._warned.add(text)
            self.log(text)

    async def _traces(self, request: Any) -> Any:
        return await self._take(request, logs=False)

    async def _logs(self, request: Any) -> Any:
        return await self._take(request, logs=True)

    async def _metrics(self, request: Any) -> Any:
        from aiohttp import web

        await request.read()
        self.counters.ignored_metrics += 1
        kind = request_kind(request.content_type)
        return web.Response(body=b"{}" if kind == JSON else b"", content_type=kind or PROTOBUF)

    async def _health(self, request: Any) -> Any:
        from aiohttp import web

        return web.Response(text="ok\n")

    async def _stats(self, request: Any) -> Any:
        from aiohttp import web

        counters: dict[str, Any] = dict(vars(self.counters))
        counters |= {
            "open_traces": len(self._open),
            "waiting_spans": self._waiting_spans,
        }
        counters |= {"alerts_sent": self._alerts.sent, "alerts_failed": self._alerts.failed}
        return web.Response(body=msgspec.json.encode(counters), content_type=JSON)

    async def _take(self, request: Any, *, logs: bool) -> Any:  # noqa: PLR0911  one answer for each way it can end
        from aiohttp import web

        self.counters.requests += 1
        kind = request_kind(request.content_type)
        if self.token and not _bearer(request, self.token):
            return self._refuse(401, "a valid bearer token is required", kind)
        if not kind:
            return self._refuse(415, f"content type must be {PROTOBUF} or {JSON}", PROTOBUF)
        if self._waiting_spans >= MAX_WAITING:
            answer = self._refuse(503, "too many spans are waiting for the store", kind)
            answer.headers["Retry-After"] = "1"
            return answer
        try:
            async with asyncio.timeout(BODY_SECONDS):
                body = await request.read()
        except TimeoutError:
            return self._refuse(408, f"the body took more than {BODY_SECONDS:g} seconds", kind)
        except web.HTTPRequestEntityTooLarge:
            return self._refuse(413, f"more than {MAX_SENT // 2**20} MiB", kind)
        problems = Problems()
        try:
            encoding = request.headers.get("content-encoding", "identity")
            items = request_items(body, kind, encoding, problems, logs=logs)
        except TooLarge as error:
            return self._refuse(413, error.problem, kind)
        except InputError as error:
            return self._refuse(400, error.problem, kind)
        try:
            dropped = await self._store(items)
        except StoreError as error:
            answer = self._refuse(503, f"the store did not answer: {error}", kind)
            answer.headers["Retry-After"] = "2"
            return answer
        if dropped:
            problems.add("too_many", count=dropped)
        rejected = rejected_items(problems)
        if rejected:
            self.counters.rejected += rejected
            self.counters.first_rejection = self.counters.first_rejection or problems.texts()[0]
        return web.Response(body=accepted_body(kind, problems, logs=logs), content_type=kind)

    async def _store(self, items: list[Item]) -> int:
        """Have the items written to disk; returns how many exceeded the bounds of a trace."""
        now = self.clock()
        rows: list[tuple[str, bytes]] = []
        taken: list[tuple[str, Open, Received]] = []
        for trace_id, given in by_trace(items).items():
            held = self._open.setdefault(trace_id, Open(now))
            kept = held.take(given, self._redactor)
            held.last = now
            taken.append((trace_id, held, kept))
            if kept.count:
                rows.append((trace_id, kept.packed()))
        stored = sum(kept.count for _, _, kept in taken)
        if rows:
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((rows, stored, done))
            self._waiting_spans += stored
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

    async def _in(self, thread: ThreadPoolExecutor, work: Callable[..., T], *given: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(thread, work, *given)

    async def _write(self) -> None:
        """One transaction for everything that arrived within 50 ms."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            await asyncio.sleep(COMMIT_EVERY)
            batch = self._waiting[:]
            rows = [row for each, _, _ in batch for row in each]
            failure: Exception | None = None
            try:
                await self._in(self._writer, self.monitor.store.add_spans, rows)
            except Exception as error:  # the sender gets an error and retries
                failure = error if isinstance(error, StoreError) else StoreError(str(error))
            del self._waiting[: len(batch)]
            for _, count, done in batch:
                self._waiting_spans -= count
                if done.done():
                    continue
                if failure is None:
                    done.set_result(None)
                else:
                    done.set_exception(failure)
            if self._waiting:
                self._wake.set()

    async def _close_quiet(self) -> None:
        swept, dropped_at = -SWEEP, self.clock()
        while True:
            await asyncio.sleep(min(0.5, self._settle))
            now = self.clock()
            if now - swept >= SWEEP:
                swept = now
                await self._in(self._closer, self.monitor.forget, datetime.datetime.now(datetime.UTC))
            ready = [t for t, o in self._open.items() if self._is_quiet(o, now)]
            over = len(self._open) - MAX_OPEN
            if over > 0:  # the oldest first, incomplete
                oldest = sorted((o.last, t) for t, o in self._open.items())
                ready = list(dict.fromkeys([*ready, *(t for _, t in oldest[:over])]))
            for start in range(0, len(ready), AT_ONCE):
                await self._close(ready[start : start + AT_ONCE])
            if now - dropped_at >= DROP_EVERY:
                dropped_at = now
                await self._in(self._closer, self._drop_closed)

    def _drop_closed(self) -> None:
        """Forget the spans of traces that were closed so long ago that late ones no longer reopen them."""
        before = datetime.datetime.now(datetime.UTC) - datetime.timedelta(seconds=REOPEN)
        store, moment = self.monitor.store, written_time(int(before.timestamp() * 1e9))
        while closed := [t for t in store.received_before(moment) if t not in self._open]:
            store.drop_spans(closed)
        _return_memory()

    def _is_quiet(self, held: Open, now: float) -> bool:
        return now - held.last >= (self._settle if held.ended else self._idle)

    async def _close(self, trace_ids: list[str]) -> None:
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
            await self._alerts.send(alarm.content | {"alarm": alarm.key})

    def _close_now(self, lost: dict[str, int]) -> None:
        store = self.monitor.store
        known, received = store.known_traces(list(lost)), store.spans_of(list(lost))
        traces = []
        for trace_id, dropped in lost.items():
            spans = unpacked_spans(received.get(trace_id, ()))
            if not spans:
                continue
            problems = Problems()
            if dropped:
                problems.add("too_many", trace_id, dropped)
            trace = assemble(spans, source="otlp", calls=self.monitor.settings.calls, problems=problems)  # type: ignore[arg-type]
            if trace_id in known and trace.spans < store.trace(trace_id).origin.get("spans", 0):
                continue  # spans that arrived too late: the rest of the trace is no longer stored
            traces.append(trace)
        self.monitor.feed(traces)

    async def close_all(self) -> None:
        """Close every open trace, quiet or not: at the end."""
        ready = list(self._open)
        for start in range(0, len(ready), AT_ONCE):
            await self._close(ready[start : start + AT_ONCE])

    def _refuse(self, status: int, message: str, kind: str) -> Any:
        from aiohttp import web

        self.counters.refused += 1
        body = refused_body(kind, message)
        return web.Response(status=status, body=body, content_type=kind or PROTOBUF)


def _return_memory() -> None:
    """Give freed memory back to the system: glibc keeps what requests of all sizes leave behind, and seems to grow."""
    import ctypes
    import gc

    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def _seconds_between(first: str, last: str) -> float:
    apart = datetime.datetime.fromisoformat(last) - datetime.datetime.fromisoformat(first)
    return apart.total_seconds()


def _server_log(said: Callable[[str, BaseException | None], None]) -> logging.Logger:
    """A separate log for the HTTP server: the process's log would contain tracebacks with untrusted data."""

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            error = record.exc_info[1] if record.exc_info else None
            said(str(error) if error is not None else record.getMessage(), error)

    made = logging.Logger("rightcall.receiver")
    made.addHandler(Handler(logging.WARNING))
    return made


def _bearer(request: Any, token: str) -> bool:
    given = request.headers.get("authorization", "")
    return hmac.compare_digest(given.encode(), f"Bearer {token}".encode())
