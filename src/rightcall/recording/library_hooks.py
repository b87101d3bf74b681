"""How each HTTP library is hooked: at its lowest layer that still has whole requests.

httpx and httpx2, which the SDKs of OpenAI and Anthropic use: their network transports, sync and async. urllib3, and
requests on top of it: the outermost `urlopen`, which calls itself on redirects and retries. aiohttp:
`ClientSession._request`, where every request starts.
"""

from __future__ import annotations

import asyncio
import inspect
import io
from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any

from rightcall.recording.case import PendingReply, ReplayedReply
from rightcall.recording.hooks import RequestHooks, join_headers, patch_method


def hook_httpx(library: Any, listener: RequestHooks) -> list[Callable[[], None]]:
    name = library.__name__
    streams = _streams(library)

    def hand_in(request: Any, body: bytes) -> ReplayedReply | PendingReply | None:
        url = str(request.url)
        headers = join_headers(request.headers.raw)
        sent = listener.edit(request.method, url, headers, body)
        if sent != body and "content-length" in headers:
            request.headers["content-length"] = str(len(sent))
        request.stream = library.ByteStream(sent)
        return listener.request(request.method, url, headers, sent)

    def sync(original: Any) -> Any:
        def handle_request(self: Any, request: Any) -> Any:
            if not listener.listens():
                return original(self, request)
            reply = hand_in(request, b"".join(request.stream))
            if isinstance(reply, ReplayedReply):
                return library.Response(reply.status, headers=reply.headers, stream=streams(reply.chunks))
            return _copy_stream(library, original(self, request), reply, streams)

        return handle_request

    def asynchronous(original: Any) -> Any:
        async def handle_async_request(self: Any, request: Any) -> Any:
            if not listener.listens():
                return await original(self, request)
            reply = hand_in(request, b"".join([chunk async for chunk in request.stream]))
            if isinstance(reply, ReplayedReply):
                return library.Response(reply.status, headers=reply.headers, stream=streams(reply.chunks))
            return _copy_stream(library, await original(self, request), reply, streams)

        return handle_async_request

    return [
        *patch_method(library.HTTPTransport, "handle_request", name, sync),
        *patch_method(library.AsyncHTTPTransport, "handle_async_request", name, asynchronous),
    ]


def _copy_stream(library: Any, response: Any, pending: PendingReply | None, streams: Any) -> Any:
    """The response with a stream that copies every chunk."""
    if pending is None:
        return response
    headers = join_headers(response.headers.raw)
    pending.begin(response.status_code, headers)
    encoded = {"content-encoding": headers["content-encoding"]} if "content-encoding" in headers else {}
    if encoded:
        pending.decoded = lambda raw: library.Response(200, headers=encoded, content=raw).content
    return library.Response(
        response.status_code,
        headers=response.headers.raw,
        stream=streams(response.stream, pending.copy),
        extensions=response.extensions,
    )


def _streams(library: Any) -> Any:
    class Stream(library.SyncByteStream, library.AsyncByteStream):  # type: ignore[misc]
        """Chunks from a recording, or of another stream with a copy for the recording."""

        def __init__(self, source: Any, copy: Callable[[bytes], None] = lambda chunk: None) -> None:
            self._source = source
            self._copy = copy

        def __iter__(self) -> Iterator[bytes]:
            for chunk in self._source:
                self._copy(chunk)
                yield chunk

        async def __aiter__(self) -> AsyncIterator[bytes]:
            if isinstance(self._source, list):
                for chunk in self._source:
                    yield chunk
                return
            async for chunk in self._source:
                self._copy(chunk)
                yield chunk

        def close(self) -> None:
            if hasattr(self._source, "close"):
                self._source.close()

        async def aclose(self) -> None:
            if hasattr(self._source, "aclose"):
                await self._source.aclose()

    return Stream


_INSIDE: ContextVar[bool] = ContextVar("rightcall_urllib3", default=False)


def hook_urllib3(library: Any, listener: RequestHooks) -> list[Callable[[], None]]:
    def replacement(original: Any) -> Any:
        def urlopen(
            self: Any, method: str, url: str, body: Any = None, headers: Any = None, **rest: Any
        ) -> Any:
            if _INSIDE.get() or not listener.listens():
                return original(self, method, url, body, headers, **rest)
            sent = join_headers((headers if headers is not None else self.headers).items())
            plain = _bytes(body)
            if plain is not None and hasattr(body, "read"):
                body = plain
            edited = listener.edit(method, _whole_url(self, url), sent, plain or b"")
            if plain is not None and edited != plain:
                body = plain = edited
                length = {"content-length": str(len(edited))} if "content-length" in sent else {}
                headers = {**sent, **length}
            reply = listener.request(method, _whole_url(self, url), sent, plain or b"")
            if isinstance(reply, ReplayedReply):
                return _urllib3_response(library, reply, method, url, rest=rest)
            token = _INSIDE.set(True)
            try:
                response = original(self, method, url, body, headers, **rest)
            finally:
                _INSIDE.reset(token)
            if reply is None:
                return response
            return _copy_response(response, reply, rest.get("preload_content", True))

        return urlopen

    return patch_method(library.HTTPConnectionPool, "urlopen", "urllib3", replacement)


def _whole_url(pool: Any, url: str) -> str:
    if "://" in url:
        return url
    port = f":{pool.port}" if pool.port else ""
    return f"{pool.scheme}://{pool.host}{port}{url}"


def _bytes(body: Any) -> bytes | None:
    if isinstance(body, str):
        return body.encode("latin-1", "replace") if body.isascii() else body.encode()
    if isinstance(body, bytes | bytearray):
        return bytes(body)
    if hasattr(body, "read"):
        data = body.read()
        return data.encode() if isinstance(data, str) else bytes(data)
    return None


def _urllib3_response(library: Any, reply: ReplayedReply, method: str, url: str, rest: dict[str, Any]) -> Any:
    return library.HTTPResponse(
        body=io.BytesIO(reply.content),
        headers=reply.headers,
        status=reply.status,
        preload_content=rest.get("preload_content", True),
        decode_content=rest.get("decode_content", True),
        request_method=method,
        request_url=url,
    )


def _copy_response(response: Any, pending: PendingReply, preloaded: bool) -> Any:
    """The response, copying everything read from it."""
    pending.begin(response.status, join_headers(response.headers.items()))
    if preloaded:
        pending.copy(response.data)
        return response
    read = response.read
    stream = response.stream
    inside = [False]

    def copy_read(*args: Any, **words: Any) -> Any:
        data = read(*args, **words)
        if not inside[0]:
            pending.copy(data)
        return data

    def copy_stream(*args: Any, **words: Any) -> Iterator[bytes]:
        chunks = stream(*args, **words)
        while True:
            inside[0] = True
            try:
                chunk = next(chunks)
            except StopIteration:
                return
            finally:
                inside[0] = False
            pending.copy(chunk)
            yield chunk

    response.read = copy_read
    response.stream = copy_stream
    return response


def hook_aiohttp(library: Any, listener: RequestHooks) -> list[Callable[[], None]]:
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
                return _aiohttp_response(library, self, method, url, reply=reply, rest=rest)
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


def _aiohttp_response(
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
