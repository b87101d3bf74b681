"""Langfuse: `langfuse.observation.*` of its SDK, and rows of its export under the same names."""

from __future__ import annotations

from typing import Any

from rightcall.wings.traces.content import ABSENT, as_text, first_text, json_value, parsed, whole_number
from rightcall.wings.traces.dialects.common import (
    blank,
    definitions,
    own_arguments,
    told_id,
    unwrapped_output,
    without_system,
)
from rightcall.wings.traces.messages import read_answer, read_messages
from rightcall.wings.traces.observation import Observation, ObservedKind
from rightcall.wings.traces.span import Span

NAME = "langfuse"
PREFIX = "langfuse.observation."
KINDS: dict[str, ObservedKind] = {"tool": "tool", "generation": "llm", "agent": "agent"}


def claims(span: Span) -> bool:
    return f"{PREFIX}type" in span.attributes


def observe(span: Span) -> Observation:
    attributes = span.attributes
    found = blank(span, NAME)
    kind = attributes.get(f"{PREFIX}type")
    found.kind = KINDS.get(kind.lower(), "other") if isinstance(kind, str) else "other"
    if as_text(attributes.get(f"{PREFIX}level")).upper() == "ERROR":
        found.failed = True
        found.error = found.error or as_text(attributes.get(f"{PREFIX}status_message"))
    given, gave = attributes.get(f"{PREFIX}input", ABSENT), attributes.get(f"{PREFIX}output", ABSENT)
    if found.kind == "tool":
        found.name, found.arguments, found.loose = span.name, own_arguments(given), True
        found.call_id = first_text(
            json_value(attributes.get(f"{PREFIX}metadata.tool_call_id")), told_id(gave)
        )
        if gave is not ABSENT:
            found.result, failed = unwrapped_output(gave)
            found.failed = found.failed or failed
    elif found.kind == "llm":
        _model(found, attributes, given, gave)
    elif found.kind == "agent":
        found.name = span.name
    if found.kind not in ("llm", "tool"):
        found.question, found.output = _words(given), _words(gave)
    return found


def _model(found: Observation, attributes: dict[str, Any], given: Any, gave: Any) -> None:
    held = parsed(given)
    if isinstance(held, dict) and "tools" in held:
        found.tools = definitions(held["tools"])
    if isinstance(held, list):
        found.tools = [tool for message in held if (tool := _offered(message)) is not None]
        held = [message for message in held if _offered(message) is None]
    found.system, found.asked = without_system(read_messages(held) if given is not ABSENT else None)
    found.answer = read_answer(gave) if gave is not ABSENT else None
    usage = parsed(attributes.get(f"{PREFIX}usage_details"))
    if isinstance(usage, dict):
        found.input_tokens = _first_number(usage, "input", "input_tokens", "prompt_tokens", "promptTokens")
        found.output_tokens = _first_number(
            usage, "output", "output_tokens", "completion_tokens", "completionTokens"
        )
        found.cached_tokens = _first_number(usage, "input_cached_tokens", "cache_read_input_tokens")
    found.model = first_text(attributes.get(f"{PREFIX}model.name"))
    for name in (f"{PREFIX}tool_definitions", f"{PREFIX}metadata.tools"):
        if name in attributes and not found.tools:
            found.tools = definitions(attributes[name])
    found.finish = found.answer.finish if found.answer else ""


def _offered(message: Any) -> dict[str, Any] | None:
    """The definition of a tool, which its LangChain integration adds to the messages."""
    content = message.get("content") if isinstance(message, dict) and message.get("role") == "tool" else None
    is_definition = isinstance(content, dict) and content.get("type") == "function" and "function" in content
    return content if is_definition else None


def _first_number(usage: dict[str, Any], *keys: str) -> int | None:
    return next((n for key in keys if (n := whole_number(usage.get(key))) is not None), None)


def _words(value: Any) -> str:
    """The text of an agent's input or output: plain, or the last message of it."""
    value = parsed(value)
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
