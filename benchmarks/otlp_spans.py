"""Spans as an OpenTelemetry SDK sends them in protobuf, without the SDK."""

from __future__ import annotations

import struct
from collections.abc import Iterable

import msgspec

from rightcall.limbs.traces.otlp import FIXED64, length, text, varint
from rightcall.limbs.traces.run_export import SCOPE


class RunSpan(msgspec.Struct, frozen=True):
    """A span with its attributes."""

    trace_id: str
    span_id: str
    name: str
    start: int
    end: int
    parent_id: str = ""
    failed: bool = False
    attributes: dict[str, str | int | float] = {}


def spans_request(spans: Iterable[RunSpan]) -> bytes:
    """An ExportTraceServiceRequest of these spans."""
    resource = length(1, length(1, pair("service.name", SCOPE)))
    sent = b"".join(length(2, _span(span)) for span in spans)
    return length(1, resource + length(2, length(1, text(1, SCOPE)) + sent))


def _span(span: RunSpan) -> bytes:
    message = length(1, bytes.fromhex(span.trace_id)) + length(2, bytes.fromhex(span.span_id))
    if span.parent_id:
        message += length(4, bytes.fromhex(span.parent_id))
    message += text(5, span.name) + varint(6, 1) + fixed64(7, span.start) + fixed64(8, span.end)
    message += b"".join(length(9, pair(name, value)) for name, value in span.attributes.items())
    return message + length(15, varint(3, 2 if span.failed else 1))


def fixed64(number: int, value: int) -> bytes:
    return bytes([number << 3 | FIXED64]) + value.to_bytes(8, "little")


def pair(name: str, value: str | int | float) -> bytes:
    """A KeyValue."""
    if isinstance(value, int):
        held = varint(3, value)
    elif isinstance(value, float):
        held = bytes([4 << 3 | FIXED64]) + struct.pack("<d", value)
    else:
        held = text(1, value)
    return text(1, name) + length(2, held)
