"""LangSmith: runs of type llm, tool and chain, in LangChain's format."""

from __future__ import annotations

from typing import Any

from rightcall.wings.traces.content import ABSENT, as_text, first_text, whole_number
from rightcall.wings.traces.dialects.common import (
    blank,
    definitions,
    told_id,
    unwrapped_output,
    without_system,
)
from rightcall.wings.traces.messages import read_answer, read_messages
from rightcall.wings.traces.observation import Observation
from rightcall.wings.traces.span import Span

NAME = "langsmith"
RUN_TYPE, INPUTS, OUTPUTS, EXTRA = (
    "langsmith.run_type",
    "langsmith.inputs",
    "langsmith.outputs",
    "langsmith.extra",
)


def claims(span: Span) -> bool:
    return RUN_TYPE in span.attributes


def observe(span: Span) -> Observation:
    attributes = span.attributes
    found = blank(span, NAME)
    inputs, outputs = _dict(attributes.get(INPUTS)), attributes.get(OUTPUTS, ABSENT)
    extra = _dict(attributes.get(EXTRA))
    metadata = _dict(extra.get("metadata"))
    found.session = first_text(found.session, metadata.get("thread_id"), metadata.get("session_id"),
                               metadata.get("conversation_id"))  # fmt: skip
    kind = attributes[RUN_TYPE]
    if kind == "tool":
        found.kind, found.name, found.loose = "tool", span.name, True
        found.call_id = as_text(extra.get("tool_call_id"))
        found.arguments = _tool_input(inputs)
        if outputs is not ABSENT and outputs:
            found.result, failed = unwrapped_output(_only_output(outputs))
            found.failed = found.failed or failed
            found.call_id = found.call_id or told_id(outputs)
    elif kind in ("llm", "chat"):
        _model(found, inputs, outputs, extra, metadata)
    elif not span.parent_id:
        found.kind, found.name = "agent", span.name
        asked = read_messages(inputs)
        found.question = next((m.text for m in reversed(asked or []) if m.role == "user"), "")
    return found


def _model(
    found: Observation, inputs: dict[str, Any], outputs: Any, extra: dict[str, Any], metadata: dict[str, Any]
) -> None:
    found.kind = "llm"
    if "prompts" not in inputs:  # one string with all messages cannot be split reliably
        found.system, found.asked = without_system(read_messages(inputs))
    found.answer = read_answer(outputs) if outputs is not ABSENT and outputs is not None else None
    usage = _usage(outputs)
    found.input_tokens = whole_number(usage.get("input_tokens", usage.get("prompt_tokens")))
    found.output_tokens = whole_number(usage.get("output_tokens", usage.get("completion_tokens")))
    details = _dict(usage.get("input_token_details"))
    found.cached_tokens = whole_number(details.get("cache_read"))
    parameters = _dict(extra.get("invocation_params"))
    tools = parameters.get("tools") or inputs.get("tools")
    found.tools = definitions(tools) if tools else []
    found.model = first_text(metadata.get("ls_model_name"), parameters.get("model"))
    found.finish = found.answer.finish if found.answer else ""


def _usage(value: Any) -> dict[str, Any]:
    """The first usage anywhere in an output, without recursion."""
    layer = [value]
    for _ in range(8):
        deeper: list[Any] = []
        for item in layer:
            if isinstance(item, dict):
                for key in ("usage_metadata", "token_usage", "usage"):
                    if isinstance(found := item.get(key), dict) and found:
                        return found
                deeper += [v for v in item.values() if isinstance(v, dict | list)]
            elif isinstance(item, list):
                deeper += item[:50]
        layer = deeper
    return {}


def _only_output(outputs: Any) -> Any:
    return outputs["output"] if isinstance(outputs, dict) and set(outputs) == {"output"} else outputs


def _tool_input(inputs: dict[str, Any]) -> Any:
    if set(inputs) == {"input"}:
        return inputs["input"]
    return inputs if inputs else ABSENT


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
