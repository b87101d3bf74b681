"""MLflow's `Trace.to_json`: ids in base64 or hexadecimal, attribute values as JSON texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.limbs.traces.content import as_dict, as_dicts
from rightcall.limbs.traces.otlp import STATUS
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.span import Span, SpanEvent, free_id_of, nanoseconds, span_id_of, trace_id_of


def claims(record: dict[str, Any]) -> bool:
    info = record.get("info")
    data = record.get("data")
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
        context = as_dict(raw.get("context"))
        own = raw.get("trace_id") or context.get("trace_id") or info.get("trace_id") or info.get("request_id")
        trace_id = trace_id_of(own) or free_id_of(own)
        span_id = _span_id(raw.get("span_id") or context.get("span_id"))
        if not trace_id or not span_id:
            problems.add("span_id" if trace_id else "trace_id", where)
            continue
        yield _span(raw, trace_id, span_id, metadata)


def _span(raw: dict[str, Any], trace_id: str, span_id: str, metadata: dict[str, Any]) -> Span:
    status = as_dict(raw.get("status"))
    attributes = as_dict(raw.get("attributes"))
    code = status.get("code", raw.get("status_code"))
    parent = _span_id(raw.get("parent_span_id") or raw.get("parent_id"))
    if not parent:
        attributes = {**metadata, **attributes}
    return Span(
        trace_id,
        span_id,
        parent,
        raw["name"] if isinstance(raw.get("name"), str) else "",
        start=nanoseconds(raw.get("start_time_unix_nano", raw.get("start_time"))),
        end=nanoseconds(raw.get("end_time_unix_nano", raw.get("end_time"))),
        status=STATUS.get(code, "") if isinstance(code, str | int) else "",
        message=str(status.get("message") or raw.get("status_message") or ""),
        attributes=dict(attributes),
        scope="mlflow",
        events=[
            SpanEvent(str(event.get("name") or ""), as_dict(event.get("attributes")))
            for event in as_dicts(raw.get("events"))
        ],
    )


def _span_id(value: Any) -> str:
    return span_id_of(value) or free_id_of(value)
