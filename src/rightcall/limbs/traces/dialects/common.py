"""Attribute names of the GenAI semantic conventions, and what the dialects share.

The names are those of November 2026, all of status Development: semantic-conventions 1.41.1, the last with them, and
semantic-conventions-genai `gen-ai-dev/1.42.0-dev`. Names that begin with `gen_ai.` and are not here are counted and
shown, so that a renamed one is noticed.
"""

from __future__ import annotations

from typing import Any

from rightcall.limbs.traces.content import ABSENT, as_dict, as_list, first_text, json_value, parse_container
from rightcall.limbs.traces.span import Observation, Span

OPERATION = "gen_ai.operation.name"
TOOL_NAME = "gen_ai.tool.name"
CALL_ID = "gen_ai.tool.call.id"
CALL_ARGUMENTS = "gen_ai.tool.call.arguments"
CALL_RESULT = "gen_ai.tool.call.result"
INPUT_MESSAGES = "gen_ai.input.messages"
OUTPUT_MESSAGES = "gen_ai.output.messages"
SYSTEM = "gen_ai.system_instructions"
TOOLS = "gen_ai.tool.definitions"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHED_TOKENS = "gen_ai.usage.cache_read.input_tokens"
CONVERSATION = "gen_ai.conversation.id"
AGENT_NAME = "gen_ai.agent.name"
AGENT_VERSION = "gen_ai.agent.version"
REQUEST_MODEL = "gen_ai.request.model"
RESPONSE_MODEL = "gen_ai.response.model"
FINISH_REASONS = "gen_ai.response.finish_reasons"

TOOL_OPERATIONS = frozenset({"execute_tool"})
MODEL_OPERATIONS = frozenset({"chat", "generate_content", "text_completion"})
AGENT_OPERATIONS = frozenset({"invoke_agent", "invoke_workflow"})

KNOWN = frozenset(
    {
        OPERATION, TOOL_NAME, CALL_ID, CALL_ARGUMENTS, CALL_RESULT, INPUT_MESSAGES, OUTPUT_MESSAGES, SYSTEM, TOOLS,
        CONVERSATION, AGENT_NAME, AGENT_VERSION, "gen_ai.system", "gen_ai.provider.name", "gen_ai.tool.type",
        "gen_ai.tool.description", "gen_ai.agent.id", "gen_ai.agent.description", "gen_ai.output.type",
        "gen_ai.token.type", "gen_ai.data_source.id", "gen_ai.workflow.name", "gen_ai.embeddings.dimension.count",
        "gen_ai.agent.call.id", "gen_ai.tool.json_schema", "gen_ai.tool.status", "gen_ai.agent.tools",
        "gen_ai.event.start_time", "gen_ai.event.end_time",
    }
)  # fmt: skip
KNOWN_BEGINNINGS = (
    "gen_ai.request.", "gen_ai.response.", "gen_ai.usage.", "gen_ai.prompt.", "gen_ai.completion.",
    "gen_ai.evaluation.", "gen_ai.aggregated_usage.", "gen_ai.openai.", "gen_ai.azure.", "gen_ai.server.",
)  # fmt: skip


def is_unknown(name: str) -> bool:
    """Whether a name uses the prefix of the conventions but is not part of them."""
    return name.startswith("gen_ai.") and name not in KNOWN and not name.startswith(KNOWN_BEGINNINGS)


SESSIONS = (
    "gen_ai.conversation.id", "session.id", "langfuse.session.id", "mlflow.trace.session",
    "lmnr.association.properties.session_id", "traceloop.association.properties.session_id", "thread_id", "session_id",
)  # fmt: skip
VERSIONS = ("gen_ai.agent.version", "agent.version", "langfuse.version", "service.version")


def blank(span: Span, spelling: str) -> Observation:
    """An empty observation with what every span has: whether it failed, and its agent."""
    attributes = span.attributes
    kind = attributes.get("error.type")
    failed = span.status == "error" or (isinstance(kind, str) and kind != "")
    return Observation(
        span,
        "other",
        spelling,
        failed=failed,
        error=_error_text(span) if failed else "",
        session=session_of(attributes),
        version=first_text(*map(attributes.get, VERSIONS), *map(span.resource.get, VERSIONS)),
    )


def session_of(attributes: dict[str, Any]) -> str:
    """The conversation that a span belongs to, in any format."""
    return first_text(*map(attributes.get, SESSIONS))


def _error_text(span: Span) -> str:
    for event in span.events:
        if event.name == "exception":
            kind = event.attributes.get("exception.type")
            message = event.attributes.get("exception.message")
            return ": ".join(str(part) for part in (kind, message) if part)
    kind = span.attributes.get("error.type")
    return span.message or (kind if isinstance(kind, str) else "")


def definitions(value: Any) -> list[dict[str, Any]]:
    """Tool definitions of a list, or of a JSON text of one."""
    value = parse_container(value)
    definitions_or_lists = value if isinstance(value, list) else [value]
    return [tool for item in definitions_or_lists if isinstance(tool := parse_container(item), dict) and tool]


def own_arguments(value: Any) -> Any:
    """What a decorated function was called with, without its wrapper `{"args": [], "kwargs": {…}}`.

    Positional arguments have no names there, so they are unknown.
    """
    value = parse_container(value)
    held = as_dict(value)
    if isinstance(held.get("kwargs"), dict) and isinstance(held.get("args"), list):
        return held["kwargs"] if not held["args"] else ABSENT
    return value


def only_text(value: Any) -> str:
    """A text, or the only text among the arguments of a function; empty for anything else."""
    value = json_value(value)
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    return value if isinstance(value, str) else ""


BLOCKS = frozenset(
    {"text", "json", "toolUse", "toolResult", "image", "document", "video", "reasoningContent", "cachePoint"}
)
"""Keys of Bedrock's content blocks, which have no type."""


def with_blocks(value: Any) -> Any:
    """The content of a message: its list of Bedrock's blocks if it is the JSON text of one, otherwise as it is."""
    blocks = as_list(parse_container(value))
    is_blocks = blocks and all(isinstance(b, dict) and len(b) == 1 and set(b) <= BLOCKS for b in blocks)
    return blocks if is_blocks else value


def block_result(value: Any) -> Any:
    """A tool's result out of Bedrock's blocks: the only text or JSON, or all blocks."""
    read = with_blocks(value)
    if isinstance(read, list) and len(read) == 1 and isinstance(read[0], dict) and len(read[0]) == 1:
        ((kind, held),) = read[0].items()
        if kind in ("text", "json"):
            return parse_container(held)
    return read
