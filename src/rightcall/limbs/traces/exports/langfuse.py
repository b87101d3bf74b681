"""Langfuse: rows of observations (blob export, API), or traces that contain their observations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.core.words import word_set
from rightcall.limbs.traces.content import as_dicts
from rightcall.limbs.traces.dialects.langfuse import PREFIX
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.span import Span, free_id_of, nanoseconds

TYPES = word_set("SPAN GENERATION EVENT AGENT TOOL CHAIN RETRIEVER EVALUATOR EMBEDDING GUARDRAIL")
COPIED = ("input", "output", "level", "status_message", "usage_details", "tool_definitions")


def claims(record: dict[str, Any]) -> bool:
    if isinstance(record.get("observations"), list):
        return True
    kind = record.get("type")
    return isinstance(kind, str) and kind.upper() in TYPES and ("trace_id" in record or "traceId" in record)


def spans(record: dict[str, Any], problems: Problems, where: str) -> Iterator[Span]:
    if not isinstance(record.get("observations"), list):
        yield from _row(record, "", "", problems, where=where)
        return
    trace_id = free_id_of(record.get("id") or record.get("traceId"))
    session = _get(record, "session_id", "sessionId")
    rows = as_dicts(record["observations"])
    has_agent = any(str(row.get("type")).upper() == "AGENT" for row in rows)
    if trace_id and not has_agent and _get(record, "input", "output") is not None:
        own = {key: record.get(key) for key in ("name", "input", "output")}
        ends = [end for row in rows if isinstance(end := _get(row, "end_time", "endTime"), str)]
        times = {"start_time": record.get("timestamp"), "end_time": max(ends, default=None)}
        rows.append({**own, **times, "id": f"trace-{trace_id}", "type": "AGENT"})
    for row in rows:
        yield from _row(row, trace_id, session if isinstance(session, str) else "", problems, where=where)


def _row(raw: dict[str, Any], trace_id: str, session: str, problems: Problems, where: str) -> Iterator[Span]:
    trace_id = free_id_of(_get(raw, "trace_id", "traceId")) or trace_id
    span_id = free_id_of(raw.get("id"))
    if not trace_id or not span_id:
        problems.add("span_id" if trace_id else "trace_id", where)
        return
    attributes: dict[str, Any] = {f"{PREFIX}type": str(raw.get("type") or "").lower()}
    for name in COPIED:
        value = _get(raw, name, _camel(name))
        if value is not None:
            attributes[PREFIX + name] = value
    if f"{PREFIX}usage_details" not in attributes and isinstance(raw.get("usage"), dict):
        attributes[f"{PREFIX}usage_details"] = raw["usage"]
    model = _get(raw, "provided_model_name", "model", "model_name")
    if isinstance(model, str):
        attributes[f"{PREFIX}model.name"] = model
    own = _get(raw, "session_id", "sessionId")
    if session or isinstance(own, str):
        attributes["session.id"] = own if isinstance(own, str) else session
    failed = str(raw.get("level") or "").upper() == "ERROR"
    yield Span(
        trace_id,
        span_id,
        free_id_of(_get(raw, "parent_observation_id", "parentObservationId")),
        raw["name"] if isinstance(raw.get("name"), str) else "",
        start=nanoseconds(_get(raw, "start_time", "startTime")),
        end=nanoseconds(_get(raw, "end_time", "endTime")),
        status="error" if failed else "",
        message=str(_get(raw, "status_message", "statusMessage") or ""),
        attributes=attributes,
        scope="langfuse",
    )


def _get(raw: dict[str, Any], *keys: str) -> Any:
    return next((raw[key] for key in keys if raw.get(key) is not None), None)


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)
