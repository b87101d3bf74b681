"""A name for everything that can go wrong between asking a server and having its answer."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from typing import Any

import msgspec

from rightcall.errors import ProviderError, ProviderErrorKind
from rightcall.model.codec import DecodeErrors
from rightcall.providers.retry_after import retry_after
from rightcall.providers.secrets import one_line, scrub

MEGABYTE = 1 << 20

_ASK_LATER = frozenset({408, 409, 425, 429})
_USED_UP = ("insufficient_quota", "billing_hard_limit_reached")


def refused(where: str, status: int, headers: Mapping[str, str], content: bytes) -> ProviderError:
    """An answer with a status other than 200, with the server's own words."""
    code, words = server_words(content)
    if 300 <= status < 400:
        target = scrub(one_line(headers.get("location", "somewhere else"), 100))
        return ProviderError(
            f"{where} redirects to {target}, which is not followed with a key; set base_url to it",
            kind="rejected",
            status=status,
        )
    used_up = code in _USED_UP
    retryable = (status in _ASK_LATER or status >= 500) and not used_up
    text = f"{where} answered {status}" + (f": {words}" if words else "")
    if status in (401, 403):
        text += "; is the key in the environment right?"
    if status == 404:
        text += "; is the model's name right, and does base_url end where the API begins (often /v1)?"
    return ProviderError(
        text,
        kind=_kind(status),
        retryable=retryable,
        retry_after=retry_after(headers) if retryable else None,
        status=status,
    )


def transport(where: str, error: Exception, deadline: float) -> ProviderError:
    """No answer, or half of one."""
    import aiohttp

    detail = one_line(scrub(str(error))) or type(error).__name__
    if isinstance(error, TimeoutError):
        reason = detail if str(error) else f"deadline {deadline:g} s"
        return ProviderError(
            f"{where} gave no whole answer in time: {reason}", kind="timeout", retryable=True
        )
    if isinstance(error, ssl.SSLError | aiohttp.ClientSSLError | ssl.CertificateError):
        return ProviderError(f"{where}: the secure connection failed: {detail}", kind="tls")
    if isinstance(error, aiohttp.ClientConnectorError):
        return ProviderError(
            f"{where} cannot be reached: {detail}", kind="unreachable", retryable=not _unknown_host(error)
        )
    if isinstance(error, aiohttp.ClientPayloadError) and "decompress" in detail.lower():
        return ProviderError(f"{where}: the answer cannot be unpacked: {detail}", kind="malformed")
    if isinstance(error, aiohttp.ClientPayloadError | aiohttp.ServerDisconnectedError | OSError):
        return ProviderError(
            f"{where} closed the connection before the answer was whole: {detail}",
            kind="dropped",
            retryable=True,
        )
    return ProviderError(f"{where}: not an HTTP answer: {detail}", kind="malformed")


def not_json(where: str, content_type: str, content: bytes) -> ProviderError:
    """A successful answer that does not say it is JSON: a web page, a stream."""
    start = scrub(one_line(content[:400].decode(errors="replace"), 80))
    return ProviderError(
        f"{where} answered {one_line(content_type, 60)} instead of JSON ({start!r});"
        " is base_url the address of the API?",
        kind="malformed",
    )


def malformed(where: str, problem: str) -> ProviderError:
    """JSON, or what should be JSON, that is not what the wire format says. The next answer may be better."""
    return ProviderError(
        f"{where}: the answer is not usable: {scrub(one_line(problem, 200))}",
        kind="malformed",
        retryable=True,
    )


def too_large(where: str, limit: int) -> ProviderError:
    """An answer that was not read to its end."""
    return ProviderError(
        f"{where}: the answer is longer than {limit / MEGABYTE:g} MB and was not read", kind="too_large"
    )


def server_words(content: bytes) -> tuple[str, str]:
    """The code and the message of an error body, in any of the usual spellings; the message made safe."""
    try:
        body = msgspec.json.decode(content[: 4 * MEGABYTE])
    except DecodeErrors:
        return "", scrub(one_line(content[:2000].decode(errors="replace")))
    found = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(found, dict):
        return "", scrub(one_line(str(found)))
    code = found.get("code") or found.get("type")
    words = found.get("message") or found.get("detail") or code or ""
    return str(code), scrub(one_line(_text(words)))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _kind(status: int) -> ProviderErrorKind:
    if status == 429:
        return "rate_limit"
    if status in (503, 529):
        return "overloaded"
    if status in (401, 403):
        return "auth"
    if status in (408, 504):
        return "timeout"
    return "server" if status >= 500 else "rejected"


def _unknown_host(error: Exception) -> bool:
    """Whether the name does not exist, as opposed to a server or a name service that is down just now."""
    import socket

    cause = getattr(error, "os_error", None)
    return isinstance(cause, socket.gaierror) and cause.errno != socket.EAI_AGAIN
