"""OpenLLMetry (Traceloop): its own kinds of spans, and prompts and answers under numbered names."""

from __future__ import annotations

from typing import Any

from rightcall.traces import names
from rightcall.traces.content import ABSENT, first_text, parsed, unflattened, whole_number
from rightcall.traces.dialects import genai
from rightcall.traces.dialects.common import blank, without_system
from rightcall.traces.messages import read_answer, read_messages
from rightcall.traces.observation import Observation
from rightcall.traces.span import Span

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
    if found.kind == "other" and kind == "tool":
        return _tool(span)
    if found.kind == "other" and kind in ("agent", "workflow"):
        found.kind = "agent"
        found.name = first_text(
            attributes.get("traceloop.entity.name"), attributes.get("traceloop.workflow.name"), span.name
        )
        found.output = _entity_text(attributes.get("traceloop.entity.output"))
    if found.kind == "llm" or (found.kind == "other" and _is_model(attributes)):
        _model(found, attributes)
    return found


def _is_model(attributes: dict[str, Any]) -> bool:
    return attributes.get("llm.request.type") in ("chat", "completion") or f"{PROMPT}.0.role" in attributes


def _tool(span: Span) -> Observation:
    found = blank(span, genai.NAME)
    found.kind = "tool"
    found.name = first_text(span.attributes.get("traceloop.entity.name"), span.name.removesuffix(".tool"))
    given = parsed(span.attributes.get("traceloop.entity.input", ABSENT))
    if isinstance(given, dict):
        inner = given.get("inputs", given.get("kwargs"))
        given = inner if isinstance(inner, dict) else given
    found.arguments, found.loose = given, True
    result = parsed(span.attributes.get("traceloop.entity.output", ABSENT))
    found.result = result.get("output", result) if isinstance(result, dict) else result
    return found


def _model(found: Observation, attributes: dict[str, Any]) -> None:
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


def _entity_text(value: Any) -> str:
    held = parsed(value)
    return held if isinstance(held, str) else ""
