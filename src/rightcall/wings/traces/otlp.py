"""OTLP, JSON and protobuf, as spans and events.

Both encodings are first converted to the JSON form, with ids in hexadecimal and plain values. Anything
that a program may get wrong (an id, a missing name, a number in text) is counted or tolerated, never raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import msgspec

from rightcall.wings.traces.content import as_dict, as_dicts
from rightcall.wings.traces.problems import Problems
from rightcall.wings.traces.protobuf import FIXED64, LENGTH, VARINT, double, fields, signed_number
from rightcall.wings.traces.span import Span, SpanEvent, SpanStatus, span_id_of, trace_id_of

MAX_TEXT = 1024 * 1024
MAX_NESTING = 40
STATUS: dict[Any, SpanStatus] = {1: "ok", 2: "error", "STATUS_CODE_OK": "ok", "STATUS_CODE_ERROR": "error"}
STATUS |= {"1": "ok", "2": "error", "OK": "ok", "ERROR": "error"}


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
                    span.resource, span.scope = resource, scope
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
        _json_value(raw.get("body"), problems),
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
        _int(_get(raw, "startTimeUnixNano", "start_time_unix_nano")),
        _int(_get(raw, "endTimeUnixNano", "end_time_unix_nano")),
        STATUS.get(code, "") if isinstance(code := status.get("code"), int | str) else "",
        _text(status.get("message")),
        _json_attributes(raw.get("attributes"), problems),
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
    for group in _messages(data, 1, problems):
        parts: dict[int, list[bytes]] = {}
        for number, kind, body in fields(group, problems.count_field):
            problems.count_value()
            if kind == LENGTH:
                parts.setdefault(number, []).append(body)
        resource: dict[str, Any] = {}
        for body in parts.get(1, ()):
            resource = _pairs(body, 1, problems)
        for body in parts.get(2, ()):
            yield from _scope_items(body, resource, problems, where, logs)


def _scope_items(
    data: bytes, resource: dict[str, Any], problems: Problems, where: str, logs: bool
) -> Iterator[Item]:
    scope = ""
    for number, kind, value in fields(data, problems.count_field):
        if kind != LENGTH:
            continue
        if number == 1:
            scope = _utf8(next(_messages(value, 1, problems), b""))
        elif number == 2 and logs:
            if (event := _read_alone(_proto_log, value, problems, where)) is not None:
                yield event
        elif number == 2:
            span = _read_alone(_proto_span, value, problems, where)
            if span is not None:
                span.resource, span.scope = resource, scope
                yield span


def _proto_span(data: bytes, problems: Problems, where: str) -> Span | None:
    span = Span("", "", attributes={}, events=[])
    for number, kind, value in fields(data, problems.count_field):
        if kind == LENGTH:
            if number == 9:
                key, held = _pair(value, problems)
                span.attributes[key] = held
            elif number == 5:
                span.name = _utf8(value)
            elif number == 1:
                span.trace_id = trace_id_of(value)
            elif number == 2:
                span.span_id = span_id_of(value)
            elif number == 4:
                span.parent_id = span_id_of(value)
            elif number == 11:
                span.events.append(_proto_event(value, problems))
            elif number == 15:
                _set_status(span, value, problems)
        elif kind == VARINT and number == 10 and value:
            problems.add("dropped", where, value)
        elif kind == FIXED64 and number == 7:
            span.start = value
        elif kind == FIXED64 and number == 8:
            span.end = value
    if not span.trace_id or not span.span_id:
        problems.add("span_id" if span.trace_id else "trace_id", where)
        return None
    return span


def _proto_event(data: bytes, problems: Problems) -> SpanEvent:
    problems.count_value()
    name = _utf8(next(_messages(data, 2, problems), b""))
    return SpanEvent(name, _pairs(data, 3, problems))


def _set_status(span: Span, data: bytes, problems: Problems) -> None:
    for number, kind, value in fields(data, problems.count_field):
        if number == 2 and kind == LENGTH:
            span.message = _utf8(value)
        elif number == 3 and kind == VARINT:
            span.status = STATUS.get(value, "")


def _proto_log(data: bytes, problems: Problems, where: str) -> LogEvent | None:
    trace_id = span_id = name = ""
    body: Any = None
    for number, kind, value in fields(data, problems.count_field):
        if kind != LENGTH:
            continue
        if number == 9:
            trace_id = trace_id_of(value)
        elif number == 10:
            span_id = span_id_of(value)
        elif number == 12:
            name = _utf8(value)
        elif number == 5:
            body = _proto_value(value, problems)
    return _log(trace_id, span_id, name, _pairs(data, 6, problems), body)


def _pairs(data: bytes, field_number: int, problems: Problems, depth: int = 0) -> dict[str, Any]:
    """The key-value pairs that repeat under one field number."""
    return dict(_pair(value, problems, depth) for value in _messages(data, field_number, problems))


def _pair(data: bytes, problems: Problems, depth: int = 0) -> tuple[str, Any]:
    key: str = ""
    held: Any = None
    for number, kind, value in fields(data, problems.count_field):
        if kind == LENGTH and number == 1:
            key = _utf8(value)
        elif kind == LENGTH and number == 2:
            held = _proto_value(value, problems, depth)
    return key, held


def _proto_value(data: bytes, problems: Problems, depth: int = 0) -> Any:
    problems.count_value()
    if depth > MAX_NESTING:
        return None
    for number, kind, value in fields(data, problems.count_field):
        if number == 1 and kind == LENGTH:
            return _bound_length(_utf8(value), problems)
        if number == 2 and kind == VARINT:
            return bool(value)
        if number == 3 and kind == VARINT:
            return signed_number(value)
        if number == 4 and kind == FIXED64:
            return double(value)
        if number == 5 and kind == LENGTH:
            return [_proto_value(item, problems, depth + 1) for item in _messages(value, 1, problems)]
        if number == 6 and kind == LENGTH:
            return _pairs(value, 1, problems, depth + 1)
        if number == 7 and kind == LENGTH:
            return str(value.hex())
    return None


def _log(trace_id: str, span_id: str, name: str, attributes: dict[str, Any], body: Any) -> LogEvent | None:
    """A log record that names its span; the name of its event may be an attribute."""
    name = name or _text(attributes.get("event.name"))
    if not (trace_id and span_id and name.startswith("gen_ai.")):
        return None
    return LogEvent(
        trace_id, span_id, SpanEvent(name, attributes | ({"body": body} if body is not None else {}))
    )


def _messages(data: bytes, field_number: int, problems: Problems) -> Iterator[bytes]:
    """The messages or texts that repeat under one field number."""
    for number, kind, value in fields(data, problems.count_field):
        if number == field_number and kind == LENGTH:
            yield value


def _utf8(value: bytes) -> str:
    return value.decode("utf-8", "replace")


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
