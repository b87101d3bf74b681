"""The AI SDK of Vercel: `ai.operationId`, tool calls as spans `ai.toolCall`."""

from __future__ import annotations

from typing import Any

from rightcall.wings.traces.content import ABSENT, first_text, parse_container
from rightcall.wings.traces.dialects.common import blank, definitions, read_asked, read_tokens
from rightcall.wings.traces.messages import read_answer
from rightcall.wings.traces.span import Observation, Span

NAME = "vercel"
MODEL = ("ai.generateText.doGenerate", "ai.streamText.doStream", "ai.generateObject.doGenerate")
AGENT = ("ai.generateText", "ai.streamText", "ai.generateObject")


def claims(span: Span) -> bool:
    return "ai.operationId" in span.attributes


def observe(span: Span) -> Observation:
    attributes = span.attributes
    observation = blank(span, NAME)
    operation = attributes["ai.operationId"]
    if operation == "ai.toolCall":
        observation.kind, observation.name = "tool", first_text(attributes.get("ai.toolCall.name"))
        observation.call_id = first_text(attributes.get("ai.toolCall.id"))
        observation.arguments = attributes.get(
            "ai.toolCall.args", attributes.get("ai.toolCall.input", ABSENT)
        )
        for name in ("ai.toolCall.result", "ai.toolCall.output"):
            if name in attributes:
                observation.result = parse_container(attributes[name])
    elif operation in MODEL:
        observation.kind = "llm"
        read_asked(observation, attributes.get("ai.prompt.messages"))
        calls = _calls(parse_container(attributes.get("ai.response.toolCalls", "[]")))
        text = first_text(attributes.get("ai.response.text"))
        if text or calls:
            observation.answer = read_answer({"role": "assistant", "content": text, "tool_calls": calls})
        observation.tools = definitions(attributes.get("ai.prompt.tools"))
        asked, answered = (f"ai.usage.{name}Tokens" for name in ("prompt", "completion"))
        read_tokens(
            observation, attributes, (asked, "ai.usage.inputTokens"), (answered, "ai.usage.outputTokens"), ()
        )
        observation.model = first_text(attributes.get("ai.model.id"))
        observation.finish = first_text(attributes.get("ai.response.finishReason"))
    elif operation in AGENT:
        observation.kind, observation.name = "agent", span.name
        observation.output = first_text(attributes.get("ai.response.text"))
    return observation


def _calls(value: Any) -> list[dict[str, Any]]:
    calls = value if isinstance(value, list) else []
    return [{**c, "name": c.get("toolName"), "id": c.get("toolCallId")} for c in calls if isinstance(c, dict)]
