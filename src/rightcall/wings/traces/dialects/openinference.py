"""OpenInference (Phoenix, Arize): `openinference.span.kind`, messages under numbered names."""

from __future__ import annotations

import re
from typing import Any

from rightcall.wings.traces.content import ABSENT, first_text, from_json, parsed, unflattened, whole_number
from rightcall.wings.traces.dialects.common import (
    blank,
    definitions,
    own_arguments,
    told_id,
    unwrapped_output,
    without_system,
)
from rightcall.wings.traces.messages import SpokenMessage, merged, read_answer, read_messages
from rightcall.wings.traces.observation import Observation, ObservedKind
from rightcall.wings.traces.span import Span

NAME = "openinference"
KIND = "openinference.span.kind"
KINDS: dict[str, ObservedKind] = {"LLM": "llm", "TOOL": "tool", "AGENT": "agent"}
PSEUDO_TOOLS = frozenset({"final_answer"})
"""The pseudo-tool by which smolagents ends."""
HANDOFF = "handoff to "
SAYS_ERROR = re.compile(r'"status":\s*"error"|"is_error":\s*true')


def claims(span: Span) -> bool:
    return KIND in span.attributes


def observe(span: Span) -> Observation:
    attributes = span.attributes
    found = blank(span, NAME)
    kind = attributes.get(KIND)
    found.kind = KINDS.get(kind.upper(), "other") if isinstance(kind, str) else "other"
    if found.kind == "tool":
        _tool(found, attributes)
    elif found.kind == "llm":
        _model(found, attributes)
    elif found.kind == "agent":
        found.name = first_text(attributes.get("agent.name"), span.name)
        question = parsed(attributes.get("input.value"))
        found.question = question if isinstance(question, str) else ""
    return found


def _tool(found: Observation, attributes: dict[str, Any]) -> None:
    found.name = first_text(attributes.get("tool.name"), found.span.name)
    if found.name in PSEUDO_TOOLS:
        found.kind = "other"
        return
    if _is_handoff(found.span):
        found.handoff = first_text(attributes.get("output.value")) or found.name.removeprefix(HANDOFF)
        found.name = re.sub(r"\W", "_", f"transfer_to_{found.handoff}").lower()  # as the SDK names the call
        return
    found.call_id = first_text(attributes.get("tool_call.id"), attributes.get("tool.id"))
    given = attributes.get("input.value", attributes.get("tool_call.function.arguments", ABSENT))
    found.arguments, found.loose = own_arguments(given), True
    if "output.value" in attributes:
        output = _value(attributes, "output")
        found.call_id = found.call_id or told_id(output)
        found.result, failed = unwrapped_output(output)
        found.failed = found.failed or failed
    schema = parsed(attributes.get("tool.parameters"))
    if isinstance(schema, dict) and schema.get("type") == "object":
        description = first_text(attributes.get("tool.description"))
        found.tools = [{"name": found.name, "description": description, "input_schema": schema}]


def _is_handoff(span: Span) -> bool:
    return span.scope.endswith("openai_agents") and span.name.startswith(HANDOFF)


def _model(found: Observation, attributes: dict[str, Any]) -> None:
    asked = unflattened(attributes, "llm.input_messages")
    found.system, found.asked = without_system(read_messages(asked) if asked is not None else None)
    _mark_failed(found.asked, attributes.get("input.value"))
    answers = unflattened(attributes, "llm.output_messages")
    if isinstance(answers, list):
        read = [message for item in answers if (message := read_answer(item)) is not None]
        found.answer = next(iter(merged(read)[-1:]), None)
    found.answer = _completed(found.answer, attributes)
    tools = unflattened(attributes, "llm.tools")
    if isinstance(tools, list):
        schemas = [
            item.get("tool", {}).get("json_schema")
            for item in tools
            if isinstance(item, dict) and isinstance(item.get("tool"), dict)
        ]
        found.tools = [tool for schema in schemas for tool in definitions(schema)]
    found.input_tokens = whole_number(attributes.get("llm.token_count.prompt"))
    found.output_tokens = whole_number(attributes.get("llm.token_count.completion"))
    found.cached_tokens = whole_number(attributes.get("llm.token_count.prompt_details.cache_read"))
    found.model = first_text(attributes.get("llm.model_name"))
    found.finish = first_text(
        attributes.get("llm.finish_reason"), found.answer.finish if found.answer else ""
    )


def _completed(answer: SpokenMessage | None, attributes: dict[str, Any]) -> SpokenMessage | None:
    """The answer completed from the raw reply: LangChain's invalid calls, and arguments that are an empty object."""
    if answer is not None and (answer.text or answer.calls):
        unknown = [called for called in answer.calls if called.arguments is ABSENT]
        if not unknown:
            return answer
        raw = _raw_answer(attributes)
        known = {called.id: called.arguments for called in raw.calls if called.id} if raw is not None else {}
        for called in unknown:
            called.arguments = known.get(called.id, ABSENT)
        return answer
    return _raw_answer(attributes) or answer


def _raw_answer(attributes: dict[str, Any]) -> SpokenMessage | None:
    value = _value(attributes, "output")
    return read_answer(value) if isinstance(value, dict | list) else None


def _mark_failed(asked: list[SpokenMessage] | None, given: Any) -> None:
    """Mark results that LangChain's or Anthropic's messages call errors; the flattened form cannot express that."""
    if not asked or not isinstance(given, str) or not SAYS_ERROR.search(given):
        return
    said = read_messages(given) or []
    failed = {result.id for message in said for result in message.results if result.failed}
    for message in asked:
        for result in message.results:
            result.failed = result.failed or (result.id != "" and result.id in failed)


def _value(attributes: dict[str, Any], side: str) -> Any:
    value = attributes.get(f"{side}.value")
    if attributes.get(f"{side}.mime_type") == "application/json" and isinstance(value, str):
        found = from_json(value)
        return value if found is ABSENT else found
    return parsed(value)
