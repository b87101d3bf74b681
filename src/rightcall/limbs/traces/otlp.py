"""OTLP, JSON and protobuf, as spans and events.

Protobuf is first converted to the JSON form by tables of field numbers. Its wire format is decoded here, and not by a
dependency: OTLP is stable (fields are never renumbered) and needs five wire types; tests compare it with the official
package. Anything that a program may get wrong (an id, a
missing name, a number in text) is counted or tolerated, never raised.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec

from rightcall.limbs.traces.content import as_dict, as_dicts
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.span import Span, SpanEvent, SpanStatus, span_id_of, trace_id_of

VARINT = 0
FIXED64 = 1
LENGTH = 2
FIXED32 = 5
"""Wire types of protobuf."""
Field = tuple[int, int, Any]

MAX_TEXT = 1024 * 1024
MAX_NESTING = 40
STATUS: dict[Any, SpanStatus] = {1: "ok", 2: "error", "STATUS_CODE_OK": "ok", "STATUS_CODE_ERROR": "error"}
STATUS |= {"1": "ok", "2": "error", "OK": "ok", "ERROR": "error"}


class WireError(ValueError):
    """Bytes that are not a protobuf message."""


class LogEvent(msgspec.Struct, gc=False):
    """A log record that belongs to a span: content that instrumentations send separately."""

    trace_id: str
    span_id: str
    event: SpanEvent


Item = Span | LogEvent
T = TypeVar("T")
R = TypeVar("R")


def json_items(document: Any, problems: Problems, where: str = "") -> Iterator[Item]:
    """Spans and log events of an OTLP JSON document."""
    for group in as_dicts(_get(document, "resourceSpans", "resource_spans")):
        resource = _json_attributes(_get(as_dict(group.get("resource")), "attributes"), problems)
        for scoped in as_dicts(_get(group, "scopeSpans", "scope_spans", "instrumentationLibrarySpans")):
            scope = _text(as_dict(_get(scoped, "scope", "instrumentationLibrary")).get("name"))
            for raw in as_dicts(scoped.get("spans")):
                span = _read_alone(_json_span, raw, problems, where)
                if span is not None:
                    span.resource = resource
                    span.scope = scope
                    yield span
    for group in as_dicts(_get(document, "resourceLogs", "resource_logs")):
        for scoped in as_dicts(_get(group, "scopeLogs", "scope_logs")):
            for raw in as_dicts(_get(scoped, "logRecords", "log_records")):
                if (event := _read_alone(_json_log, raw, problems, where)) is not None:
                    yield event


def _read_alone(
    read: Callable[[T, Problems, str], R | None], raw: T, problems: Problems, where: str
) -> R | None:
    """A span or a log record; one that cannot be read is counted, and the others of its batch are kept."""
    try:
        return read(raw, problems, where)
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
        problems.add("unreadable", where)
        return None


def _json_log(raw: dict[str, Any], problems: Problems, where: str) -> LogEvent | None:
    return _log(
        trace_id_of(_get(raw, "traceId", "trace_id")),
        span_id_of(_get(raw, "spanId", "span_id")),
        _text(_get(raw, "eventName", "event_name")),
        _json_attributes(raw.get("attributes"), problems),
        body=_json_value(raw.get("body"), problems),
    )


def _json_span(raw: dict[str, Any], problems: Problems, where: str) -> Span | None:
    trace_id = trace_id_of(_get(raw, "traceId", "trace_id"))
    span_id = span_id_of(_get(raw, "spanId", "span_id"))
    if not trace_id or not span_id:
        problems.add("span_id" if trace_id else "trace_id", where)
        return None
    status = as_dict(raw.get("status"))
    if dropped := _int(_get(raw, "droppedAttributesCount", "dropped_attributes_count")):
        problems.add("dropped", where, dropped)
    return Span(
        trace_id,
        span_id,
        span_id_of(_get(raw, "parentSpanId", "parent_span_id")),
        _text(raw.get("name")),
        start=_int(_get(raw, "startTimeUnixNano", "start_time_unix_nano")),
        end=_int(_get(raw, "endTimeUnixNano", "end_time_unix_nano")),
        status=STATUS.get(code, "") if isinstance(code := status.get("code"), int | str) else "",
        message=_text(status.get("message")),
        attributes=_json_attributes(raw.get("attributes"), problems),
        events=[
            SpanEvent(_text(e.get("name")), _json_attributes(e.get("attributes"), problems))
            for e in as_dicts(raw.get("events"))
        ],
    )


def _json_attributes(raw: Any, problems: Problems) -> dict[str, Any]:
    if isinstance(raw, dict):  # not OTLP, but some exporters write it
        return {str(key): _plain(value, problems) for key, value in raw.items()}
    attributes: dict[str, Any] = {}
    for item in raw if isinstance(raw, list) else ():
        if isinstance(item, dict) and isinstance(key := item.get("key"), str):
            value = item.get("value")
            text_value = value.get("stringValue") if isinstance(value, dict) else None
            if isinstance(text_value, str) and len(text_value) <= MAX_TEXT:  # nearly every attribute
                attributes[key] = text_value
            else:
                attributes[key] = _json_value(value, problems)
    return attributes


def _json_value(raw: Any, problems: Problems, depth: int = 0) -> Any:
    """The value of an AnyValue."""
    if not isinstance(raw, dict) or depth > MAX_NESTING:
        return None
    for key, value in raw.items():
        if key in ("stringValue", "string_value"):
            return _bound_length(value if isinstance(value, str) else "", problems)
        if key in ("intValue", "int_value"):
            return _int(value, signed_too=True)
        if key in ("boolValue", "bool_value"):
            return value is True
        if key in ("doubleValue", "double_value"):
            return float(value) if isinstance(value, int | float) else None
        if key in ("kvlistValue", "kvlist_value"):
            items = as_dicts(as_dict(value).get("values"))
            return {_text(i.get("key")): _json_value(i.get("value"), problems, depth + 1) for i in items}
        if key in ("arrayValue", "array_value"):
            return [_json_value(item, problems, depth + 1) for item in as_dicts(as_dict(value).get("values"))]
        if key in ("bytesValue", "bytes_value"):
            return _text(value)
    return None


def protobuf_items(data: bytes, problems: Problems, where: str = "", *, logs: bool = False) -> Iterator[Item]:
    """Spans of an ExportTraceServiceRequest, or events of an ExportLogsServiceRequest; `WireError` for other bytes."""
    for number, kind, value in fields(data, problems.count_field):
        if number == 1 and kind == LENGTH:
            group = _message(value, LOG_GROUP if logs else SPAN_GROUP, problems, where)
            yield from json_items({"resourceLogs" if logs else "resourceSpans": [group]}, problems, where)


def _message(data: bytes, table: Table, problems: Problems, where: str, depth: int = 0) -> dict[str, Any]:
    """A message of protobuf as the JSON of OTLP. A span that cannot be read is counted, and the others are kept."""
    decoded: dict[str, Any] = {}
    if table is not PAIR:
        problems.count_value()
    if table is VALUE and (depth := depth + 1) > MAX_NESTING + 1:
        return decoded
    for number, wire, value in fields(data, problems.count_field):
        if number not in table:
            continue
        name, kind = table[number]
        if not isinstance(kind, dict):
            wire_type, read = kind
            if wire == wire_type:
                decoded[name] = read(value)
        elif wire == LENGTH:
            try:
                inner = _message(value, kind, problems, where, depth=depth)
            except (WireError, IndexError):
                if name not in ALONE:
                    raise
                problems.add("unreadable", where)
                continue
            if name in REPEATED:
                decoded.setdefault(name, []).append(inner)
            else:
                decoded[name] = inner
    return decoded


def signed_number(value: int) -> int:
    """A varint as a signed 64-bit number."""
    return value - (1 << 64) if value >> 63 else value


def double(value: int) -> float:
    """A fixed 64-bit field as a floating-point number."""
    number: float = struct.unpack("<d", value.to_bytes(8, "little"))[0]
    return number


Table = dict[int, tuple[str, Any]]
"""A message: by the number of a field its name in JSON, and its wire type and reader or the table of a message."""
TEXT = (LENGTH, lambda value: value.decode("utf-8", "replace"))
IDENTIFIER = (LENGTH, bytes.hex)
BYTES = (LENGTH, lambda value: base64.b64encode(value).decode())
NUMBER = (VARINT, int)
TRUTH = (VARINT, bool)
SIGNED = (VARINT, signed_number)
NANOSECONDS = (FIXED64, int)
DOUBLE = (FIXED64, double)
VALUE: Table = {1: ("stringValue", TEXT), 2: ("boolValue", TRUTH), 3: ("intValue", SIGNED), 4: ("doubleValue", DOUBLE),
                7: ("bytesValue", BYTES)}  # fmt: skip
PAIR: Table = {1: ("key", TEXT), 2: ("value", VALUE)}
VALUE |= {5: ("arrayValue", {1: ("values", VALUE)}), 6: ("kvlistValue", {1: ("values", PAIR)})}
EVENT: Table = {2: ("name", TEXT), 3: ("attributes", PAIR)}
STATUS_FIELDS: Table = {2: ("message", TEXT), 3: ("code", NUMBER)}
SPAN: Table = {
    1: ("traceId", IDENTIFIER), 2: ("spanId", IDENTIFIER), 4: ("parentSpanId", IDENTIFIER), 5: ("name", TEXT),
    7: ("startTimeUnixNano", NANOSECONDS), 8: ("endTimeUnixNano", NANOSECONDS), 9: ("attributes", PAIR),
    10: ("droppedAttributesCount", NUMBER), 11: ("events", EVENT), 15: ("status", STATUS_FIELDS),
}  # fmt: skip
LOG: Table = {5: ("body", VALUE), 6: ("attributes", PAIR), 9: ("traceId", IDENTIFIER), 10: ("spanId", IDENTIFIER),
              12: ("eventName", TEXT)}  # fmt: skip
RESOURCE: Table = {1: ("attributes", PAIR)}
SCOPE: Table = {1: ("name", TEXT)}
SPAN_GROUP: Table = {1: ("resource", RESOURCE), 2: ("scopeSpans", {1: ("scope", SCOPE), 2: ("spans", SPAN)})}
LOG_GROUP: Table = {
    1: ("resource", RESOURCE),
    2: ("scopeLogs", {1: ("scope", SCOPE), 2: ("logRecords", LOG)}),
}
ALONE = frozenset(("spans", "logRecords"))
REPEATED = ALONE | {"scopeSpans", "scopeLogs", "attributes", "events", "values"}


def _log(trace_id: str, span_id: str, name: str, attributes: dict[str, Any], body: Any) -> LogEvent | None:
    """A log record that names its span; the name of its event may be an attribute."""
    name = name or _text(attributes.get("event.name"))
    if not (trace_id and span_id and name.startswith("gen_ai.")):
        return None
    return LogEvent(
        trace_id, span_id, SpanEvent(name, attributes | ({"body": body} if body is not None else {}))
    )


def _bound_length(value: Any, problems: Problems) -> Any:
    if isinstance(value, str) and len(value) > MAX_TEXT:
        problems.add("too_long")
        return value[:MAX_TEXT]
    return value


def _plain(value: Any, problems: Problems, depth: int = 0) -> Any:
    """A value of a plain object, within the limits that OTLP's own values have."""
    if depth > MAX_NESTING:
        return None
    if isinstance(value, dict):
        return {str(key): _plain(member, problems, depth + 1) for key, member in value.items()}
    if isinstance(value, list):
        return [_plain(member, problems, depth + 1) for member in value]
    if isinstance(value, int) and abs(value) >= 2**63:
        return float(value)
    return _bound_length(value, problems)


def _get(raw: Any, *names: str) -> Any:
    """The first of several names of a field."""
    return next((raw[name] for name in names if name in raw), None) if isinstance(raw, dict) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _int(value: Any, *, signed_too: bool = False) -> int:
    """A 64-bit number, possibly as text."""
    if isinstance(value, str) and value.removeprefix("-").isdecimal() and len(value) < 21:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    if isinstance(value, float):
        value = int(value) if abs(value) < 2**63 else 0  # also for what is no number
    if abs(value) >= 2**64:
        raise OverflowError("a number of more than 64 bits")
    return value if signed_too or value >= 0 else 0


def fields(data: bytes, count: Callable[[], None] = lambda: None) -> Iterator[Field]:
    """Number, wire type and value of each field: an int, or the bytes of a length. `count` is called for each."""
    position = 0
    size = len(data)
    while position < size:
        count()
        key = data[position]
        position += 1
        if key > 127:
            key, position = _varint(data, position - 1)
        number = key >> 3
        kind = key & 7
        if number == 0:
            raise WireError("field number 0")
        if kind == LENGTH:
            length = data[position] if position < size else 0
            if length > 127 or position >= size:
                length, position = _varint(data, position)
            else:
                position += 1
            end = position + length
            if end > size:
                raise WireError("length beyond the end of the data")
            yield number, kind, data[position:end]
            position = end
        elif kind == VARINT:
            value, position = _varint(data, position)
            yield number, kind, value
        elif kind in (FIXED64, FIXED32):
            width = 8 if kind == FIXED64 else 4
            if position + width > size:
                raise WireError("number beyond the end of the data")
            yield number, kind, int.from_bytes(data[position : position + width], "little")
            position += width
        else:
            raise WireError(f"wire type {kind}")


def _varint(data: bytes, position: int) -> tuple[int, int]:
    value = shift = 0
    size = len(data)
    while position < size:
        byte = data[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, position
        shift += 7
        if shift > 63:
            raise WireError("number of more than 64 bits")
    raise WireError("unterminated number")


def varint(number: int, value: int) -> bytes:
    """A numeric field."""
    return _number(number << 3) + _number(value & (1 << 64) - 1)


def length(number: int, data: bytes) -> bytes:
    """A length-delimited field: bytes, a text or a message."""
    return _number(number << 3 | LENGTH) + _number(len(data)) + data


def text(number: int, value: str) -> bytes:
    """A text field."""
    return length(number, value.encode("utf-8", "replace"))


def _number(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)
