"""OpenLLMetry (Traceloop): its own kinds of spans, and prompts and answers under numbered names."""

from __future__ import annotations

from typing import Any

from rightcall.wings.traces import names
from rightcall.wings.traces.content import ABSENT, first_text, json_value, parsed, unflattened, whole_number
from rightcall.wings.traces.dialects import genai
from rightcall.wings.traces.dialects.common import (
    only_text,
    own_arguments,
    told_id,
    unwrapped_output,
    without_system,
)
from rightcall.wings.traces.messages import read_answer, read_messages
from rightcall.wings.traces.observation import Observation
from rightcall.wings.traces.span import Span

NAME = "traceloop"
PROMPT, COMPLETION, FUNCTIONS = "gen_ai.prompt", "gen_ai.completion", "llm.request.functions"


def claims(span: Span) -> bool:
    attributes = span.attributes
    if "traceloop.span.kind" in attributes or "llm.request.type" in attributes:
        return True
    return any(
        name.startswith(("gen_ai.prompt.0", "gen_ai.completion.0", "llm.request.functions."))
        for name in attributes
    )


def observe(span: Span) -> Observation:
    attributes = span.attributes
    kind = attributes.get("traceloop.span.kind")
    found = genai.observe(span)
    found.spelling = genai.NAME  # one instrumentation writes both: count them once
    if kind == "tool" and found.kind in ("other", "tool"):
        return _tool(found)
    if found.kind == "other" and kind in ("agent", "workflow"):
        found.kind = "agent"
        found.name = first_text(
            attributes.get("traceloop.entity.name"), attributes.get("traceloop.workflow.name"), span.name
        )
        found.question = _entity_question(attributes.get("traceloop.entity.input"))
        found.output = only_text(attributes.get("traceloop.entity.output"))
    if found.kind == "llm" or (found.kind == "other" and _is_model(attributes)):
        read_model(found, attributes)
    return found


def _is_model(attributes: dict[str, Any]) -> bool:
    return attributes.get("llm.request.type") in ("chat", "completion") or f"{PROMPT}.0.role" in attributes


def _tool(found: Observation) -> Observation:
    """Its decorators write names of the conventions too, but content only under their own."""
    attributes = found.span.attributes
    if found.kind != "tool":
        found.kind = "tool"
        found.name = first_text(
            attributes.get("traceloop.entity.name"), found.span.name.removesuffix(".tool")
        )
    if found.arguments is ABSENT:
        given = own_arguments(attributes.get("traceloop.entity.input", ABSENT))
        if isinstance(given, dict) and isinstance(inner := given.get("inputs"), dict):
            given = inner  # of its LangChain instrumentation
        found.arguments, found.loose = given, True
    if found.result is ABSENT and "traceloop.entity.output" in attributes:
        result = json_value(attributes["traceloop.entity.output"])
        found.result, failed = unwrapped_output(result)
        found.failed = found.failed or failed
        found.call_id = found.call_id or told_id(result)
    return found


def read_model(found: Observation, attributes: dict[str, Any]) -> None:
    """Read what only numbered names contain."""
    found.kind = "llm"
    if found.asked is None and (prompt := unflattened(attributes, PROMPT)) is not None:
        found.system, found.asked = without_system(read_messages(prompt))
    if found.answer is None and (completion := unflattened(attributes, COMPLETION)) is not None:
        found.answer = read_answer(completion)
        found.finish = found.finish or (found.answer.finish if found.answer else "")
    if not found.tools and isinstance(functions := unflattened(attributes, FUNCTIONS), list):
        found.tools = [
            {**tool, "parameters": parsed(tool.get("parameters"))}
            for tool in functions
            if isinstance(tool, dict)
        ]
    if not found.has_usage:
        found.input_tokens = whole_number(attributes.get("llm.usage.prompt_tokens"))
        found.output_tokens = whole_number(attributes.get("llm.usage.completion_tokens"))
        genai.read_usage(found, attributes) if found.input_tokens is None else None
    found.model = found.model or first_text(attributes.get(names.REQUEST_MODEL))


def _entity_question(value: Any) -> str:
    """The only text that a function was called with."""
    given = parsed(value)
    if not isinstance(given, dict):
        return ""
    args, kwargs = given.get("args"), given.get("kwargs", given.get("inputs"))
    words = [
        *(args if isinstance(args, list) else ()),
        *(kwargs.values() if isinstance(kwargs, dict) else ()),
    ]
    return words[0] if len(words) == 1 and isinstance(words[0], str) else ""
