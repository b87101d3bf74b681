"""The OTLP receiver: spans over HTTP, redacted and stored before they are acknowledged, closed into traces."""

from __future__ import annotations

import asyncio
import datetime
import hmac
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from rightcall.errors import ConfigError, InputError, StoreError
from rightcall.monitor.alerts import Alerts
from rightcall.monitor.monitor import Monitor
from rightcall.monitor.settings import seconds
from rightcall.traces import (
    Item,
    LogEvent,
    Problems,
    Redactor,
    Span,
    TooLarge,
    WireError,
    assemble,
    gunzip,
    json_items,
    length,
    protobuf_items,
    text,
    varint,
)

MAX_SENT, MAX_UNPACKED, MAX_SPANS = 16 * 2**20, 64 * 2**20, 50_000
MAX_WAITING = 20_000
MAX_OPEN = 10_000
COMMIT_EVERY = 0.05
REOPEN = 600.0
SWEEP = 3600.0
AT_ONCE = 200
JSON, PROTOBUF = "application/json", "application/x-protobuf"


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
class Open:
    """A trace that may still get spans."""

    last: float
    ended: bool = False
    closed_at: float | None = None


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
        self._waiting: list[tuple[list[tuple[str, bytes]], int, asyncio.Future[None]]] = []
        self._waiting_spans = 0
        self._wake = asyncio.Event()
        self._open: dict[str, Open] = {}
        self._warned_grpc = False
        now = self.clock()
        for trace_id, _ in self.monitor.store.waiting_traces():  # acknowledged before a crash
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

        runner = web.AppRunner(self.app(), auto_decompress=False, access_log=None)
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

    async def _traces(self, request: Any) -> Any:
        return await self._take(request, logs=False)

    async def _logs(self, request: Any) -> Any:
        return await self._take(request, logs=True)

    async def _metrics(self, request: Any) -> Any:
        from aiohttp import web

        await request.read()
        self.counters.ignored_metrics += 1
        kind = _kind(request)
        return web.Response(body=b"{}" if kind == JSON else b"", content_type=kind or PROTOBUF)

    async def _health(self, request: Any) -> Any:
        from aiohttp import web

        return web.Response(text="ok\n")

    async def _stats(self, request: Any) -> Any:
        from aiohttp import web

        counters: dict[str, Any] = dict(vars(self.counters))
        counters |= {
            "open_traces": sum(o.closed_at is None for o in self._open.values()),
            "waiting_spans": self._waiting_spans,
        }
        counters |= {"alerts_sent": self._alerts.sent, "alerts_failed": self._alerts.failed}
        return web.Response(body=msgspec.json.encode(counters), content_type=JSON)

    async def _take(self, request: Any, *, logs: bool) -> Any:  # noqa: PLR0911  one answer for each way it can end
        from aiohttp import web

        self.counters.requests += 1
        kind = _kind(request)
        if self.token and not _bearer(request, self.token):
            return self._refuse(401, "a valid bearer token is required", kind)
        if not kind:
            return self._refuse(415, f"content type must be {PROTOBUF} or {JSON}", PROTOBUF)
        if self._waiting_spans >= MAX_WAITING:
            answer = self._refuse(503, "too many spans are waiting for the store", kind)
            answer.headers["Retry-After"] = "1"
            return answer
        try:
            body = await request.read()
        except web.HTTPRequestEntityTooLarge:
            return self._refuse(413, f"more than {MAX_SENT // 2**20} MiB", kind)
        problems = Problems()
        try:
            items = self._decoded(request, body, kind, problems, logs)
        except TooLarge as error:
            return self._refuse(413, error.problem, kind)
        except InputError as error:
            return self._refuse(400, error.problem, kind)
        if len(items) > MAX_SPANS:
            return self._refuse(413, f"more than {MAX_SPANS:,} spans in one request", kind)
        try:
            await self._store(items)
        except StoreError as error:
            answer = self._refuse(503, f"the store did not answer: {error}", kind)
            answer.headers["Retry-After"] = "2"
            return answer
        rejected = sum(problems.counts.get(name, 0) for name in ("trace_id", "span_id"))
        if rejected:
            self.counters.rejected += rejected
            self.counters.first_rejection = self.counters.first_rejection or problems.texts()[0]
        return web.Response(body=_accepted(kind, rejected, problems, logs), content_type=kind)

    def _decoded(self, request: Any, body: bytes, kind: str, problems: Problems, logs: bool) -> list[Item]:
        encoding = request.headers.get("content-encoding", "identity").lower()
        if encoding not in ("identity", "gzip", ""):
            raise InputError("", f"content encoding '{encoding[:30]}' is not supported", "use gzip")
        if encoding == "gzip":
            body = gunzip(body, "", MAX_UNPACKED)
        if kind == PROTOBUF:
            try:
                return list(protobuf_items(body, problems, logs=logs))
            except (WireError, IndexError):
                raise InputError("", "the body is not an OTLP protobuf message") from None
        from rightcall.model.depth import too_deep

        try:
            document = None if too_deep(body, 200) else msgspec.json.decode(body)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            document = None
        if not isinstance(document, dict):
            raise InputError("", "the body is not a JSON object")
        return list(json_items(document, problems))

    async def _store(self, items: list[Item]) -> None:
        """Pass the items to the writer and wait until they are on disk."""
        by_trace: dict[str, list[Span]] = {}
        events: dict[str, list[tuple[str, Any]]] = {}
        for item in items:
            if isinstance(item, LogEvent):
                redacted = self._redactor.value(item.event.attributes)
                events.setdefault(item.trace_id, []).append((item.span_id, [item.event.name, redacted]))
            else:
                by_trace.setdefault(item.trace_id, []).append(self._redactor.span(item))
        rows = [(trace_id, _packed({"spans": spans})) for trace_id, spans in by_trace.items()]
        rows += [(trace_id, _packed({"events": found})) for trace_id, found in events.items()]
        if rows:
            done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append((rows, len(items), done))
            self._waiting_spans += len(items)
            self._wake.set()
            await done
        now = self.clock()
        self.counters.spans += len(items)
        for trace_id, spans in by_trace.items():
            held = self._open.setdefault(trace_id, Open(now))
            held.last = now
            held.closed_at = None
            held.ended = held.ended or any(not span.parent_id and span.end > 0 for span in spans)

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
                await asyncio.to_thread(self.monitor.store.add_spans, rows)
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
        swept = -SWEEP
        while True:
            await asyncio.sleep(min(0.5, self._settle))
            now = self.clock()
            if now - swept >= SWEEP:
                swept = now
                await asyncio.to_thread(self.monitor.forget, datetime.datetime.now(datetime.UTC))
            ready = [t for t, o in self._open.items() if o.closed_at is None and self._is_quiet(o, now)]
            over = sum(o.closed_at is None for o in self._open.values()) - MAX_OPEN
            if over > 0:  # the oldest are closed first, complete or not
                oldest = sorted((o.last, t) for t, o in self._open.items() if o.closed_at is None)
                ready = list(dict.fromkeys([*ready, *(t for _, t in oldest[:over])]))
            for start in range(0, len(ready), AT_ONCE):
                await self._close(ready[start : start + AT_ONCE])
            forgotten = [
                t for t, o in self._open.items() if o.closed_at is not None and now - o.closed_at > REOPEN
            ]
            if forgotten:
                await asyncio.to_thread(self.monitor.store.drop_spans, forgotten)
                for trace_id in forgotten:
                    del self._open[trace_id]

    def _is_quiet(self, held: Open, now: float) -> bool:
        return now - held.last >= (self._settle if held.ended else self._idle)

    async def _close(self, trace_ids: list[str]) -> None:
        try:
            await asyncio.to_thread(self._close_now, trace_ids)
        except StoreError as error:
            self.log(f"the store did not answer: {error}")
            return
        now = self.clock()
        for trace_id in trace_ids:
            self._open[trace_id].closed_at = now
        self.counters.closed += len(trace_ids)
        for alarm in self.monitor.alarms[self._told :]:
            self._told += 1
            await self._alerts.send(alarm.content | {"alarm": alarm.key})

    def _close_now(self, trace_ids: list[str]) -> None:
        traces = []
        for trace_id in trace_ids:
            spans = unpacked_spans(self.monitor.store.spans_of(trace_id))
            if spans:
                traces.append(assemble(spans, source="otlp", calls=self.monitor.settings.calls))  # type: ignore[arg-type]
        self.monitor.feed(traces)

    async def close_all(self) -> None:
        """Close every open trace, quiet or not: at the end."""
        ready = [trace_id for trace_id, held in self._open.items() if held.closed_at is None]
        for start in range(0, len(ready), AT_ONCE):
            await self._close(ready[start : start + AT_ONCE])

    def _refuse(self, status: int, message: str, kind: str) -> Any:
        from aiohttp import web

        self.counters.refused += 1
        body = msgspec.json.encode({"message": message}) if kind == JSON else text(2, message)
        return web.Response(status=status, body=body, content_type=kind or PROTOBUF)


def _kind(request: Any) -> str:
    kind = request.content_type
    return kind if kind in (JSON, PROTOBUF) else ""


def _bearer(request: Any, token: str) -> bool:
    given = request.headers.get("authorization", "")
    return hmac.compare_digest(given.encode(), f"Bearer {token}".encode())


def _accepted(kind: str, rejected: int, problems: Problems, logs: bool) -> bytes:
    """Export…ServiceResponse, with a partial success when spans were rejected."""
    if not rejected:
        return b"{}" if kind == JSON else b""
    reason = problems.texts()[0]
    if kind == JSON:
        name = "rejectedLogRecords" if logs else "rejectedSpans"
        return msgspec.json.encode({"partialSuccess": {name: str(rejected), "errorMessage": reason}})
    return length(1, varint(1, rejected) + text(2, reason))


def _packed(value: Any) -> bytes:
    return zlib.compress(msgspec.json.encode(value), 1)


class _Stored(msgspec.Struct):
    spans: list[Span] = []
    events: list[tuple[str, tuple[str, dict[str, Any]]]] = []


def unpacked_spans(contents: list[bytes]) -> list[Span]:
    """Spans as stored, with events that arrived separately."""
    from rightcall.traces import SpanEvent

    stored = [msgspec.json.decode(zlib.decompress(content), type=_Stored) for content in contents]
    spans = [span for part in stored for span in part.spans]
    events: dict[str, list[SpanEvent]] = {}
    for part in stored:
        for span_id, (name, attributes) in part.events:
            events.setdefault(span_id, []).append(SpanEvent(name, attributes))
    return [
        msgspec.structs.replace(span, events=[*span.events, *events[span.span_id]])
        if span.span_id in events
        else span
        for span in spans
    ]
