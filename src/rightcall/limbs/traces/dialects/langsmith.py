"""LangSmith: runs of type llm, tool and chain, in LangChain's format."""

from __future__ import annotations

from typing import Any

from rightcall.limbs.traces.content import ABSENT, as_dict, as_text, first_text
from rightcall.limbs.traces.dialects.common import blank, definitions
from rightcall.limbs.traces.messages import read_answer, read_messages
from rightcall.limbs.traces.span import Observation, Span

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
