"""urllib3, and requests on top of it: the outermost `urlopen`, which calls itself on redirects and retries."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from typing import Any

from rightcall.recording.case import PendingReply, ReplayedReply
from rightcall.recording.hooks import RequestHooks, join_headers, patch_method

_INSIDE: ContextVar[bool] = ContextVar("rightcall_urllib3", default=False)


def install(library: Any, listener: RequestHooks) -> list[Callable[[], None]]:
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
            edited = listener.edit(method, _whole(self, url), sent, plain or b"")
            if plain is not None and edited != plain:
                body = plain = edited
                length = {"content-length": str(len(edited))} if "content-length" in sent else {}
                headers = {**sent, **length}
            reply = listener.request(method, _whole(self, url), sent, plain or b"")
            if isinstance(reply, ReplayedReply):
                return _replay_response(library, reply, method, url, rest=rest)
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


def _whole(pool: Any, url: str) -> str:
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


def _replay_response(library: Any, reply: ReplayedReply, method: str, url: str, rest: dict[str, Any]) -> Any:
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
