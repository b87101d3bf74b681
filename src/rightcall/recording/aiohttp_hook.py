"""aiohttp: `ClientSession._request`, where every request starts."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable
from types import SimpleNamespace
from typing import Any

from rightcall.recording.case import PendingReply, ReplayedReply
from rightcall.recording.hooks import RequestHooks, join_headers, patch_method


def install(library: Any, listener: RequestHooks) -> list[Callable[[], None]]:
    def replacement(original: Any) -> Any:
        async def _request(self: Any, method: str, str_or_url: Any, **rest: Any) -> Any:
            if not listener.listens():
                return await original(self, method, str_or_url, **rest)
            url = self._build_url(str_or_url)
            if params := rest.get("params"):
                url = url.extend_query(params)
            own = rest.get("headers") or ()
            own = list(own.items() if hasattr(own, "items") else own)
            headers = {**join_headers(self.headers.items()), **join_headers(own)}
            body = _body(self, rest)
            if body is None:
                listener.unreadable(method, str(url))
                return await original(self, method, str_or_url, **rest)
            sent = listener.edit(method, str(url), headers, body)
            if sent != body:
                typed = headers.get("content-type", "application/json")
                headers = {**headers, "content-type": typed}
                rest = {
                    **rest,
                    "json": None,
                    "data": sent,
                    "headers": {**join_headers(own), "content-type": typed},
                }
            reply = listener.request(method, str(url), headers, sent)
            if isinstance(reply, ReplayedReply):
                return _replay_response(library, self, method, url, reply=reply, rest=rest)
            response = await original(self, method, str_or_url, **rest)
            if reply is not None:
                reply.begin(response.status, join_headers(response.headers.items()))
                response.content = CopiedReader(response.content, reply)
            return response

        return _request

    return patch_method(library.ClientSession, "_request", "aiohttp", replacement)


def _body(session: Any, rest: dict[str, Any]) -> bytes | None:
    """The body as bytes; None for a form or a generator, which cannot be read twice."""
    if rest.get("json") is not None:
        encoded = session._json_serialize(rest["json"])
        return encoded if isinstance(encoded, bytes) else str(encoded).encode()
    data = rest.get("data")
    if data is None:
        return b""
    if isinstance(data, str):
        return data.encode()
    return bytes(data) if isinstance(data, bytes | bytearray | memoryview) else None


def _replay_response(
    library: Any, session: Any, method: str, url: Any, reply: ReplayedReply, rest: dict[str, Any]
) -> Any:
    """A response built without a network. Its constructor's arguments differ between versions."""
    from aiohttp.helpers import TimerNoop
    from multidict import CIMultiDict, CIMultiDictProxy

    headers = CIMultiDictProxy(CIMultiDict(reply.headers))
    info = library.RequestInfo(url, method, headers, url)
    loop = asyncio.get_running_loop()
    values = {
        "writer": None,
        "continue100": None,
        "timer": TimerNoop(),
        "request_info": info,
        "traces": [],
        "loop": loop,
        "session": session,
        "stream_writer": SimpleNamespace(output_size=0),
        "original_url": url,
    }
    parameters = inspect.signature(library.ClientResponse.__init__).parameters
    response = library.ClientResponse(method, url, **{n: v for n, v in values.items() if n in parameters})
    reader = library.StreamReader(
        SimpleNamespace(_reading_paused=False, pause_reading=_nothing, resume_reading=_nothing),
        limit=2**30,
        loop=loop,
    )
    for chunk in reply.chunks:
        reader.feed_data(chunk)
    reader.feed_eof()
    response.version = None
    response.status = reply.status
    response.reason = ""
    response._headers = headers
    response._raw_headers = tuple((name.encode(), value.encode()) for name, value in headers.items())
    response.content = reader
    response._closed = False
    raises = rest.get("raise_for_status")
    raises = session._raise_for_status if raises is None else raises
    if raises is True:
        response.raise_for_status()
    return response


def _nothing(*args: Any, **words: Any) -> None:
    return None


READS = ("read", "readany", "readline", "readuntil", "readexactly")
"""Methods of a reader that return bytes."""


class CopiedReader:
    """A reader that copies everything read from it."""

    def __init__(self, reader: Any, pending: PendingReply) -> None:
        self._reader = reader
        self._pending = pending

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._reader, name)
        if name not in READS:
            return attribute

        async def read(*args: Any, **words: Any) -> bytes:
            return self._copy(await attribute(*args, **words))

        return read

    async def readchunk(self) -> tuple[bytes, bool]:
        chunk, end = await self._reader.readchunk()
        return self._copy(chunk), end

    def read_nowait(self, n: int = -1) -> bytes:
        return self._copy(self._reader.read_nowait(n))

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while line := await self.readline():
            yield line

    async def iter_chunked(self, n: int) -> AsyncIterator[bytes]:
        while chunk := await self.read(n):
            yield chunk

    async def iter_any(self) -> AsyncIterator[bytes]:
        while chunk := await self.readany():
            yield chunk

    async def iter_chunks(self) -> AsyncIterator[tuple[bytes, bool]]:
        while (pair := await self.readchunk()) != (b"", False):
            yield pair

    def _copy(self, chunk: bytes) -> bytes:
        self._pending.copy(chunk)
        return chunk
