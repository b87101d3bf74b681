"""The OTLP receiver: requests over HTTP and gRPC, decoded within limits, and the answer to each.

`take` stores the spans or hands them on; when it cannot take more, senders are asked to come again later.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from rightcall.core.errors import ConfigError, InputError, MissingExtraError, StoreError
from rightcall.core.local_door import LocalDoor
from rightcall.wings.traces.otlp import Item
from rightcall.wings.traces.otlp_load import BusyError, SlowBodyError
from rightcall.wings.traces.otlp_request import (
    JSON,
    MAX_SENT,
    PROTOBUF,
    TRACE_PATHS,
    RequestAnswer,
    count_rejected,
    error_body,
    request_items,
    request_kind,
    success_body,
)
from rightcall.wings.traces.otlp_server import OtlpServer
from rightcall.wings.traces.problems import Problems
from rightcall.wings.traces.unpack import TooLarge

SERVICES = {
    f"/opentelemetry.proto.collector.{name}.v1.{service}/Export": name
    for name, service in (("trace", "TraceService"), ("logs", "LogsService"), ("metrics", "MetricsService"))
}
CODES = {
    400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 408: "DEADLINE_EXCEEDED",
    413: "RESOURCE_EXHAUSTED", 415: "INVALID_ARGUMENT", 503: "UNAVAILABLE",
}  # fmt: skip
"""Senders repeat a request that was UNAVAILABLE, and drop one that was INVALID_ARGUMENT or RESOURCE_EXHAUSTED."""
MAX_CALLS, MAX_METADATA = 64, 16 * 2**10


Take = Callable[[str, bytes], Awaitable[RequestAnswer]]
"""What takes a request: its kind (`trace`, `logs`, `metrics`) and its body."""


class GrpcServer:
    """Listens for OTLP over gRPC and hands requests to `take`."""

    def __init__(self, door: LocalDoor, take: Take, refused: Callable[[], None]) -> None:
        self._door, self._take, self._refused = door, take, refused
        self._server: Any = None

    async def start(self, host: str, port: int) -> int:
        """Listen, and say on which port."""
        try:
            import grpc  # type: ignore[import-untyped,import-not-found,unused-ignore]
            import grpc.aio  # type: ignore[import-untyped,import-not-found,unused-ignore]
        except ImportError:
            raise MissingExtraError("OTLP over gRPC", "grpcio", "grpc") from None
        options = [
            ("grpc.max_receive_message_length", MAX_SENT),
            ("grpc.max_concurrent_streams", MAX_CALLS),
            ("grpc.max_metadata_size", MAX_METADATA),
            ("grpc.so_reuseport", 0),
        ]
        server = grpc.aio.server(options=options, maximum_concurrent_rpcs=MAX_CALLS)
        server.add_generic_rpc_handlers((_handler(self, grpc),))
        at = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        try:
            number = server.add_insecure_port(at)
        except RuntimeError:
            number = 0
        if not number:
            raise ConfigError(f"cannot listen for gRPC on {at}: is the port in use?")
        await server.start()
        self._server = server
        return int(number)

    async def stop(self, seconds: float) -> None:
        """Answer what was received, and close."""
        if self._server is not None:
            await self._server.stop(seconds)
            self._server = None

    def refusal(self, metadata: Any) -> tuple[int, str] | None:
        """Status and reason, if a request with this metadata may not pass."""
        headers = {str(name).lower(): value for name, value in metadata or () if isinstance(value, str)}
        return self._door.refusal({**headers, "host": "localhost"})

    async def answer(self, kind: str, body: bytes, context: Any, codes: Any) -> bytes:
        """The body of a successful answer; any other status ends the call."""
        answer = await self._take(kind, body)
        if answer.status != 200:
            await self.abort(context, codes, answer.status, answer.message)
        return answer.body

    async def abort(self, context: Any, codes: Any, status: int, message: str) -> None:
        """End a call with the code that belongs to a status of HTTP."""
        self._refused()
        await context.abort(getattr(codes, CODES.get(status, "INTERNAL")), message)


def _handler(server: GrpcServer, grpc: Any) -> Any:
    class Handler(grpc.GenericRpcHandler):  # type: ignore[misc,name-defined,unused-ignore]
        """Chooses how a call is handled by its metadata, before its message is read."""

        def service(self, details: Any) -> Any:
            kind = SERVICES.get(details.method)
            if kind is None:
                return None
            if (refusal := server.refusal(details.invocation_metadata)) is not None:

                async def refuse(messages: Any, context: Any) -> bytes:
                    await server.abort(context, grpc.StatusCode, *refusal)
                    return b""

                return grpc.stream_unary_rpc_method_handler(refuse)

            async def export(body: bytes, context: Any) -> bytes:
                return await server.answer(kind, body, context, grpc.StatusCode)

            return grpc.unary_unary_rpc_method_handler(export)

    return Handler()


BUSY = RequestAnswer(503, message="too many spans are waiting for the store", retry_s=1)
STATUS = {SlowBodyError: 408, TooLarge: 413}


@dataclass
class RequestCounters:
    """What was asked, and what was turned away."""

    rejected: int = 0
    requests: int = 0
    refused: int = 0
    ignored_metrics: int = 0
    first_rejection: str = ""


class OtlpReceiver:
    """Hands the spans and log events of requests to `take`, which returns how many of them it dropped.

    `clean` prepares them in a thread, for it may take seconds. While `is_full`, requests are turned away unread.
    """

    def __init__(
        self,
        door: LocalDoor,
        take: Callable[[list[Item]], Awaitable[int]],
        *,
        clean: Callable[[list[Item]], list[Item]] | None = None,
        is_full: Callable[[], bool] = lambda: False,
        counters: RequestCounters | None = None,
        logger: logging.Logger | None = None,
    ) -> None:
        self._take, self._clean, self._is_full = take, clean, is_full
        self._counters = counters or RequestCounters()
        self.server = OtlpServer(door, self._refuse_request, logger)
        self.grpc = GrpcServer(door, self._take_message, self._count_refused)

    async def start(
        self, host: str, port: int, *, stop_seconds: float, routes: dict[tuple[str, str], Any] | None = None
    ) -> int:
        """Listen for HTTP, and say on which port; `OSError` when that is not possible."""
        app = self.server.app(
            {
                **{("POST", path): partial(self._take_request, logs=False) for path in TRACE_PATHS},
                ("POST", "/v1/logs"): partial(self._take_request, logs=True),
                ("POST", "/v1/metrics"): self._ignore_metrics,
                **(routes or {}),
            }
        )
        return await self.server.start(app, host, port, stop_seconds=stop_seconds)

    async def stop(self, seconds: float = 0.0) -> None:
        """Answer what was received, and close."""
        await self.grpc.stop(seconds)
        await self.server.stop()

    async def _take_request(self, request: Any, *, logs: bool) -> Any:
        from aiohttp import web

        kind = request_kind(request.content_type)
        if not kind:
            self._counters.requests += 1
            return self._refuse(415, f"content type must be {PROTOBUF} or {JSON}", PROTOBUF)
        answer = await self._answer(partial(self.server.body, request), kind, logs=logs)
        if answer.status == 200:
            return web.Response(body=answer.body, content_type=kind)
        response = self._refuse(answer.status, answer.message, kind)
        if answer.retry_s:
            response.headers["Retry-After"] = str(answer.retry_s)
        return response

    async def _take_message(self, name: str, body: bytes) -> RequestAnswer:
        """A request over gRPC: a message in protobuf, which gRPC has decompressed."""
        if name == "metrics":
            self._counters.ignored_metrics += 1
            return RequestAnswer(200)

        async def read() -> bytes:
            return body

        return await self._answer(read, PROTOBUF, logs=name == "logs")

    async def _answer(self, read: Callable[[], Awaitable[bytes]], kind: str, *, logs: bool) -> RequestAnswer:
        """The answer to a request whose unpacked body `read` reads, over any transport."""
        self._counters.requests += 1
        if self._is_full():
            return BUSY
        problems = Problems()
        try:
            body, run = await read(), self.server.threads.run
            items = await run(len(body), request_items, body, kind, problems, logs)
            if self._clean is not None:
                items = await run(len(body), self._clean, items)
            if self._is_full():  # others were faster
                return BUSY
            dropped = await self._take(items)
        except BusyError:
            return BUSY
        except InputError as error:
            return RequestAnswer(STATUS.get(type(error), 400), message=error.problem)
        except StoreError as error:
            return RequestAnswer(503, message=f"the store did not answer: {error}", retry_s=2)
        if dropped:
            problems.add("too_many", count=dropped)
        if rejected := count_rejected(problems):
            self._counters.rejected += rejected
            self._counters.first_rejection = self._counters.first_rejection or problems.texts()[0]
        return RequestAnswer(200, success_body(kind, problems, logs=logs))

    async def _ignore_metrics(self, request: Any) -> Any:
        from aiohttp import web

        self._counters.ignored_metrics += 1
        kind = request_kind(request.content_type)
        return web.Response(body=b"{}" if kind == JSON else b"", content_type=kind or PROTOBUF)

    def _refuse_request(self, request: Any, status: int, message: str) -> Any:
        """The answer to a request that may not pass, whatever its path."""
        self._counters.requests += 1
        return self._refuse(status, message, request_kind(request.content_type) or JSON)

    def _refuse(self, status: int, message: str, kind: str) -> Any:
        from aiohttp import web

        self._count_refused()
        return web.Response(status=status, body=error_body(kind, message), content_type=kind)

    def _count_refused(self) -> None:
        self._counters.refused += 1
