"""A request in canonical form for comparison, without anything that differs from run to run.

Secrets are removed first, so that a request with another key, or none, is the same request.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import msgspec

from rightcall.core.digest import hex_digest, json_digest
from rightcall.core.errors import ConfigError
from rightcall.core.redaction.clean_text import HIDDEN
from rightcall.core.redaction.key_contexts import is_secret_field

VOLATILE = frozenset(
    ("seed", "user", "metadata", "stream_options", "prompt_cache_key", "safety_identifier", "store", "service_tier")
)  # fmt: skip
"""Body fields that do not affect the answer."""
COMPARED_HEADERS = ("anthropic-version", "anthropic-beta", "openai-beta")
_SECRET_QUERY = re.compile(r"^(key|api[-_]?key|token|access_token|sig.*|secret|password)$", re.IGNORECASE)
_ID_FIELDS = frozenset(("tool_call_id", "tool_use_id", "call_id"))
_CALL_TYPES = frozenset(("tool_use", "function", "function_call", "function_call_output"))
_BOUNDARY = re.compile(rb"boundary=\"?([^\";\r\n]+)")

Clean = Callable[[str], str]


def http_ask(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    clean: Clean,
    ignored: Sequence[Ignored] = (),
) -> dict[str, Any]:
    """A request over HTTP as it is compared and written."""
    kept = {name: value for name in COMPARED_HEADERS if (value := headers.get(name))}
    ask: dict[str, Any] = {"method": method.upper(), "url": clean(plain_url(url))}
    if kept:
        ask["headers"] = kept
    if body:
        ask["body"] = _body(body, headers.get("content-type", ""), clean, ignored)
    return ask


def key_of(ask: Mapping[str, Any]) -> str:
    """A short hash, independent of key order."""
    return json_digest(ask, 24)


def plain_url(url: str) -> str:
    """The URL without user, default port, fragment and secret parts of its query."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    port = parts.port
    if port and port != {"http": 80, "https": 443}.get(parts.scheme):
        host = f"{host}:{port}"
    query = [(k, v) for k, v in parse_qsl(parts.query, keep_blank_values=True) if not _SECRET_QUERY.match(k)]
    return urlunsplit((parts.scheme, host, parts.path, urlencode(query), ""))


def scrub_value(value: Any, clean: Clean, keep: frozenset[str] = frozenset()) -> Any:
    """The value with all strings cleaned; words in `keep` are unchanged."""
    if isinstance(value, str):
        return value if value in keep else clean(value)
    if isinstance(value, dict):
        return {scrub_value(k, clean, keep): _scrub_field(k, v, clean, keep) for k, v in value.items()}
    return [scrub_value(v, clean, keep) for v in value] if isinstance(value, list | tuple) else value


def _scrub_field(name: Any, value: Any, clean: Clean, keep: frozenset[str]) -> Any:
    """A value of an object; a text may be a secret because of the name it stands under."""
    cleaned = scrub_value(value, clean, keep)
    hidden = isinstance(name, str) and cleaned == value and is_secret_field(name, value)
    return HIDDEN if hidden else cleaned


def _body(body: bytes, kind: str, clean: Clean, ignored: Sequence[Ignored]) -> Any:
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        boundary = _BOUNDARY.search(kind.encode())
        plain = body.replace(boundary[1], b"boundary") if boundary else body
        return {"sha256": hex_digest(clean(plain.decode("latin-1")).encode("latin-1", "replace"))}
    if isinstance(value, dict):
        value = {name: part for name, part in value.items() if name not in VOLATILE}
    value = renumber_calls(scrub_value(value, clean))
    for pattern in ignored:
        value = pattern.mask(value)
    return value


def renumber_calls(value: Any) -> Any:
    """Tool call ids by order of appearance: servers generate new ones every time."""
    names: dict[str, str] = {}
    for call_id in _call_ids(value):
        names.setdefault(call_id, f"call_{len(names) + 1}")
    return _rename_ids(value, names) if names else value


def _call_ids(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            is_id = name in _ID_FIELDS or (name == "id" and value.get("type") in _CALL_TYPES)
            if is_id and isinstance(part, str) and part:
                yield part
            else:
                yield from _call_ids(part)
    elif isinstance(value, list):
        for part in value:
            yield from _call_ids(part)


def _rename_ids(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, dict):
        return {name: _rename_ids(part, names) for name, part in value.items()}
    return [_rename_ids(part, names) for part in value] if isinstance(value, list) else value


class Ignored:
    """`$.messages[*].content~\\d{4}-\\d\\d-\\d\\d`: text at a path in which matches of the pattern may differ."""

    def __init__(self, text: str) -> None:
        path, tilde, pattern = text.partition("~")
        if not path.startswith("$") or not tilde:
            raise ConfigError(
                f"record.ignore: '{text}' must be PATH~REGEX, such as $.messages[*].content~\\d+"
            )
        self._path = re.findall(r"\.([A-Za-z_][\w-]*)|\[(\*|\d+)\]", path)
        try:
            self._pattern = re.compile(pattern)
        except re.error as error:
            raise ConfigError(f"record.ignore: '{pattern}' is not a regular expression: {error}") from None

    def mask(self, value: Any, depth: int = 0) -> Any:
        """The value, with `…` for the matches at the path, of which `depth` steps have been taken."""
        if depth == len(self._path):
            return self._pattern.sub("…", value) if isinstance(value, str) else value
        name, index = self._path[depth]
        if name and isinstance(value, dict) and name in value:
            return {**value, name: self.mask(value[name], depth + 1)}
        if index and isinstance(value, list):
            return [self.mask(v, depth + 1) if index in ("*", str(i)) else v for i, v in enumerate(value)]
        return value


_DROPPED_HEADERS = frozenset(
    (
        "content-encoding", "content-length", "transfer-encoding", "set-cookie", "date", "connection", "keep-alive",
        "server", "x-request-id", "request-id", "cf-ray", "cf-cache-status", "alt-svc", "strict-transport-security",
        "openai-organization", "openai-processing-ms", "anthropic-organization-id", "nel", "report-to", "via",
    )
)  # fmt: skip


def headers_to_store(headers: Mapping[str, str], clean: Clean) -> dict[str, str]:
    """Headers of a reply that are worth keeping: no cookies, dates, lengths, limits or ids."""
    return {
        name.lower(): clean(value)
        for name, value in sorted(headers.items())
        if name.lower() not in _DROPPED_HEADERS
        and not name.lower().startswith(("x-ratelimit", "anthropic-ratelimit"))
    }


def body_record(content: bytes, kind: str, clean: Clean) -> dict[str, Any]:
    """The body of a reply as written to the file: JSON, events of a stream, text, or bytes."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        plain = clean(content.decode("latin-1")).encode("latin-1", "replace")
        return {"base64": base64.b64encode(plain).decode()}
    if "event-stream" in kind:
        blocks = re.split(r"(?:\r?\n){2,}", text.strip("\r\n"))
        return {"events": [clean(block.replace("\r\n", "\n")) for block in blocks if block]}
    try:
        return {"json": scrub_value(msgspec.json.decode(content), clean)}
    except (msgspec.DecodeError, RecursionError):
        return {"text": clean(text)}


def body_chunks(stored: Mapping[str, Any]) -> list[bytes]:
    """The bytes of a stored body, one chunk per event."""
    if "events" in stored:
        return [f"{block}\n\n".encode() for block in stored["events"]]
    if "json" in stored:
        return [msgspec.json.encode(stored["json"])]
    if "base64" in stored:
        return [base64.b64decode(stored["base64"])]
    return [str(stored.get("text", "")).encode()]
