"""OpenTelemetry's GenAI conventions: `gen_ai.operation.name` says what a span is."""

from __future__ import annotations

from typing import Any

from rightcall.limbs.traces.content import ABSENT, as_dict, as_text, first_text, parse_container
from rightcall.limbs.traces.dialects import common as names
from rightcall.limbs.traces.dialects.common import blank, block_result, definitions, with_blocks
from rightcall.limbs.traces.messages import (
    SpokenMessage,
    read_answer,
    read_message,
    read_messages,
)
from rightcall.limbs.traces.span import Observation, Span, without_system

NAME = "genai"
PSEUDO_TOOLS = frozenset({"(merged tools)"})
"""Google ADK adds a span that merges parallel calls."""
EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
TOOL_EVENTS = ("gen_ai.choice", "gen_ai.tool.message")
UNSPECIFIED = ("<not specified>", '"<not specified>"', '{"result": "<not specified>"}')
"""What Google ADK writes for an id or a result that it does not know, as when a tool raises."""
TOKENS = (
    (names.INPUT_TOKENS, "gen_ai.usage.prompt_tokens"),
    (names.OUTPUT_TOKENS, "gen_ai.usage.completion_tokens"),
    (names.CACHED_TOKENS,),
)
DETAILS = "gen_ai.client.inference.operation.details"


def claims(span: Span) -> bool:
    return names.OPERATION in span.attributes or names.TOOL_NAME in span.attributes


def observe(span: Span) -> Observation:
    observation = blank(span, NAME)
    attributes = _with_details(span)
    operation = first_text(attributes.get(names.OPERATION))
    if operation in names.TOOL_OPERATIONS or (not operation and names.TOOL_NAME in attributes):
        read_tool(observation, attributes)
    elif operation in names.MODEL_OPERATIONS:
        read_model(observation, attributes)
    elif operation in names.AGENT_OPERATIONS:
        observation.kind = "agent"
        observation.name = first_text(
            attributes.get(names.AGENT_NAME), attributes.get("gen_ai.workflow.name"), span.name
        )
        observation.read_tokens(attributes, *TOKENS)
        observation.model = first_text(attributes.get(names.REQUEST_MODEL))
        observation.asked = read_messages(attributes.get(names.INPUT_MESSAGES))
        observation.tools = definitions(attributes.get(names.TOOLS))
    return observation


def read_tool(observation: Observation, attributes: dict[str, Any]) -> None:
    name = first_text(attributes.get(names.TOOL_NAME))
    if name in PSEUDO_TOOLS:
        return
    observation.kind = "tool"
    observation.name = name
    observation.call_id = first_text(attributes.get(names.CALL_ID))
    observation.arguments = attributes.get(names.CALL_ARGUMENTS, ABSENT)
    if names.CALL_RESULT in attributes:
        observation.read_result(attributes[names.CALL_RESULT])
    elif (told := read_messages(attributes.get(names.OUTPUT_MESSAGES))) and told[-1].results:
        observation.result = told[-1].results[-1].output
    _read_tool_events(observation)
    if _is_strands(observation.span):
        observation.result = block_result(observation.result)
    observation.failed = observation.failed or attributes.get("gen_ai.tool.status") == "error"
    if name and (schema := as_dict(parse_container(attributes.get("gen_ai.tool.json_schema")))):
        described = first_text(attributes.get("gen_ai.tool.description"))
        observation.tools = [{"name": name, "description": described, "input_schema": schema}]


def _read_tool_events(observation: Observation) -> None:
    """What versions up to 1.36 sent as events: the result. Strands sends the arguments as a message before it."""
    sent = {event.name: event.attributes for event in observation.span.events if event.name in TOOL_EVENTS}
    if "gen_ai.tool.message" in sent and ("gen_ai.choice" in sent or _is_strands(observation.span)):
        asked = sent.pop("gen_ai.tool.message")
        if observation.arguments is ABSENT and "content" in asked:
            observation.arguments = asked["content"]
    for held in sent.values():
        if observation.result is ABSENT and ("message" in held or "content" in held):
            body = parse_container(held.get("message", held.get("content")))
            observation.result = (
                parse_container(body.get("content", body)) if isinstance(body, dict) else body
            )


def _is_strands(span: Span) -> bool:
    return span.scope.startswith("strands.") or "strands-agents" in (
        span.attributes.get("gen_ai.system"),
        span.attributes.get("gen_ai.provider.name"),
    )


def read_model(observation: Observation, attributes: dict[str, Any]) -> None:
    observation.kind = "llm"
    asked = attributes.get(names.INPUT_MESSAGES)
    observation.asked = read_messages(asked) if asked is not None else None
    if names.OUTPUT_MESSAGES in attributes:
        answers = read_messages(attributes[names.OUTPUT_MESSAGES])
        observation.answer = next((m for m in reversed(answers or []) if m.role == "assistant"), None)
        observation.broken_answer = observation.answer is None or observation.answer.malformed
    instructions = parse_container(attributes.get(names.SYSTEM))
    if instructions:
        parts = instructions if isinstance(instructions, list) else [instructions]
        message = read_message({"role": "system", "parts": parts})
        observation.system = message.text if message is not None else ""
    observation.tools = definitions(attributes.get(names.TOOLS))
    _read_events(observation)
    system, observation.asked = without_system(observation.asked)
    observation.system = observation.system or system
    observation.read_tokens(attributes, *TOKENS)
    observation.model = first_text(attributes.get(names.RESPONSE_MODEL), attributes.get(names.REQUEST_MODEL))
    reasons = attributes.get(names.FINISH_REASONS)
    last = reasons[-1] if isinstance(reasons, list) and reasons else reasons
    observation.finish = first_text(last)


def _with_details(span: Span) -> dict[str, Any]:
    """The attributes, and those of the span's events where it has none: a request and an answer may be two events."""
    details: dict[str, Any] = {}
    for event in span.events:
        if event.name == DETAILS:
            details = {**event.attributes, **as_dict(event.attributes.get("body")), **details}
    held = {**details, **span.attributes}
    return {name: value for name, value in held.items() if value not in UNSPECIFIED}


def _read_events(observation: Observation) -> None:
    """Messages that versions up to 1.36 sent as events."""
    asked: list[SpokenMessage] = []
    for event in observation.span.events:
        body = parse_container(event.attributes.get("body", event.attributes))
        if not isinstance(body, dict):
            continue
        if event.name in EVENTS:
            more = {
                "tool_calls": parse_container(body.get("tool_calls")),
                "content": with_blocks(body.get("content")),
            }
            message = read_message({**body, "role": EVENTS[event.name], **more})
            if message is not None:
                asked.append(message)
        elif event.name == "gen_ai.choice" and observation.answer is None:
            held = parse_container(body.get("message", body))
            extra = {"tool_calls": parse_container(body["tool_calls"])} if "tool_calls" in body else {}
            held = {"role": "assistant", **held, **extra} if isinstance(held, dict) else as_text(held)
            observation.answer = read_answer(held)
            if observation.answer is not None:
                observation.answer.finish = observation.answer.finish or as_text(body.get("finish_reason"))
    if asked and observation.asked is None:
        observation.asked = asked
