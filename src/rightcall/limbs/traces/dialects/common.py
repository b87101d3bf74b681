"""Shared by the dialects."""

from __future__ import annotations

from typing import Any

from rightcall.limbs.traces.content import ABSENT, as_dict, as_list, first_text, json_value, parse_container
from rightcall.limbs.traces.span import Observation, Span

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
