"""httpx and httpx2, used by the OpenAI and Anthropic SDKs: their network transports, sync and async."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from rightcall.recording.case import PendingReply, ReplayedReply
from rightcall.recording.hooks import RequestHooks, join_headers, patch_method


def install(library: Any, listener: RequestHooks) -> list[Callable[[], None]]:
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
