"""MLflow: `mlflow.spanType`, with inputs and outputs as they were passed."""

from __future__ import annotations

from typing import Any

from rightcall.core.errors import InputError
from rightcall.limbs.traces.content import ABSENT, as_dict, as_text, first_text, parse_container
from rightcall.limbs.traces.dialects.common import blank, definitions, only_text, session_of
from rightcall.limbs.traces.messages import SpokenMessage, as_called, read_answer, read_messages
from rightcall.limbs.traces.span import Observation, ObservedKind, Span
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
