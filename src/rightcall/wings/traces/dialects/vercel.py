"""The AI SDK of Vercel: `ai.operationId`, tool calls as spans `ai.toolCall`."""

from __future__ import annotations

from typing import Any

from rightcall.wings.traces.content import ABSENT, first_text, parsed, whole_number
from rightcall.wings.traces.dialects.common import blank, definitions, without_system
from rightcall.wings.traces.messages import read_answer, read_messages
from rightcall.wings.traces.observation import Observation
from rightcall.wings.traces.span import Span

NAME = "vercel"
MODEL = ("ai.generateText.doGenerate", "ai.streamText.doStream", "ai.generateObject.doGenerate")
AGENT = ("ai.generateText", "ai.streamText", "ai.generateObject")


def claims(span: Span) -> bool:
    return "ai.operationId" in span.attributes


def observe(span: Span) -> Observation:
    attributes = span.attributes
    found = blank(span, NAME)
    operation = attributes["ai.operationId"]
    if operation == "ai.toolCall":
        found.kind, found.name = "tool", first_text(attributes.get("ai.toolCall.name"))
        found.call_id = first_text(attributes.get("ai.toolCall.id"))
        found.arguments = attributes.get("ai.toolCall.args", attributes.get("ai.toolCall.input", ABSENT))
        for name in ("ai.toolCall.result", "ai.toolCall.output"):
            if name in attributes:
                found.result = parsed(attributes[name])
    elif operation in MODEL:
        found.kind = "llm"
        asked = attributes.get("ai.prompt.messages")
        found.system, found.asked = without_system(read_messages(asked) if asked is not None else None)
        calls = _calls(parsed(attributes.get("ai.response.toolCalls", "[]")))
        text = first_text(attributes.get("ai.response.text"))
        if text or calls:
            found.answer = read_answer({"role": "assistant", "content": text, "tool_calls": calls})
        found.tools = definitions(attributes["ai.prompt.tools"]) if "ai.prompt.tools" in attributes else []
        found.input_tokens = whole_number(
            attributes.get("ai.usage.promptTokens", attributes.get("ai.usage.inputTokens"))
        )
        found.output_tokens = whole_number(
            attributes.get("ai.usage.completionTokens", attributes.get("ai.usage.outputTokens"))
        )
        found.model = first_text(attributes.get("ai.model.id"))
        found.finish = first_text(attributes.get("ai.response.finishReason"))
    elif operation in AGENT:
        found.kind, found.name = "agent", span.name
        found.output = first_text(attributes.get("ai.response.text"))
    return found


def _calls(value: Any) -> list[dict[str, Any]]:
    found = value if isinstance(value, list) else []
    return [{**c, "name": c.get("toolName"), "id": c.get("toolCallId")} for c in found if isinstance(c, dict)]
