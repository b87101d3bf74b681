"""OpenLLMetry (Traceloop): its own kinds of spans, and prompts and answers under numbered names."""

from __future__ import annotations

from typing import Any

from rightcall.limbs.traces.content import (
    ABSENT,
    as_dict,
    as_dicts,
    as_list,
    first_text,
    json_value,
    nest_attributes,
    parse_container,
)
from rightcall.limbs.traces.dialects import common as names, genai
from rightcall.limbs.traces.dialects.common import only_text, own_arguments
from rightcall.limbs.traces.messages import read_answer
from rightcall.limbs.traces.span import Observation, Span

NAME = "traceloop"
PROMPT = "gen_ai.prompt"
COMPLETION = "gen_ai.completion"
FUNCTIONS = "llm.request.functions"


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
    is_request = attributes.get("llm.request.type") in ("chat", "completion")
    has_prompt = is_request or f"{PROMPT}.0.role" in attributes
    if observation.kind == "llm" or (observation.kind == "other" and has_prompt):
        read_model(observation, attributes)
    return observation


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
        observation.arguments = arguments
        observation.loose = True
    if observation.result is ABSENT and "traceloop.entity.output" in attributes:
        observation.read_result(json_value(attributes["traceloop.entity.output"]))
    return observation


def read_model(observation: Observation, attributes: dict[str, Any]) -> None:
    """Read what only numbered names contain."""
    observation.kind = "llm"
    if observation.asked is None and (prompt := nest_attributes(attributes, PROMPT)) is not None:
        observation.read_asked(prompt)
    if observation.answer is None and (completion := nest_attributes(attributes, COMPLETION)) is not None:
        observation.answer = read_answer(completion)
    observation.tools = observation.tools or [
        {**tool, "parameters": parse_container(tool.get("parameters"))}
        for tool in as_dicts(nest_attributes(attributes, FUNCTIONS))
    ]
    if not observation.has_usage:
        observation.read_tokens(attributes, ("llm.usage.prompt_tokens",), ("llm.usage.completion_tokens",))
        if observation.input_tokens is None:
            observation.read_tokens(attributes, *genai.TOKENS)
    observation.model = observation.model or first_text(attributes.get(names.REQUEST_MODEL))


def _entity_question(value: Any) -> str:
    """The only text that a function was called with."""
    held = as_dict(parse_container(value))
    words = [*as_list(held.get("args")), *as_dict(held.get("kwargs", held.get("inputs"))).values()]
    return words[0] if len(words) == 1 and isinstance(words[0], str) else ""
