"""The OTLP receiver: an aiohttp application with limits of size and time, for this machine or behind a proxy.

`take` stores the spans or hands them on; when it cannot take more, senders are asked to come again later. A request of
16 MiB takes seconds to parse and to redact: threads do it, so that the event loop keeps answering, and large requests
have a separate thread, so that small ones do not wait for them.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import msgspec

from rightcall.core.depth import too_deep
from rightcall.core.errors import InputError, StoreError
from rightcall.core.local_door import LocalDoor
from rightcall.limbs.traces.dialects import all_dialects
from rightcall.limbs.traces.otlp import Item, WireError, json_items, length, protobuf_items, text, varint
from rightcall.limbs.traces.problems import Problems, TooManyValuesError
from rightcall.limbs.traces.unpack import TooLarge, gunzip

BODY_SECONDS = 30.0
LARGE = 256 * 2**10
LINGER_SECONDS = 1.0
T = TypeVar("T")
MAX_SENT = 16 * 2**20
MAX_UNPACKED = 64 * 2**20
MAX_SPANS = 50_000
MAX_VALUES = 1_000_000
MAX_FIELDS = 6_000_000
"""Bounds of one request. Values count because they need far more memory than their text: `[],[],[],…`. Fields count
because they need time: 64 MiB of empty messages are a request of 64 KiB in gzip."""
JSON = "application/json"
PROTOBUF = "application/x-protobuf"
TRACE_PATHS = ("/v1/traces", "/api/public/otel/v1/traces", "/otel/v1/traces")
"""OTLP's own path, and those that the SDKs of Langfuse and LangSmith add to the address that they are given."""
DEEPEST = 200
REJECTED = ("unreadable", "trace_id", "span_id", "too_many")
"""Problems for which a span is omitted."""


class RequestAnswer(NamedTuple):
    """The answer to a request: 200 with a body, or another status with a message, and when to come again."""

    status: int
    body: bytes = b""
    message: str = ""
    retry_s: int = 0


class SlowBodyError(InputError):
    """A body that took too long."""


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
        self._take = take
        self._clean = clean
        self._is_full = is_full
        self._counters = counters or RequestCounters()
        self._door = door
        self._logger = logger
        self._small = ThreadPoolExecutor(1)
        self._large = ThreadPoolExecutor(1)
        self._runner: Any = None

    async def start(
        self, host: str, port: int, *, stop_seconds: float, routes: dict[tuple[str, str], Any] | None = None
    ) -> int:
        """Listen, and say on which port; `OSError` when that is not possible."""
        from aiohttp import web

        all_dialects()  # a package that cannot be loaded is an error now, not at the first span

        @web.middleware
        async def admit(request: Any, handler: Any) -> Any:
            refusal = self._door.refusal(request.headers)
            return await handler(request) if refusal is None else self._refuse_request(request, *refusal)

        app = web.Application(middlewares=[admit], client_max_size=MAX_SENT)
        for path in TRACE_PATHS:
            app.router.add_post(path, partial(self._take_request, logs=False))
        app.router.add_post("/v1/logs", partial(self._take_request, logs=True))
        app.router.add_post("/v1/metrics", self._ignore_metrics)
        for (method, path), handler in (routes or {}).items():
            app.router.add_route(method, path, handler)
        options: dict[str, Any] = {
            "auto_decompress": False,
            "access_log": None,
            "lingering_time": LINGER_SECONDS,
        }
        if self._logger is not None:
            options["logger"] = self._logger
        self._runner = web.AppRunner(app, shutdown_timeout=stop_seconds, **options)
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, host, port).start()
        except OSError:
            await self.stop()
            raise
        return int(self._runner.addresses[0][1])

    async def stop(self) -> None:
        """Answer what was received, and close."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        for thread in (self._small, self._large):
            thread.shutdown(wait=False, cancel_futures=True)

    async def _run(self, size: int, work: Callable[..., T], *arguments: Any) -> T:
        """The result of `work` on content of this size, in a thread."""
        thread = self._large if size > LARGE else self._small
        return await asyncio.get_running_loop().run_in_executor(thread, work, *arguments)

    async def _body(self, request: Any) -> bytes:
        """The unpacked body of a request; `SlowBodyError` or `TooLarge` when it is over a limit."""
        from aiohttp import web

        large = TooLarge("", f"more than {MAX_SENT // 2**20} MiB")
        if (request.content_length or 0) > MAX_SENT:
            raise large
        try:
            async with asyncio.timeout(BODY_SECONDS):
                content = await request.read()
        except TimeoutError:
            raise SlowBodyError("", f"the body took more than {BODY_SECONDS:g} seconds") from None
        except web.HTTPRequestEntityTooLarge:
            raise large from None
        return await self._run(
            len(content), unpack_body, content, request.headers.get("content-encoding", "")
        )

    async def _take_request(self, request: Any, *, logs: bool) -> Any:
        from aiohttp import web

        kind = request_kind(request.content_type)
        if not kind:
            self._counters.requests += 1
            return self._refuse(415, f"content type must be {PROTOBUF} or {JSON}", PROTOBUF)
        answer = await self._answer(request, kind, logs=logs)
        if answer.status == 200:
            return web.Response(body=answer.body, content_type=kind)
        response = self._refuse(answer.status, answer.message, kind)
        if answer.retry_s:
            response.headers["Retry-After"] = str(answer.retry_s)
        return response

    async def _answer(self, request: Any, kind: str, *, logs: bool) -> RequestAnswer:
        self._counters.requests += 1
        if self._is_full():
            return BUSY
        problems = Problems()
        try:
            body = await self._body(request)
            items = await self._run(len(body), request_items, body, kind, problems, logs)
            if self._clean is not None:
                items = await self._run(len(body), self._clean, items)
            if self._is_full():  # others were faster
                return BUSY
            dropped = await self._take(items)
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

        self._counters.refused += 1
        return web.Response(status=status, body=error_body(kind, message), content_type=kind)


def request_kind(content_type: str) -> str:
    """The content type of a request, or empty when it is not one of OTLP's."""
    return content_type if content_type in (JSON, PROTOBUF) else ""


def unpack_body(body: bytes, encoding: str) -> bytes:
    """The body as it was before it was compressed; `InputError` for other encodings, `TooLarge` for too much."""
    encoding = encoding.lower()
    if encoding not in ("identity", "gzip", "deflate", ""):
        raise InputError("", f"content encoding '{encoding[:30]}' is not supported", "use gzip")
    return gunzip(body, "", MAX_UNPACKED) if encoding in ("gzip", "deflate") else body


def request_items(body: bytes, kind: str, problems: Problems, logs: bool) -> list[Item]:
    """Spans or log events of an unpacked body; `InputError` when it is invalid, `TooLarge` over the limits."""
    problems.values_left = MAX_VALUES
    problems.fields_left = MAX_FIELDS
    try:
        if kind == PROTOBUF:
            stream = protobuf_items(body, problems, logs=logs)
        else:
            stream = json_items(_json_document(body, problems), problems)
        items = list(islice(stream, MAX_SPANS + 1))
    except TooManyValuesError:
        problem = f"more than {MAX_VALUES:,} values, or {MAX_FIELDS:,} fields, in one request"
        raise TooLarge("", problem, "send smaller batches") from None
    except (WireError, IndexError):
        raise InputError("", "the body is not an OTLP protobuf message") from None
    if len(items) > MAX_SPANS:
        raise TooLarge("", f"more than {MAX_SPANS:,} spans in one request", "send smaller batches")
    return items


def _json_document(body: bytes, problems: Problems) -> dict[str, Any]:
    marks = sum(body.count(mark) for mark in (b",", b"[", b"{"))
    problems.count_value(marks // 4)  # an attribute has four or five of them
    try:
        document = None if too_deep(body, DEEPEST) else msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise InputError("", "the body is not a JSON object")
    return document


def count_rejected(problems: Problems) -> int:
    """How many spans of a request were omitted."""
    return sum(problems.counts.get(name, 0) for name in REJECTED)


def success_body(kind: str, problems: Problems, *, logs: bool) -> bytes:
    """Export…ServiceResponse, with a partial success when spans were rejected."""
    rejected = count_rejected(problems)
    if not rejected:
        return b"{}" if kind == JSON else b""
    reason = problems.texts()[0]
    if kind == JSON:
        name = "rejectedLogRecords" if logs else "rejectedSpans"
        return msgspec.json.encode({"partialSuccess": {name: str(rejected), "errorMessage": reason}})
    return length(1, varint(1, rejected) + text(2, reason))


def error_body(kind: str, message: str) -> bytes:
    """`Status` with a message."""
    return msgspec.json.encode({"message": message}) if kind == JSON else text(2, message)
