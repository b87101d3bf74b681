"""Requests of OTLP over HTTP: what exporters post to /v1/traces and /v1/logs, within limits, and the answers."""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

import msgspec

from rightcall.core.depth import too_deep
from rightcall.core.errors import InputError
from rightcall.limbs.traces.otlp import Item, json_items, protobuf_items
from rightcall.limbs.traces.problems import Problems, TooManyValuesError
from rightcall.limbs.traces.protobuf import WireError, length, text, varint
from rightcall.limbs.traces.unpack import TooLarge, gunzip

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
