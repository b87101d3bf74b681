"""OpenLLMetry (Traceloop): its own kinds of spans, and prompts and answers under numbered names."""

from __future__ import annotations

from typing import Any

from rightcall.wings.traces import names
from rightcall.wings.traces.content import (
    ABSENT,
    first_text,
    json_value,
    nest_attributes,
    parse_container,
)
from rightcall.wings.traces.dialects import genai
from rightcall.wings.traces.dialects.common import (
    only_text,
    own_arguments,
    read_asked,
    read_result,
    read_tokens,
)
from rightcall.wings.traces.messages import read_answer
from rightcall.wings.traces.span import Observation, Span

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
    observation = genai.observe(span)
    observation.spelling = genai.NAME  # one instrumentation writes both: count them once
    if kind == "tool" and observation.kind in ("other", "tool"):
        return _tool(observation)
    if observation.kind == "other" and kind in ("agent", "workflow"):
        observation.kind = "agent"
        observation.name = first_text(
            attributes.get("traceloop.entity.name"), attributes.get("traceloop.workflow.name"), span.name
        )
        observation.question = _entity_question(attributes.get("traceloop.entity.input"))
        observation.output = only_text(attributes.get("traceloop.entity.output"))
    if observation.kind == "llm" or (observation.kind == "other" and _is_model(attributes)):
        read_model(observation, attributes)
    return observation


def _is_model(attributes: dict[str, Any]) -> bool:
    return attributes.get("llm.request.type") in ("chat", "completion") or f"{PROMPT}.0.role" in attributes


def _tool(observation: Observation) -> Observation:
    """Its decorators write names of the conventions too, but content only under their own."""
    attributes = observation.span.attributes
    if observation.kind != "tool":
        observation.kind = "tool"
        observation.name = first_text(
            attributes.get("traceloop.entity.name"), observation.span.name.removesuffix(".tool")
        )
    if observation.arguments is ABSENT:
        arguments = own_arguments(attributes.get("traceloop.entity.input", ABSENT))
        if isinstance(arguments, dict) and isinstance(inner := arguments.get("inputs"), dict):
            arguments = inner  # of its LangChain instrumentation
        observation.arguments, observation.loose = arguments, True
    if observation.result is ABSENT and "traceloop.entity.output" in attributes:
        read_result(observation, json_value(attributes["traceloop.entity.output"]))
    return observation


def read_model(observation: Observation, attributes: dict[str, Any]) -> None:
    """Read what only numbered names contain."""
    observation.kind = "llm"
    if observation.asked is None and (prompt := nest_attributes(attributes, PROMPT)) is not None:
        read_asked(observation, prompt)
    if observation.answer is None and (completion := nest_attributes(attributes, COMPLETION)) is not None:
        observation.answer = read_answer(completion)
    if not observation.tools and isinstance(functions := nest_attributes(attributes, FUNCTIONS), list):
        observation.tools = [
            {**tool, "parameters": parse_container(tool.get("parameters"))}
            for tool in functions
            if isinstance(tool, dict)
        ]
    if not observation.has_usage:
        asked, answered = (("llm.usage.prompt_tokens",), ("llm.usage.completion_tokens",))
        read_tokens(observation, attributes, asked, answered, ())
        if observation.input_tokens is None:
            genai.read_usage(observation, attributes)
    observation.model = observation.model or first_text(attributes.get(names.REQUEST_MODEL))


def _entity_question(value: Any) -> str:
    """The only text that a function was called with."""
    entity_input = parse_container(value)
    if not isinstance(entity_input, dict):
        return ""
    args, kwargs = entity_input.get("args"), entity_input.get("kwargs", entity_input.get("inputs"))
    words = [
        *(args if isinstance(args, list) else ()),
        *(kwargs.values() if isinstance(kwargs, dict) else ()),
    ]
    return words[0] if len(words) == 1 and isinstance(words[0], str) else ""
