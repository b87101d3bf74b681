"""MLflow: `mlflow.spanType`, with inputs and outputs as they were passed; and its export, `Trace.to_json`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.core.errors import InputError
from rightcall.limbs.traces.content import ABSENT, as_dict, as_dicts, as_text, first_text, parse_container
from rightcall.limbs.traces.dialects.common import blank, definitions, only_text, session_of
from rightcall.limbs.traces.messages import SpokenMessage, as_called, read_answer, read_messages
from rightcall.limbs.traces.otlp import STATUS
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.span import (
    Observation,
    ObservedKind,
    Span,
    SpanEvent,
    free_id_of,
    nanoseconds,
    span_id_of,
    trace_id_of,
)
from rightcall.records.dialects.streams import stream_of, text_of
from rightcall.records.message import calls_of

NAME = "mlflow"
CHUNK = "mlflow.chunk.item."
KINDS: dict[str, ObservedKind] = {"TOOL": "tool", "CHAT_MODEL": "llm", "LLM": "llm", "AGENT": "agent"}


def claims(span: Span) -> bool:
    return "mlflow.spanType" in span.attributes


def observe(span: Span) -> Observation:
    attributes = {name: _plain(value) for name, value in span.attributes.items()}
    observation = blank(span, NAME)
    kind = attributes.get("mlflow.spanType")
    observation.kind = KINDS.get(kind, "other") if isinstance(kind, str) else "other"
    observation.session = session_of(attributes)
    span_input, span_output = (attributes.get(f"mlflow.span{side}", ABSENT) for side in ("Inputs", "Outputs"))
    if observation.kind == "tool":
        observation.name = span.name
        observation.arguments = span_input
        observation.loose = True
        if span_output is not ABSENT and span_output is not None:
            observation.read_result(span_output)
    elif observation.kind == "llm":
        observation.read_asked(span_input)
        observation.answer = read_answer(span_output)
        if observation.answer is None or not observation.answer.calls:
            observation.answer = answer_of_stream(span) or observation.answer
        usage = attributes.get("mlflow.chat.tokenUsage")
        if isinstance(usage, dict):
            observation.read_tokens(usage, ("input_tokens",), ("output_tokens",))
        request = as_dict(span_input)
        observation.tools = definitions(attributes.get("mlflow.chat.tools", request.get("tools")))
        observation.model = first_text(attributes.get("mlflow.llm.model"), request.get("model"))
    else:
        observation.name = span.name
        observation.question = _words(span_input)
        observation.output = _words(span_output)
    return observation


def answer_of_stream(span: Span) -> SpokenMessage | None:
    """The answer in the chunks of a stream, which MLflow keeps as events; its outputs then lack the calls.

    Chunks are ordered by their numbers. None when there are none, or when they are not those of a known stream.
    OpenTelemetry keeps 128 events of a span: when chunks are missing and others hold calls, the answer is not known.
    """
    chunks: dict[int, dict[str, Any]] = {}
    for event in span.events:
        number = event.name.removeprefix(CHUNK)
        chunk = _plain(event.attributes.get("mlflow.chunk.value"))
        if event.name.startswith(CHUNK) and number.isdecimal() and isinstance(chunk, dict):
            chunks[int(number)] = {name: held for name, held in chunk.items() if held is not None}
    events = [chunks[number] for number in sorted(chunks)]
    stream = stream_of(events[0]) if events else None
    if stream is None:
        return None
    try:
        for chunk in events:
            stream.add(chunk)
        messages = stream.messages()
    except InputError:
        return None
    if len(events) != max(chunks) + 1:
        lost = "the answer was streamed, and some of its chunks were not recorded"
        return SpokenMessage("assistant", unread=lost) if calls_of(messages) else None
    calls = as_called(calls_of(messages))
    return SpokenMessage("assistant", text_of(messages), calls, finish=stream.finish)


def _plain(value: Any) -> Any:
    """Attribute values are JSON texts in MLflow's own export, and may be plain values over OTLP."""
    if isinstance(value, str) and value[:1] == value[-1:] == '"' and len(value) > 1:
        inner = parse_container(f"[{value}]")
        return inner[0] if isinstance(inner, list) else value
    return parse_container(value)


def _words(value: Any) -> str:
    if isinstance(value, str):
        return value
    if only := only_text(value):
        return only
    messages = read_messages(value) if isinstance(value, dict | list) else None
    return as_text(messages[-1].text) if messages else ""


def claims_record(record: dict[str, Any]) -> bool:
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
