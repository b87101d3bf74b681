"""MLflow: `mlflow.spanType`, with inputs and outputs as they were passed."""

from __future__ import annotations

from typing import Any

from rightcall.core.errors import InputError
from rightcall.model.dialects.streams import calls_of, stream_of, text_of
from rightcall.wings.traces.content import ABSENT, as_text, first_text, parsed, whole_number
from rightcall.wings.traces.dialects.common import (
    blank,
    definitions,
    only_text,
    session_of,
    told_id,
    unwrapped_output,
    without_system,
)
from rightcall.wings.traces.messages import Called, SpokenMessage, read_answer, read_messages
from rightcall.wings.traces.observation import Observation, ObservedKind
from rightcall.wings.traces.span import Span

NAME = "mlflow"
CHUNK = "mlflow.chunk.item."
KINDS: dict[str, ObservedKind] = {"TOOL": "tool", "CHAT_MODEL": "llm", "LLM": "llm", "AGENT": "agent"}


def claims(span: Span) -> bool:
    return "mlflow.spanType" in span.attributes


def observe(span: Span) -> Observation:
    attributes = {name: _plain(value) for name, value in span.attributes.items()}
    found = blank(span, NAME)
    kind = attributes.get("mlflow.spanType")
    found.kind = KINDS.get(kind, "other") if isinstance(kind, str) else "other"
    found.session = session_of(attributes)
    given, gave = attributes.get("mlflow.spanInputs", ABSENT), attributes.get("mlflow.spanOutputs", ABSENT)
    if found.kind == "tool":
        found.name, found.arguments, found.loose = span.name, given, True
        if gave is not ABSENT and gave is not None:
            found.call_id = told_id(gave)
            found.result, failed = unwrapped_output(gave)
            found.failed = found.failed or failed
    elif found.kind == "llm":
        found.system, found.asked = without_system(read_messages(given) if given is not ABSENT else None)
        found.answer = read_answer(gave) if gave is not ABSENT else None
        if found.answer is None or not found.answer.calls:
            found.answer = streamed_answer(span) or found.answer
        usage = attributes.get("mlflow.chat.tokenUsage")
        if isinstance(usage, dict):
            found.input_tokens = whole_number(usage.get("input_tokens"))
            found.output_tokens = whole_number(usage.get("output_tokens"))
        tools = attributes.get("mlflow.chat.tools", given.get("tools") if isinstance(given, dict) else None)
        found.tools = definitions(tools) if tools else []
        model = given.get("model") if isinstance(given, dict) else None
        found.model = first_text(attributes.get("mlflow.llm.model"), model)
        found.finish = found.answer.finish if found.answer else ""
    else:
        found.name = span.name
        found.question, found.output = _words(given), _words(gave)
    return found


def streamed_answer(span: Span) -> SpokenMessage | None:
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
    calls = [
        Called(call.name, call.raw if call.arguments is None else call.arguments, call.id)
        for call in calls_of(messages)
    ]
    return SpokenMessage("assistant", text_of(messages), calls, finish=stream.finish)


def _plain(value: Any) -> Any:
    """Attribute values are JSON texts in MLflow's own export, and may be plain values over OTLP."""
    if isinstance(value, str) and value[:1] == value[-1:] == '"' and len(value) > 1:
        inner = parsed(f"[{value}]")
        return inner[0] if isinstance(inner, list) else value
    return parsed(value)


def _words(value: Any) -> str:
    if isinstance(value, str):
        return value
    if only := only_text(value):
        return only
    messages = read_messages(value) if isinstance(value, dict | list) else None
    return as_text(messages[-1].text) if messages else ""
