"""OpenInference (Phoenix, Arize): `openinference.span.kind`, messages under numbered names.

Its export is that of Phoenix and what the OpenTelemetry SDK prints: `context` with the ids, plain attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any

from msgspec.structs import replace

from rightcall.agents.observed.framework_names import graph_place
from rightcall.limbs.traces.content import (
    ABSENT,
    as_dict,
    as_dicts,
    first_text,
    json_value,
    nest_attributes,
    parse_container,
)
from rightcall.limbs.traces.dialects.common import blank, definitions, own_arguments
from rightcall.limbs.traces.messages import SpokenMessage, merge_answers, read_answer, read_messages
from rightcall.limbs.traces.otlp import STATUS
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.span import (
    Observation,
    ObservedKind,
    Span,
    SpanEvent,
    free_id_of,
    nanoseconds,
    span_id_of,
    trace_id_of,
)

NAME = "openinference"
KIND = "openinference.span.kind"
KINDS: dict[str, ObservedKind] = {"LLM": "llm", "TOOL": "tool", "AGENT": "agent"}
PSEUDO_TOOLS = frozenset({"final_answer"})
"""The pseudo-tool by which smolagents ends."""
HANDOFF = "handoff to "
SAYS_ERROR = re.compile(r'"status":\s*"error"|"is_error":\s*true')


def claims(span: Span) -> bool:
    return KIND in span.attributes


def observe(span: Span) -> Observation:
    attributes = span.attributes
    observation = blank(span, NAME)
    kind = attributes.get(KIND)
    observation.kind = KINDS.get(kind.upper(), "other") if isinstance(kind, str) else "other"
    if observation.kind == "tool":
        _tool(observation, attributes)
    elif observation.kind == "llm":
        _model(observation, attributes)
    elif observation.kind == "agent":
        observation.name = first_text(attributes.get("agent.name"), span.name)
        question = parse_container(attributes.get("input.value"))
        observation.question = question if isinstance(question, str) else ""
    if observation.kind in ("tool", "llm") and "metadata" in attributes:
        observation.graph = graph_place(parse_container(attributes["metadata"]))
    return observation


def _tool(observation: Observation, attributes: dict[str, Any]) -> None:
    observation.name = first_text(attributes.get("tool.name"), observation.span.name)
    if observation.name in PSEUDO_TOOLS:
        observation.kind = "other"
        return
    if observation.span.scope.endswith("openai_agents") and observation.span.name.startswith(HANDOFF):
        agent = first_text(attributes.get("output.value")) or observation.name.removeprefix(HANDOFF)
        observation.handoff = agent
        observation.name = re.sub(r"\W", "_", f"transfer_to_{agent}").lower()  # as the SDK names the call
        return
    observation.call_id = first_text(attributes.get("tool_call.id"), attributes.get("tool.id"))
    arguments = attributes.get("input.value", attributes.get("tool_call.function.arguments", ABSENT))
    observation.arguments = own_arguments(arguments)
    observation.loose = True
    if "output.value" in attributes:
        observation.read_result(_value(attributes, "output"))
    schema = parse_container(attributes.get("tool.parameters"))
    if isinstance(schema, dict) and schema.get("type") == "object":
        description = first_text(attributes.get("tool.description"))
        observation.tools = [{"name": observation.name, "description": description, "input_schema": schema}]


def _model(observation: Observation, attributes: dict[str, Any]) -> None:
    observation.read_asked(nest_attributes(attributes, "llm.input_messages"))
    _mark_failed(observation.asked, attributes.get("input.value"))
    answers = nest_attributes(attributes, "llm.output_messages")
    if isinstance(answers, list):
        read = [message for item in answers if (message := read_answer(item)) is not None]
        observation.answer = next(iter(merge_answers(read)[-1:]), None)
    observation.answer = _complete_answer(observation.answer, attributes)
    offered = [as_dict(item.get("tool")) for item in as_dicts(nest_attributes(attributes, "llm.tools"))]
    observation.tools = list(chain.from_iterable(definitions(raw.get("json_schema")) for raw in offered))
    counts = (f"llm.token_count.{name}" for name in ("prompt", "completion", "prompt_details.cache_read"))
    observation.read_tokens(attributes, *((name,) for name in counts))
    observation.model = first_text(attributes.get("llm.model_name"))
    observation.finish = first_text(attributes.get("llm.finish_reason"))


def _complete_answer(answer: SpokenMessage | None, attributes: dict[str, Any]) -> SpokenMessage | None:
    """The answer completed from the raw reply: LangChain's invalid calls, and arguments that are an empty object."""
    if answer is None or not (answer.text or answer.calls):
        return _raw_answer(attributes) or answer
    unknown = [called for called in answer.calls if called.arguments is ABSENT]
    raw = _raw_answer(attributes) if unknown else None
    recorded = {called.id: called.arguments for called in (raw.calls if raw else ()) if called.id}
    for called in unknown:
        called.arguments = recorded.get(called.id, ABSENT)
    return answer


def _raw_answer(attributes: dict[str, Any]) -> SpokenMessage | None:
    value = _value(attributes, "output")
    return read_answer(value) if isinstance(value, dict | list) else None


def _mark_failed(asked: list[SpokenMessage] | None, messages: Any) -> None:
    """Mark results that LangChain's or Anthropic's messages call errors; the flattened form cannot express that."""
    if not asked or not isinstance(messages, str) or not SAYS_ERROR.search(messages):
        return
    spoken = read_messages(messages) or []
    results = chain.from_iterable(message.results for message in spoken)
    failed = {result.call_id for result in results if result.is_error and result.call_id}
    for message in asked:
        message.results = [
            replace(result, is_error=True) if result.call_id in failed else result
            for result in message.results
        ]


def _value(attributes: dict[str, Any], side: str) -> Any:
    read = json_value if attributes.get(f"{side}.mime_type") == "application/json" else parse_container
    return read(attributes.get(f"{side}.value"))


DEEPEST = 12


def claims_record(record: dict[str, Any]) -> bool:
    context = record.get("context")
    return (isinstance(context, dict) and "span_id" in context) or "context.span_id" in record


def spans(record: dict[str, Any], problems: Problems, where: str) -> Iterator[Span]:
    context = as_dict(record.get("context"))
    status = as_dict(record.get("status"))
    own = context.get("trace_id", record.get("context.trace_id"))
    trace_id = trace_id_of(own) or free_id_of(own)
    own_span = context.get("span_id", record.get("context.span_id"))
    span_id = span_id_of(own_span) or free_id_of(own_span)
    if not trace_id or not span_id:
        problems.add("span_id" if trace_id else "trace_id", where)
        return
    attributes = {
        k.removeprefix("attributes."): v
        for k, v in record.items()
        if k.startswith("attributes.") and v is not None
    }
    attributes |= flatten_attributes(as_dict(record.get("attributes")))
    kind = record.get("span_kind")
    if isinstance(kind, str) and "openinference.span.kind" not in attributes:
        attributes["openinference.span.kind"] = kind
    code = record.get("status_code", status.get("status_code"))
    parent = record.get("parent_id")
    yield Span(
        trace_id,
        span_id,
        span_id_of(parent) or free_id_of(parent),
        record["name"] if isinstance(record.get("name"), str) else "",
        start=nanoseconds(record.get("start_time")),
        end=nanoseconds(record.get("end_time")),
        status=STATUS.get(code, "") if isinstance(code, str) else "",
        message=str(record.get("status_message") or status.get("description") or ""),
        attributes=attributes,
        resource=flatten_attributes(as_dict(as_dict(record.get("resource")).get("attributes"))),
        events=[
            SpanEvent(str(e.get("name") or ""), flatten_attributes(as_dict(e.get("attributes"))))
            for e in as_dicts(record.get("events"))
        ],
    )


def flatten_attributes(value: dict[str, Any]) -> dict[str, Any]:
    """Nested attributes flattened to dotted and numbered names, as they originally were."""
    attributes: dict[str, Any] = {}
    waiting: list[tuple[str, Any, int]] = [("", value, 0)]
    while waiting:
        name, held, depth = waiting.pop()
        if isinstance(held, dict) and held and depth < DEEPEST:
            waiting += [
                (f"{name}.{key}" if name else str(key), inner, depth + 1) for key, inner in held.items()
            ]
        elif isinstance(held, list) and held and isinstance(held[0], dict) and depth < DEEPEST:
            waiting += [(f"{name}.{i}", inner, depth + 1) for i, inner in enumerate(held)]
        elif name and held is not None:
            attributes[name] = held
    return attributes
