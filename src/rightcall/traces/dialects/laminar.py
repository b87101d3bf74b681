"""Laminar: `lmnr.span.type` with inputs and outputs; models under Traceloop's names."""

from __future__ import annotations

from rightcall.traces.content import ABSENT, parsed
from rightcall.traces.dialects import genai, traceloop
from rightcall.traces.dialects.common import blank, definitions, unwrapped_output, without_system
from rightcall.traces.messages import read_answer, read_messages
from rightcall.traces.observation import Observation
from rightcall.traces.span import Span

NAME = "laminar"
TYPE, INPUT, OUTPUT = "lmnr.span.type", "lmnr.span.input", "lmnr.span.output"


def claims(span: Span) -> bool:
    return TYPE in span.attributes


def observe(span: Span) -> Observation:
    kind = str(span.attributes[TYPE]).upper()
    given, gave = span.attributes.get(INPUT, ABSENT), span.attributes.get(OUTPUT, ABSENT)
    if kind == "LLM":
        found = traceloop.observe(span)
        found.kind, found.spelling = "llm", NAME
        if not found.has_usage:
            genai.read_usage(found, span.attributes)
        if found.asked is None and given is not ABSENT:
            found.system, found.asked = without_system(read_messages(given))
        if found.answer is None and gave is not ABSENT:
            found.answer = read_answer(gave)
        if "ai.prompt.tools" in span.attributes and not found.tools:
            found.tools = definitions(span.attributes["ai.prompt.tools"])
        return found
    found = blank(span, NAME)
    if kind == "TOOL":
        found.kind, found.name, found.loose = "tool", span.name, True
        held = parsed(given)
        if isinstance(held, dict) and isinstance(held.get("kwargs"), dict) and not held.get("args"):
            held = held["kwargs"]
        found.arguments = held
        if gave is not ABSENT:
            found.result, failed = unwrapped_output(gave)
            found.failed = found.failed or failed
    elif kind == "EXECUTOR" or (kind == "DEFAULT" and not span.parent_id):
        found.kind, found.name = "agent", span.name
        question, output = parsed(given), parsed(gave)
        found.question = question if isinstance(question, str) else ""
        found.output = output.strip('"') if isinstance(output, str) else ""
    return found
