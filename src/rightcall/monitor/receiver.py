"""The OTLP receiver: spans over HTTP, and the answer to each request."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from rightcall.errors import ConfigError, InputError, StoreError
from rightcall.local_door import LocalDoor
from rightcall.monitor.monitor import Monitor
from rightcall.monitor.trace_intake import Counters, TraceIntake, return_large_blocks
from rightcall.traces import (
    JSON,
    PROTOBUF,
    TRACE_PATHS,
    BusyError,
    OtlpServer,
    Problems,
    SlowBodyError,
    TooLarge,
    accepted_body,
    refused_body,
    rejected_items,
    request_kind,
)

MAX_WAITING, MAX_WAITING_BYTES = 20_000, 64 * 2**20
STOP_SECONDS = 5.0
GRPC = "a client uses gRPC, which is not supported: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"


@dataclass
class Receiver:
    """Receives OTLP requests and hands their spans to the intake of a monitor."""

    monitor: Monitor
    token: str = ""
    clock: Callable[[], float] = time.monotonic
    counters: Counters = field(default_factory=Counters)
    log: Callable[[str], None] = lambda _text: None

    def __post_init__(self) -> None:
        self._intake = TraceIntake(self.monitor, self.counters, self.clock, self.log)
        self._warned: set[str] = set()
        door = LocalDoor(self.token, self.monitor.settings.hosts, "add it to the receiver's `hosts`")
        self._server = OtlpServer(door, self._refused_request, _server_log(self._server_said))

    def app(self) -> Any:
        """The HTTP application."""
        return self._server.app(
            {
                **{("POST", path): self._traces for path in TRACE_PATHS},
                ("POST", "/v1/logs"): self._logs,
                ("POST", "/v1/metrics"): self._metrics,
                ("GET", "/healthz"): self._health,
                ("GET", "/stats"): self._stats,
            }
        )

    async def run(self, host: str, port: int, stop: asyncio.Event, ready: Callable[[int], None]) -> None:
        """Serve until `stop`, then store and close what has arrived."""
        try:
            number = await self._server.start(self.app(), host, port, stop_seconds=STOP_SECONDS)
        except OSError as error:
            raise ConfigError(
                f"cannot listen on {host}:{port}: {(error.strerror or str(error)).lower()}"
            ) from None
        return_large_blocks()
        ready(number)
        tasks = self._intake.begin()
        try:
            await stop.wait()
        finally:
            await self._server.stop()
            await self._intake.end(tasks)

    async def close_all(self) -> None:
        """Close every open trace, quiet or not."""
        await self._intake.close_all()

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
            "open_traces": self._intake.open_traces,
            "waiting_spans": self._intake.waiting_spans,
            "alerts_sent": self._intake.alerts.sent,
            "alerts_failed": self._intake.alerts.failed,
        }
        return web.Response(body=msgspec.json.encode(counters), content_type=JSON)

    async def _take(self, request: Any, *, logs: bool) -> Any:  # noqa: PLR0911  one answer for each way it can end
        from aiohttp import web

        self.counters.requests += 1
        kind = request_kind(request.content_type)
        if not kind:
            return self._refuse(415, f"content type must be {PROTOBUF} or {JSON}", PROTOBUF)
        if self._is_full:
            return self._busy(kind)
        problems = Problems()
        try:
            items, size = await self._server.items(request, kind, problems, logs=logs)
            items = await self._server.threads.run(size, self._intake.redacted, items)
        except SlowBodyError as error:
            return self._refuse(408, error.problem, kind)
        except TooLarge as error:
            return self._refuse(413, error.problem, kind)
        except BusyError:
            return self._busy(kind)
        except InputError as error:
            return self._refuse(400, error.problem, kind)
        if self._is_full:  # others were faster
            return self._busy(kind)
        try:
            dropped = await self._intake.store(items)
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

    @property
    def _is_full(self) -> bool:
        return self._intake.waiting_spans >= MAX_WAITING or self._intake.waiting_bytes >= MAX_WAITING_BYTES

    def _busy(self, kind: str) -> Any:
        answer = self._refuse(503, "too many spans are waiting for the store", kind)
        answer.headers["Retry-After"] = "1"
        return answer

    def _refused_request(self, request: Any, status: int, message: str) -> Any:
        """The answer to a request that may not pass, whatever its path."""
        self.counters.requests += 1
        return self._refuse(status, message, request_kind(request.content_type) or JSON)

    def _refuse(self, status: int, message: str, kind: str) -> Any:
        from aiohttp import web

        self.counters.refused += 1
        body = refused_body(kind, message)
        return web.Response(status=status, body=body, content_type=kind or PROTOBUF)


def _server_log(said: Callable[[str, BaseException | None], None]) -> logging.Logger:
    """A separate log for the HTTP server: the process's log would contain tracebacks with untrusted data."""

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            error = record.exc_info[1] if record.exc_info else None
            said(str(error) if error is not None else record.getMessage(), error)

    made = logging.Logger("rightcall.receiver")
    made.addHandler(Handler(logging.WARNING))
    return made
