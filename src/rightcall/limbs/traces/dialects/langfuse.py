"""Langfuse: `langfuse.observation.*` of its SDK, and rows of its export under the same names."""

from __future__ import annotations

from typing import Any

from rightcall.limbs.traces.content import ABSENT, as_text, first_text, json_value, parse_container
from rightcall.limbs.traces.dialects.common import blank, definitions, own_arguments
from rightcall.limbs.traces.messages import read_answer, read_messages
from rightcall.limbs.traces.span import Observation, ObservedKind, Span

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
