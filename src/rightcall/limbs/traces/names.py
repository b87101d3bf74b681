"""Attribute names of the GenAI semantic conventions, as of November 2026 (all of status Development).

Source: semantic-conventions 1.41.1, the last with them, and semantic-conventions-genai `gen-ai-dev/1.42.0-dev`.
Names that begin with `gen_ai.` and are not here are counted and shown, so that a renamed one is noticed.
"""

from __future__ import annotations

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
RESPONSE_ID = "gen_ai.response.id"

TAGS = (
    "rightcall.intent", "intent", "tag.tags", "langfuse.trace.tags", "langfuse.trace.metadata.intent",
    "traceloop.association.properties.intent", "lmnr.association.properties.tags",
    "lmnr.association.properties.metadata.intent",
)  # fmt: skip
"""Where applications and instrumentations keep the intent and the tags of a trace."""

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
