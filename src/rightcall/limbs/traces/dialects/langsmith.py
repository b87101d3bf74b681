"""LangSmith: runs of type llm, tool and chain; its export, or that of LangChain's tracer: rows, or trees of runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.limbs.traces.content import ABSENT, as_dict, as_dicts, as_text, first_text, parse_container
from rightcall.limbs.traces.dialects.common import blank, definitions
from rightcall.limbs.traces.messages import read_answer, read_messages
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.span import Observation, Span, SpanEvent, free_id_of, nanoseconds

NAME = "langsmith"
RUN_TYPE, INPUTS, OUTPUTS, EXTRA = (
    f"langsmith.{name}" for name in ("run_type", "inputs", "outputs", "extra")
)

TOKENS = (("input_tokens", "prompt_tokens"), ("output_tokens", "completion_tokens"), ("cache_read",))


def claims(span: Span) -> bool:
    return RUN_TYPE in span.attributes


def observe(span: Span) -> Observation:
    attributes = span.attributes
    observation = blank(span, NAME)
    inputs = as_dict(attributes.get(INPUTS))
    outputs = attributes.get(OUTPUTS, ABSENT)
    extra = as_dict(attributes.get(EXTRA))
    metadata = as_dict(extra.get("metadata"))
    observation.session = first_text(observation.session, metadata.get("thread_id"), metadata.get("session_id"),
                               metadata.get("conversation_id"))  # fmt: skip
    kind = attributes[RUN_TYPE]
    if kind == "tool":
        observation.kind = "tool"
        observation.name = span.name
        observation.loose = True
        observation.call_id = as_text(extra.get("tool_call_id"))
        observation.arguments = inputs["input"] if set(inputs) == {"input"} else inputs or ABSENT
        if outputs is not ABSENT and outputs:
            is_wrapped = isinstance(outputs, dict) and set(outputs) == {"output"}
            observation.read_result(outputs["output"] if is_wrapped else outputs)
    elif kind in ("llm", "chat"):
        _model(observation, inputs, outputs, extra, metadata=metadata)
    elif not span.parent_id:
        observation.kind = "agent"
        observation.name = span.name
        asked = read_messages(inputs)
        observation.question = next((m.text for m in reversed(asked or []) if m.role == "user"), "")
    return observation


def _model(
    observation: Observation,
    inputs: dict[str, Any],
    outputs: Any,
    extra: dict[str, Any],
    metadata: dict[str, Any],
) -> None:
    observation.kind = "llm"
    if "prompts" not in inputs:  # one string with all messages cannot be split reliably
        observation.read_asked(inputs)
    observation.answer = read_answer(outputs)
    usage = _usage(outputs)
    counts = {**usage, **as_dict(usage.get("input_token_details"))}
    observation.read_tokens(counts, *TOKENS)
    parameters = as_dict(extra.get("invocation_params"))
    observation.tools = definitions(parameters.get("tools") or inputs.get("tools"))
    observation.model = first_text(metadata.get("ls_model_name"), parameters.get("model"))


def _usage(value: Any) -> dict[str, Any]:
    """The first usage anywhere in an output, without recursion."""
    layer = [value]
    for _ in range(8):
        deeper: list[Any] = []
        for item in layer:
            if isinstance(item, dict):
                for key in ("usage_metadata", "token_usage", "usage"):
                    if isinstance(usage := item.get(key), dict) and usage:
                        return usage
                deeper += [v for v in item.values() if isinstance(v, dict | list)]
            elif isinstance(item, list):
                deeper += item[:50]
        layer = deeper
    return {}


def claims_record(record: dict[str, Any]) -> bool:
    return isinstance(record.get("run_type"), str) and any(
        key in record for key in ("trace_id", "dotted_order", "id")
    )


def spans(record: dict[str, Any], problems: Problems, where: str) -> Iterator[Span]:
    waiting: list[tuple[dict[str, Any], str, str]] = [(record, "", "")]
    while waiting:
        raw, trace_id, parent = waiting.pop()
        span_id = free_id_of(raw.get("id") or raw.get("run_id"))
        own = "" if raw.get("parent_run_id") else span_id
        trace_id = free_id_of(raw.get("trace_id")) or trace_id or own
        if not trace_id or not span_id:
            problems.add("span_id" if trace_id else "trace_id", where)
            continue
        yield _span_of(raw, trace_id, span_id, free_id_of(raw.get("parent_run_id")) or parent)
        waiting += [(child, trace_id, span_id) for child in as_dicts(raw.get("child_runs"))]


def _span_of(raw: dict[str, Any], trace_id: str, span_id: str, parent: str) -> Span:
    error = raw.get("error")
    kind = raw.get("run_type")
    failed = bool(error) or raw.get("status") == "error"
    attributes: dict[str, Any] = {RUN_TYPE: kind if isinstance(kind, str) else "chain"}
    for name, key in ((INPUTS, "inputs"), (OUTPUTS, "outputs"), (EXTRA, "extra")):
        if raw.get(key) is not None:
            attributes[name] = parse_container(raw[key])
    if isinstance(session := raw.get("thread_id"), str):
        attributes["thread_id"] = session
    text = error if isinstance(error, str) else ""
    return Span(
        trace_id,
        span_id,
        parent,
        raw["name"] if isinstance(raw.get("name"), str) else "",
        start=nanoseconds(raw.get("start_time")),
        end=nanoseconds(raw.get("end_time")),
        status="error" if failed else "ok",
        message=text[:2000],
        attributes=attributes,
        scope="langsmith",
        events=[SpanEvent("exception", {"exception.message": text[:2000]})] if text else [],
    )
