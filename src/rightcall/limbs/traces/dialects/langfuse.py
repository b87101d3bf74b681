"""Langfuse: `langfuse.observation.*` of its SDK, and its export: rows of observations, or traces that contain them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.core.words import word_set
from rightcall.limbs.traces.content import ABSENT, as_dicts, as_text, first_text, json_value, parse_container
from rightcall.limbs.traces.dialects.common import blank, definitions, own_arguments
from rightcall.limbs.traces.messages import read_answer, read_messages
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.span import Observation, ObservedKind, Span, free_id_of, nanoseconds

NAME = "langfuse"
PREFIX = "langfuse.observation."
KINDS: dict[str, ObservedKind] = {"tool": "tool", "generation": "llm", "agent": "agent"}
TOKENS = (
    ("input", "input_tokens", "prompt_tokens", "promptTokens"),
    ("output", "output_tokens", "completion_tokens", "completionTokens"),
    ("input_cached_tokens", "cache_read_input_tokens"),
)


def claims(span: Span) -> bool:
    return f"{PREFIX}type" in span.attributes


def observe(span: Span) -> Observation:
    attributes = span.attributes
    observation = blank(span, NAME)
    kind = attributes.get(f"{PREFIX}type")
    observation.kind = KINDS.get(kind.lower(), "other") if isinstance(kind, str) else "other"
    if as_text(attributes.get(f"{PREFIX}level")).upper() == "ERROR":
        observation.failed = True
        observation.error = observation.error or as_text(attributes.get(f"{PREFIX}status_message"))
    span_input, span_output = (attributes.get(f"{PREFIX}{side}", ABSENT) for side in ("input", "output"))
    if observation.kind == "tool":
        observation.name = span.name
        observation.loose = True
        observation.arguments = own_arguments(span_input)
        observation.call_id = first_text(json_value(attributes.get(f"{PREFIX}metadata.tool_call_id")))
        if span_output is not ABSENT:
            observation.read_result(span_output)
    elif observation.kind == "llm":
        _model(observation, attributes, span_input, span_output)
    elif observation.kind == "agent":
        observation.name = span.name
    if observation.kind not in ("llm", "tool"):
        observation.question = _words(span_input)
        observation.output = _words(span_output)
    return observation


def _model(observation: Observation, attributes: dict[str, Any], span_input: Any, span_output: Any) -> None:
    held = parse_container(span_input)
    if isinstance(held, dict) and "tools" in held:
        observation.tools = definitions(held["tools"])
    if isinstance(held, list):
        observation.tools = [tool for message in held if (tool := _tool_definition(message)) is not None]
        held = [message for message in held if _tool_definition(message) is None]
    observation.read_asked(held)
    observation.answer = read_answer(span_output)
    usage = parse_container(attributes.get(f"{PREFIX}usage_details"))
    if isinstance(usage, dict):
        observation.read_tokens(usage, *TOKENS)
    observation.model = first_text(attributes.get(f"{PREFIX}model.name"))
    for name in (f"{PREFIX}tool_definitions", f"{PREFIX}metadata.tools"):
        if name in attributes and not observation.tools:
            observation.tools = definitions(attributes[name])


def _tool_definition(message: Any) -> dict[str, Any] | None:
    """The definition of a tool, which its LangChain integration adds to the messages."""
    content = message.get("content") if isinstance(message, dict) and message.get("role") == "tool" else None
    is_definition = isinstance(content, dict) and content.get("type") == "function" and "function" in content
    return content if is_definition else None


def _words(value: Any) -> str:
    """The text of an agent's input or output: plain, or the last message of it."""
    value = parse_container(value)
    if isinstance(value, str):
        return value.strip('"')
    if isinstance(value, dict):
        plain = [
            value[key] for key in ("output", "input", "answer", "question", "text", "content") if key in value
        ]
        if plain and isinstance(plain[0], str):
            return plain[0]
    messages = read_messages(value) if isinstance(value, dict | list) else None
    return messages[-1].text if messages else ""


TYPES = word_set("SPAN GENERATION EVENT AGENT TOOL CHAIN RETRIEVER EVALUATOR EMBEDDING GUARDRAIL")
COPIED = ("input", "output", "level", "status_message", "usage_details", "tool_definitions")


def claims_record(record: dict[str, Any]) -> bool:
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
