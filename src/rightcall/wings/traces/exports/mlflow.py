"""MLflow's `Trace.to_json`: ids in base64 or hexadecimal, attribute values as JSON texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.wings.traces.otlp import STATUS
from rightcall.wings.traces.problems import Problems
from rightcall.wings.traces.span import (
    Span,
    SpanEvent,
    event_records,
    free_id_of,
    nanoseconds,
    span_id_of,
    trace_id_of,
)


def claims(record: dict[str, Any]) -> bool:
    info, data = record.get("info"), record.get("data")
    return isinstance(info, dict) and isinstance(data, dict) and isinstance(data.get("spans"), list)


def spans(record: dict[str, Any], problems: Problems, where: str) -> Iterator[Span]:
    info = record["info"]
    metadata: dict[str, Any] = next(
        (info[k] for k in ("trace_metadata", "request_metadata") if isinstance(info.get(k), dict)), {}
    )
    for raw in record["data"]["spans"]:
        if not isinstance(raw, dict):
            problems.add("other_span", where)
            continue
        context = raw["context"] if isinstance(raw.get("context"), dict) else {}
        own = raw.get("trace_id") or context.get("trace_id") or info.get("trace_id") or info.get("request_id")
        trace_id = trace_id_of(own) or free_id_of(own)
        span_id = _span_id(raw.get("span_id") or context.get("span_id"))
        if not trace_id or not span_id:
            problems.add("span_id" if trace_id else "trace_id", where)
            continue
        yield _span(raw, trace_id, span_id, metadata)


def _span(raw: dict[str, Any], trace_id: str, span_id: str, metadata: dict[str, Any]) -> Span:
    status = raw.get("status") if isinstance(raw.get("status"), dict) else {}
    code = (status or {}).get("code", raw.get("status_code"))
    attributes = raw.get("attributes") if isinstance(raw.get("attributes"), dict) else {}
    parent = _span_id(raw.get("parent_span_id") or raw.get("parent_id"))
    if not parent:
        attributes = {**metadata, **(attributes or {})}
    return Span(
        trace_id,
        span_id,
        parent,
        raw["name"] if isinstance(raw.get("name"), str) else "",
        nanoseconds(raw.get("start_time_unix_nano", raw.get("start_time"))),
        nanoseconds(raw.get("end_time_unix_nano", raw.get("end_time"))),
        STATUS.get(code, "") if isinstance(code, str | int) else "",
        str((status or {}).get("message") or raw.get("status_message") or ""),
        dict(attributes or {}),
        scope="mlflow",
        events=[_event(event) for event in event_records(raw.get("events"))],
    )


def _event(raw: dict[str, Any]) -> SpanEvent:
    attributes = raw.get("attributes")
    return SpanEvent(str(raw.get("name") or ""), attributes if isinstance(attributes, dict) else {})


def _span_id(value: Any) -> str:
    return span_id_of(value) or free_id_of(value)
