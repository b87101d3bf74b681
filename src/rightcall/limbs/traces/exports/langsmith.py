"""Runs of LangSmith, or of LangChain's own tracer: flat rows, or trees with `child_runs`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.limbs.traces.content import as_dicts, parse_container
from rightcall.limbs.traces.dialects.langsmith import EXTRA, INPUTS, OUTPUTS, RUN_TYPE
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.span import Span, SpanEvent, free_id_of, nanoseconds


def claims(record: dict[str, Any]) -> bool:
    return isinstance(record.get("run_type"), str) and any(
        key in record for key in ("trace_id", "dotted_order", "id")
    )


def spans(record: dict[str, Any], problems: Problems, where: str) -> Iterator[Span]:
    waiting: list[tuple[dict[str, Any], str, str]] = [(record, "", "")]
    while waiting:
        raw, trace_id, parent = waiting.pop()
        span_id = free_id_of(raw.get("id") or raw.get("run_id"))
        own = "" if raw.get("parent_run_id") else span_id
        trace_id = free_id_of(raw.get("trace_id")) or trace_id or own
        if not trace_id or not span_id:
            problems.add("span_id" if trace_id else "trace_id", where)
            continue
        yield _span(raw, trace_id, span_id, free_id_of(raw.get("parent_run_id")) or parent)
        waiting += [(child, trace_id, span_id) for child in as_dicts(raw.get("child_runs"))]


def _span(raw: dict[str, Any], trace_id: str, span_id: str, parent: str) -> Span:
    error = raw.get("error")
    kind = raw.get("run_type")
    failed = bool(error) or raw.get("status") == "error"
    attributes: dict[str, Any] = {RUN_TYPE: kind if isinstance(kind, str) else "chain"}
    for name, key in ((INPUTS, "inputs"), (OUTPUTS, "outputs"), (EXTRA, "extra")):
        if raw.get(key) is not None:
            attributes[name] = parse_container(raw[key])
    if isinstance(session := raw.get("thread_id"), str):
        attributes["thread_id"] = session
    text = error if isinstance(error, str) else ""
    return Span(
        trace_id,
        span_id,
        parent,
        raw["name"] if isinstance(raw.get("name"), str) else "",
        start=nanoseconds(raw.get("start_time")),
        end=nanoseconds(raw.get("end_time")),
        status="error" if failed else "ok",
        message=text[:2000],
        attributes=attributes,
        scope="langsmith",
        events=[SpanEvent("exception", {"exception.message": text[:2000]})] if text else [],
    )
