"""The receiver of `monitor serve`: spans over HTTP, for the intake of a monitor."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from rightcall.core.errors import ConfigError
from rightcall.core.local_door import LocalDoor
from rightcall.core.operating_system import return_large_blocks
from rightcall.limbs.monitor.monitor import Monitor
from rightcall.limbs.monitor.trace_intake import Counters, TraceIntake
from rightcall.limbs.traces.otlp_receiver import JSON, OtlpReceiver

MAX_WAITING = 20_000
MAX_WAITING_BYTES = 64 * 2**20
STOP_SECONDS = 5.0
GRPC = "a client uses gRPC on the port for HTTP: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf there"


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
        intake = self._intake
        self._otlp = OtlpReceiver(
            LocalDoor(self.token, self.monitor.settings.hosts, "add it to the receiver's `hosts`"),
            intake.store,
            clean=intake.redact,
            is_full=lambda: intake.waiting_spans >= MAX_WAITING or intake.waiting_bytes >= MAX_WAITING_BYTES,
            counters=self.counters,
            logger=_server_log(self._server_said),
        )

    async def run(self, host: str, port: int, stop: asyncio.Event, ready: Callable[[int], None]) -> None:
        """Serve until `stop`, then store and close what has arrived."""
        try:
            routes = {("GET", "/healthz"): self._health, ("GET", "/stats"): self._stats}
            number = await self._otlp.start(host, port, stop_seconds=STOP_SECONDS, routes=routes)
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
            await self._otlp.stop()
            await self._intake.end(tasks)

    async def close_all(self) -> None:
        """Close every open trace, quiet or not."""
        await self._intake.close_all()

    def _server_said(self, message: str, error: BaseException | None) -> None:
        """One line for each kind of connection that is not HTTP/1, whatever bytes it sent."""
        from aiohttp.http_exceptions import HttpProcessingError

        text = GRPC if "PRI" in message else "a connection that was not HTTP was closed"
        if error is not None and not isinstance(error, HttpProcessingError):
            text = f"a request could not be handled: {type(error).__name__}"
        self.counters.refused += 1
        if text not in self._warned:
            self._warned.add(text)
            self.log(text)

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


def _server_log(report: Callable[[str, BaseException | None], None]) -> logging.Logger:
    """A separate log for the HTTP server: the process's log would contain tracebacks with untrusted data."""

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            error = record.exc_info[1] if record.exc_info else None
            report(str(error) if error is not None else record.getMessage(), error)

    logger = logging.Logger("rightcall.receiver")
    logger.addHandler(Handler(logging.WARNING))
    return logger
