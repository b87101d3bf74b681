"""OTLP over gRPC: the same requests as over HTTP, by the same rules, with gRPC's status codes for the answers.

A request is refused before its message is read when its token is wrong. gRPC needs HTTP/2 without TLS, which browsers
do not speak: there is no `Host` to check.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from rightcall.core.errors import ConfigError, MissingExtraError
from rightcall.core.local_door import LocalDoor
from rightcall.wings.traces.otlp_request import MAX_SENT, RequestAnswer

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
