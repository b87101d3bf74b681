"""Errors for everything that can go wrong between a request and its response."""

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
    """A response with a status other than 200, with the server's message."""
    code, words = server_words(content)
    if 300 <= status < 400:
        target = scrub(one_line(headers.get("location", "somewhere else"), 100))
        return ProviderError(
            f"{where} redirects to {target}, which is not followed because of the key; set base_url to it",
            kind="rejected",
            status=status,
        )
    used_up = code in _USED_UP
    retryable = (status in _ASK_LATER or status >= 500) and not used_up
    text = f"{where} answered {status}" + (f": {words}" if words else "")
    if status in (401, 403):
        text += "; check the key in the environment"
    if status == 404:
        text += "; check the model name, and that base_url is the root of the API (often /v1)"
    return ProviderError(
        text,
        kind=_kind(status),
        retryable=retryable,
        retry_after=retry_after(headers) if retryable else None,
        status=status,
    )


def transport(where: str, error: Exception, deadline: float) -> ProviderError:
    """No response, or an incomplete one."""
    import aiohttp

    detail = one_line(scrub(str(error))) or type(error).__name__
    if isinstance(error, TimeoutError):
        reason = detail if str(error) else f"deadline {deadline:g} s"
        return ProviderError(f"{where} timed out: {reason}", kind="timeout", retryable=True)
    if isinstance(error, ssl.SSLError | aiohttp.ClientSSLError | ssl.CertificateError):
        return ProviderError(f"{where}: the secure connection failed: {detail}", kind="tls")
    if isinstance(error, aiohttp.ClientConnectorError):
        return ProviderError(
            f"{where} cannot be reached: {detail}", kind="unreachable", retryable=not _unknown_host(error)
        )
    if isinstance(error, aiohttp.ClientPayloadError) and "decompress" in detail.lower():
        return ProviderError(f"{where}: cannot decompress the response: {detail}", kind="malformed")
    if isinstance(error, aiohttp.ClientPayloadError | aiohttp.ServerDisconnectedError | OSError):
        return ProviderError(
            f"{where} closed the connection before the response was complete: {detail}",
            kind="dropped",
            retryable=True,
        )
    return ProviderError(f"{where}: not an HTTP response: {detail}", kind="malformed")


def not_json(where: str, content_type: str, content: bytes) -> ProviderError:
    """A successful response that is not declared as JSON: a web page, a stream."""
    start = scrub(one_line(content[:400].decode(errors="replace"), 80))
    return ProviderError(
        f"{where} answered {one_line(content_type, 60)} instead of JSON ({start!r});"
        " is base_url the URL of the API?",
        kind="malformed",
    )


def malformed(where: str, problem: str) -> ProviderError:
    """A body that is not valid JSON or not in the wire format. A retry may succeed."""
    return ProviderError(
        f"{where}: unusable response: {scrub(one_line(problem, 200))}",
        kind="malformed",
        retryable=True,
    )


def too_large(where: str, limit: int) -> ProviderError:
    """A response that was not read to its end."""
    return ProviderError(
        f"{where}: the response exceeds {limit / MEGABYTE:g} MB and was not read", kind="too_large"
    )


def server_words(content: bytes) -> tuple[str, str]:
    """The code and the message of an error body, in any common format; the message is sanitized."""
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
    """Whether the host name does not exist, as opposed to a server or DNS that is down."""
    import socket

    cause = getattr(error, "os_error", None)
    return isinstance(cause, socket.gaierror) and cause.errno != socket.EAI_AGAIN
