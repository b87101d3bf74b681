"""Spans as Phoenix exports them and as the OpenTelemetry SDK prints them: `context` with the ids, plain attributes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.limbs.traces.content import as_dict, as_dicts
from rightcall.limbs.traces.otlp import STATUS
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.span import Span, SpanEvent, free_id_of, nanoseconds, span_id_of, trace_id_of

DEEPEST = 12


def claims(record: dict[str, Any]) -> bool:
    context = record.get("context")
    return (isinstance(context, dict) and "span_id" in context) or "context.span_id" in record


def spans(record: dict[str, Any], problems: Problems, where: str) -> Iterator[Span]:
    context = as_dict(record.get("context"))
    status = as_dict(record.get("status"))
    own = context.get("trace_id", record.get("context.trace_id"))
    trace_id = trace_id_of(own) or free_id_of(own)
    own_span = context.get("span_id", record.get("context.span_id"))
    span_id = span_id_of(own_span) or free_id_of(own_span)
    if not trace_id or not span_id:
        problems.add("span_id" if trace_id else "trace_id", where)
        return
    attributes = {
        k.removeprefix("attributes."): v
        for k, v in record.items()
        if k.startswith("attributes.") and v is not None
    }
    attributes |= flatten_attributes(as_dict(record.get("attributes")))
    kind = record.get("span_kind")
    if isinstance(kind, str) and "openinference.span.kind" not in attributes:
        attributes["openinference.span.kind"] = kind
    code = record.get("status_code", status.get("status_code"))
    parent = record.get("parent_id")
    yield Span(
        trace_id,
        span_id,
        span_id_of(parent) or free_id_of(parent),
        record["name"] if isinstance(record.get("name"), str) else "",
        start=nanoseconds(record.get("start_time")),
        end=nanoseconds(record.get("end_time")),
        status=STATUS.get(code, "") if isinstance(code, str) else "",
        message=str(record.get("status_message") or status.get("description") or ""),
        attributes=attributes,
        resource=flatten_attributes(as_dict(as_dict(record.get("resource")).get("attributes"))),
        events=[
            SpanEvent(str(e.get("name") or ""), flatten_attributes(as_dict(e.get("attributes"))))
            for e in as_dicts(record.get("events"))
        ],
    )


def flatten_attributes(value: dict[str, Any]) -> dict[str, Any]:
    """Nested attributes flattened to dotted and numbered names, as they originally were."""
    attributes: dict[str, Any] = {}
    waiting: list[tuple[str, Any, int]] = [("", value, 0)]
    while waiting:
        name, held, depth = waiting.pop()
        if isinstance(held, dict) and held and depth < DEEPEST:
            waiting += [
                (f"{name}.{key}" if name else str(key), inner, depth + 1) for key, inner in held.items()
            ]
        elif isinstance(held, list) and held and isinstance(held[0], dict) and depth < DEEPEST:
            waiting += [(f"{name}.{i}", inner, depth + 1) for i, inner in enumerate(held)]
        elif name and held is not None:
            attributes[name] = held
    return attributes
