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
from typing import Any, TypeVar

from rightcall.core.errors import InputError, StoreError
from rightcall.core.local_door import LocalDoor
from rightcall.limbs.traces.dialects import all_dialects
from rightcall.limbs.traces.otlp import Item
from rightcall.limbs.traces.otlp_request import (
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
    unpack_body,
)
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.unpack import TooLarge

BODY_SECONDS = 30.0
LARGE = 256 * 2**10
LINGER_SECONDS = 1.0
T = TypeVar("T")


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
