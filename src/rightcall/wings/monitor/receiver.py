"""The OTLP receiver: spans over HTTP or gRPC, and the answer to each request."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec

from rightcall.core.errors import ConfigError, InputError, StoreError
from rightcall.core.local_door import LocalDoor
from rightcall.core.operating_system import return_large_blocks
from rightcall.wings.monitor.grpc_server import GrpcServer, RequestAnswer
from rightcall.wings.monitor.monitor import Monitor
from rightcall.wings.monitor.trace_intake import Counters, TraceIntake
from rightcall.wings.traces.otlp import Item
from rightcall.wings.traces.otlp_body import SlowBodyError
from rightcall.wings.traces.otlp_request import (
    JSON,
    PROTOBUF,
    TRACE_PATHS,
    accepted_body,
    refused_body,
    rejected_items,
    request_kind,
)
from rightcall.wings.traces.otlp_server import OtlpServer
from rightcall.wings.traces.otlp_threads import BusyError
from rightcall.wings.traces.problems import Problems
from rightcall.wings.traces.unpack import TooLarge

MAX_WAITING, MAX_WAITING_BYTES = 20_000, 64 * 2**20
STOP_SECONDS = 5.0
GRPC = (
    "a client uses gRPC on the port for HTTP: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf there, "
    "or serve gRPC on another port with --grpc-port"
)
BUSY = RequestAnswer(503, message="too many spans are waiting for the store", retry_s=1)
ReadItems = Callable[[Problems], Awaitable[tuple[list[Item], int]]]


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
        self._door = LocalDoor(self.token, self.monitor.settings.hosts, "add it to the receiver's `hosts`")
        self._server = OtlpServer(self._door, self._refused_request, _server_log(self._server_said))

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

    async def run(
        self,
        host: str,
        port: int,
        stop: asyncio.Event,
        ready: Callable[[int], None],
        *,
        grpc: tuple[str, int] | None = None,
        grpc_ready: Callable[[int], None] = lambda number: None,
    ) -> None:
        """Serve until `stop`, then store and close what has arrived. `grpc` is where to listen for OTLP over gRPC."""
        try:
            number = await self._server.start(self.app(), host, port, stop_seconds=STOP_SECONDS)
        except OSError as error:
            raise ConfigError(
                f"cannot listen on {host}:{port}: {(error.strerror or str(error)).lower()}"
            ) from None
        over_grpc = GrpcServer(self._door, self._take_grpc, self._count_refused)
        try:
            if grpc is not None:
                grpc_ready(await over_grpc.start(*grpc))
        except BaseException:
            await self._server.stop()
            raise
        return_large_blocks()
        ready(number)
        tasks = self._intake.begin()
        try:
            await stop.wait()
        finally:
            await over_grpc.stop(STOP_SECONDS)
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

    async def _take(self, request: Any, *, logs: bool) -> Any:
        from aiohttp import web

        kind = request_kind(request.content_type)
        if not kind:
            self.counters.requests += 1
            return self._refuse(415, f"content type must be {PROTOBUF} or {JSON}", PROTOBUF)
        answer = await self._taken(partial(self._server.items, request, kind, logs=logs), kind, logs=logs)
        if answer.status == 200:
            return web.Response(body=answer.body, content_type=kind)
        response = self._refuse(answer.status, answer.message, kind)
        if answer.retry_s:
            response.headers["Retry-After"] = str(answer.retry_s)
        return response

    async def _take_grpc(self, name: str, body: bytes) -> RequestAnswer:
        """A request over gRPC: a message in protobuf, which gRPC has decompressed."""
        if name == "metrics":
            self.counters.ignored_metrics += 1
            return RequestAnswer(200)
        logs = name == "logs"

        async def read(problems: Problems) -> tuple[list[Item], int]:
            return await self._server.message_items(body, problems, logs=logs), len(body)

        return await self._taken(read, PROTOBUF, logs=logs)

    async def _taken(self, read: ReadItems, kind: str, *, logs: bool) -> RequestAnswer:  # noqa: PLR0911  one for each end
        """The answer to a request whose items `read` reads, over any transport."""
        self.counters.requests += 1
        if self._is_full:
            return BUSY
        problems = Problems()
        try:
            items, size = await read(problems)
            items = await self._server.threads.run(size, self._intake.redacted, items)
        except SlowBodyError as error:
            return RequestAnswer(408, message=error.problem)
        except TooLarge as error:
            return RequestAnswer(413, message=error.problem)
        except BusyError:
            return BUSY
        except InputError as error:
            return RequestAnswer(400, message=error.problem)
        if self._is_full:  # others were faster
            return BUSY
        try:
            dropped = await self._intake.store(items)
        except StoreError as error:
            return RequestAnswer(503, message=f"the store did not answer: {error}", retry_s=2)
        if dropped:
            problems.add("too_many", count=dropped)
        rejected = rejected_items(problems)
        if rejected:
            self.counters.rejected += rejected
            self.counters.first_rejection = self.counters.first_rejection or problems.texts()[0]
        return RequestAnswer(200, accepted_body(kind, problems, logs=logs))

    @property
    def _is_full(self) -> bool:
        return self._intake.waiting_spans >= MAX_WAITING or self._intake.waiting_bytes >= MAX_WAITING_BYTES

    def _refused_request(self, request: Any, status: int, message: str) -> Any:
        """The answer to a request that may not pass, whatever its path."""
        self.counters.requests += 1
        return self._refuse(status, message, request_kind(request.content_type) or JSON)

    def _count_refused(self) -> None:
        self.counters.refused += 1

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
