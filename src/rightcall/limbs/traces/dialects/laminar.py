"""Laminar: `lmnr.span.type` with inputs and outputs; models under names of the conventions or Traceloop's."""

from __future__ import annotations

from rightcall.limbs.traces.content import ABSENT, first_text
from rightcall.limbs.traces.dialects import common as names, genai, traceloop
from rightcall.limbs.traces.dialects.common import blank, definitions, only_text, own_arguments
from rightcall.limbs.traces.messages import read_answer
from rightcall.limbs.traces.span import Observation, Span

NAME = "laminar"
TYPE = "lmnr.span.type"
INPUT = "lmnr.span.input"
OUTPUT = "lmnr.span.output"


def claims(span: Span) -> bool:
    return TYPE in span.attributes


def observe(span: Span) -> Observation:
    kind = str(span.attributes[TYPE]).upper()
    span_input = span.attributes.get(INPUT, ABSENT)
    span_output = span.attributes.get(OUTPUT, ABSENT)
    observation = blank(span, NAME)
    if kind == "LLM":
        genai.read_model(observation, span.attributes)
        traceloop.read_model(observation, span.attributes)
        if observation.asked is None and span_input is not ABSENT:
            observation.read_asked(span_input)
        observation.answer = observation.answer or read_answer(span_output)
        observation.tools = observation.tools or definitions(span.attributes.get("ai.prompt.tools"))
    elif kind == "TOOL":
        observation.kind = "tool"
        observation.loose = True
        observation.name = first_text(span.attributes.get(names.TOOL_NAME), span.name)
        observation.call_id = first_text(span.attributes.get(names.CALL_ID))
        observation.arguments = own_arguments(span_input)
        if span_output is not ABSENT:
            observation.read_result(span_output)
    elif kind == "EXECUTOR" or (kind == "DEFAULT" and not span.parent_id):
        observation.kind = "agent"
        observation.name = span.name
        observation.question = only_text(span_input)
        observation.output = only_text(span_output)
    return observation
