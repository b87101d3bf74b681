"""Errors for everything that can go wrong between a request and its response, and how long to wait before a retry."""

from __future__ import annotations

import math
import re
import ssl
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import msgspec

from rightcall.core.codec import DecodeErrors
from rightcall.core.errors import ProviderError, ProviderErrorKind
from rightcall.core.redaction.clean_text import scrub
from rightcall.core.text import one_line

MEGABYTE = 1 << 20

_ASK_LATER = frozenset({408, 409, 425, 429})
FILTERED = frozenset(("content_filter", "content_policy_violation", "ResponsibleAIPolicyViolation"))
"""Codes of errors by which OpenAI and Azure say that a content filter stopped a request."""
_USED_UP = ("insufficient_quota", "billing_hard_limit_reached")
_KINDS: dict[int, ProviderErrorKind] = {
    429: "rate_limit",
    **dict.fromkeys((503, 529), "overloaded"),
    **dict.fromkeys((401, 403), "auth"),
    **dict.fromkeys((400, 413, 414, 422, 431), "request"),
    **dict.fromkeys((408, 504), "timeout"),
}


def refusal_error(where: str, status: int, headers: Mapping[str, str], content: bytes) -> ProviderError:
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
        kind="filtered"
        if code in FILTERED
        else _KINDS.get(status) or ("server" if status >= 500 else "rejected"),
        retryable=retryable,
        retry_after=retry_after(headers) if retryable else None,
        status=status,
    )


def transport(where: str, error: Exception, deadline: float) -> ProviderError:
    """No response, or an incomplete one."""
    import aiohttp

    detail = one_line(scrub(str(error))) or type(error).__name__
    if isinstance(error, TimeoutError) and not isinstance(error, aiohttp.ConnectionTimeoutError):
        reason = detail if str(error) else f"deadline {deadline:g} s"
        return ProviderError(f"{where} timed out: {reason}", kind="timeout", retryable=True)
    if isinstance(error, ssl.SSLError | aiohttp.ClientSSLError | ssl.CertificateError):
        return ProviderError(f"{where}: the secure connection failed: {detail}", kind="tls")
    if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
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


def format_error(where: str, problem: str) -> ProviderError:
    """A body that is not valid JSON or not in the wire format. A retry may succeed."""
    return ProviderError(
        f"{where}: unusable response: {scrub(one_line(problem, 200))}", kind="malformed", retryable=True
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
    detail = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(detail, dict):
        return "", scrub(one_line(str(detail)))
    code = detail.get("code") or detail.get("type")
    words = detail.get("message") or detail.get("detail") or code or ""
    text = words if isinstance(words, str) else msgspec.json.encode(words).decode()
    return str(code), scrub(one_line(text))


def _unknown_host(error: Exception) -> bool:
    """Whether the host name does not exist, as opposed to a server or DNS that is down."""
    import socket

    cause = getattr(error, "os_error", None)
    return isinstance(cause, socket.gaierror) and cause.errno != socket.EAI_AGAIN


_LONGEST = 24 * 3600.0


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait, or None when the server did not say.

    `retry-after-ms`, then `Retry-After` (seconds or an HTTP date), then the reset times of the limits
    that are used up, as OpenAI (`x-ratelimit-reset-*: 6m0s`) and Anthropic
    (`anthropic-ratelimit-*-reset`: a time) write them.
    """
    now = now or datetime.now(UTC)
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return _clamp_delay(milliseconds / 1000)
    if stated := headers.get("retry-after", "").strip():
        seconds = _number(stated)
        return _clamp_delay(seconds) if seconds is not None else _until(parsedate_to_datetime, stated, now)
    return max((wait for wait in _resets(headers, now) if wait is not None), default=None)


def _resets(headers: Mapping[str, str], now: datetime) -> Iterator[float | None]:
    """When the limits that are used up are reset."""
    for limit in ("requests", "tokens"):
        if headers.get(f"x-ratelimit-remaining-{limit}", "").strip() == "0":
            yield _duration(headers.get(f"x-ratelimit-reset-{limit}", ""))
    for limit in ("requests", "tokens", "input-tokens", "output-tokens"):
        prefix = f"anthropic-ratelimit-{limit}"
        if headers.get(f"{prefix}-remaining", "").strip() == "0":
            yield _until(datetime.fromisoformat, headers.get(f"{prefix}-reset", "").strip(), now)


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*\d{1,12}(\.\d{1,9})?\s*", text, re.ASCII) else None


def _duration(text: str) -> float | None:
    """`1h2m3.5s`, `20ms` as seconds."""
    units = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
    parts = re.findall(r"(\d{1,9}(?:\.\d{1,9})?)(ms|h|m|s)", text, re.ASCII)
    if not parts or "".join(n + u for n, u in parts) != text.strip():
        return None
    return _clamp_delay(math.fsum(float(n) * units[u] for n, u in parts))


def _until(parse: Callable[[str], datetime], text: str, now: datetime) -> float | None:
    try:
        date = parse(text)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return _clamp_delay((date - now).total_seconds())


def _clamp_delay(seconds: float) -> float:
    return min(max(seconds, 0.0), _LONGEST)
