"""The AI SDK of Vercel: `ai.operationId`, tool calls as spans `ai.toolCall`."""

from __future__ import annotations

from rightcall.limbs.traces.content import ABSENT, as_dicts, first_text, parse_container
from rightcall.limbs.traces.dialects.common import blank, definitions
from rightcall.limbs.traces.messages import read_answer
from rightcall.limbs.traces.span import Observation, Span

NAME = "vercel"
MODEL = ("ai.generateText.doGenerate", "ai.streamText.doStream", "ai.generateObject.doGenerate")
TOKENS = (
    ("ai.usage.promptTokens", "ai.usage.inputTokens"),
    ("ai.usage.completionTokens", "ai.usage.outputTokens"),
)
AGENT = ("ai.generateText", "ai.streamText", "ai.generateObject")


def claims(span: Span) -> bool:
    return "ai.operationId" in span.attributes


def observe(span: Span) -> Observation:
    attributes = span.attributes
    observation = blank(span, NAME)
    operation = attributes["ai.operationId"]
    if operation == "ai.toolCall":
        observation.kind = "tool"
        observation.name = first_text(attributes.get("ai.toolCall.name"))
        observation.call_id = first_text(attributes.get("ai.toolCall.id"))
        observation.arguments = attributes.get(
            "ai.toolCall.args", attributes.get("ai.toolCall.input", ABSENT)
        )
        for name in ("ai.toolCall.result", "ai.toolCall.output"):
            if name in attributes:
                observation.result = parse_container(attributes[name])
    elif operation in MODEL:
        observation.kind = "llm"
        observation.read_asked(attributes.get("ai.prompt.messages"))
        made = as_dicts(parse_container(attributes.get("ai.response.toolCalls")))
        calls = [{**call, "name": call.get("toolName"), "id": call.get("toolCallId")} for call in made]
        text = first_text(attributes.get("ai.response.text"))
        if text or calls:
            observation.answer = read_answer({"role": "assistant", "content": text, "tool_calls": calls})
        observation.tools = definitions(attributes.get("ai.prompt.tools"))
        observation.read_tokens(attributes, *TOKENS)
        observation.model = first_text(attributes.get("ai.model.id"))
        observation.finish = first_text(attributes.get("ai.response.finishReason"))
    elif operation in AGENT:
        observation.kind = "agent"
        observation.name = span.name
        observation.output = first_text(attributes.get("ai.response.text"))
    return observation
