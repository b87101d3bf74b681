"""Laminar: `lmnr.span.type` with inputs and outputs; models under names of the conventions or Traceloop's."""

from __future__ import annotations

from rightcall.wings.traces import names
from rightcall.wings.traces.content import ABSENT, first_text
from rightcall.wings.traces.dialects import genai, traceloop
from rightcall.wings.traces.dialects.common import (
    blank,
    definitions,
    only_text,
    own_arguments,
    told_id,
    unwrapped_output,
    without_system,
)
from rightcall.wings.traces.messages import read_answer, read_messages
from rightcall.wings.traces.observation import Observation
from rightcall.wings.traces.span import Span

NAME = "laminar"
TYPE, INPUT, OUTPUT = "lmnr.span.type", "lmnr.span.input", "lmnr.span.output"


def claims(span: Span) -> bool:
    return TYPE in span.attributes


def observe(span: Span) -> Observation:
    kind = str(span.attributes[TYPE]).upper()
    given, gave = span.attributes.get(INPUT, ABSENT), span.attributes.get(OUTPUT, ABSENT)
    if kind == "LLM":
        found = blank(span, NAME)
        genai.read_model(found, span.attributes)
        traceloop.read_model(found, span.attributes)
        if found.asked is None and given is not ABSENT:
            found.system, found.asked = without_system(read_messages(given))
        if found.answer is None and gave is not ABSENT:
            found.answer = read_answer(gave)
        if "ai.prompt.tools" in span.attributes and not found.tools:
            found.tools = definitions(span.attributes["ai.prompt.tools"])
        return found
    found = blank(span, NAME)
    if kind == "TOOL":
        found.kind, found.loose = "tool", True
        found.name = first_text(span.attributes.get(names.TOOL_NAME), span.name)
        found.call_id = first_text(span.attributes.get(names.CALL_ID), told_id(gave))
        found.arguments = own_arguments(given)
        if gave is not ABSENT:
            found.result, failed = unwrapped_output(gave)
            found.failed = found.failed or failed
    elif kind == "EXECUTOR" or (kind == "DEFAULT" and not span.parent_id):
        found.kind, found.name = "agent", span.name
        found.question, found.output = only_text(given), only_text(gave)
    return found
