"""The fields of messages: who speaks, and which fields can hold calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rightcall.core.errors import InputError, suggestion
from rightcall.records.call import ToolCall
from rightcall.records.dialects import wire
from rightcall.records.dialects.part_kinds import ARGUMENTS, ECHOES, LISTS, SINGLES
from rightcall.records.dialects.parts import read_part, type_of
from rightcall.records.dialects.unread_calls import OTHER_THINGS, refuse_unread
from rightcall.records.message import Role

ROLES: dict[str, Role] = {
    "user": "user", "assistant": "assistant", "system": "system", "tool": "tool", "developer": "system",
    "function": "tool", "model": "assistant", "human": "user", "ai": "assistant", "chatbot": "assistant",
    "agent": "assistant",
}  # fmt: skip

TYPES: dict[str, Role] = {
    "human": "user", "HumanMessage": "user", "HumanMessageChunk": "user", "UserMessage": "user",
    "ai": "assistant", "AIMessage": "assistant", "AIMessageChunk": "assistant", "AssistantMessage": "assistant",
    "ToolCallRequestEvent": "assistant", "ToolCallSummaryMessage": "assistant", "HandoffMessage": "assistant",
    "StopMessage": "assistant", "system": "system", "SystemMessage": "system", "SystemMessageChunk": "system",
    "tool": "tool", "ToolMessage": "tool", "ToolMessageChunk": "tool", "FunctionMessage": "tool", "function": "tool",
    "FunctionExecutionResultMessage": "tool", "ToolCallExecutionEvent": "tool",
}  # fmt: skip
"""Types of messages that say who speaks where there is no role: LangChain and AutoGen."""

PARTIES: dict[str, Role] = {"request": "user", "response": "assistant"}
"""The kinds of Pydantic AI's messages."""

SILENT_TYPES = frozenset(
    ("ThoughtEvent", "MemoryQueryEvent", "ModelClientStreamingChunkEvent", "SelectSpeakerEvent", "SelectorEvent",
     "UserInputRequestedEvent", "remove", "RemoveMessage")
)  # fmt: skip
"""Events between messages that say and call nothing."""

READ = frozenset(("content", "parts", "blocks", *LISTS, *SINGLES, *ECHOES))
"""Fields of a message that are read whole."""

FIELDS = frozenset((
    "role", "content", "parts", *LISTS, *SINGLES, *ECHOES, "tool_call_id", "refusal", "name", "type", "id",
    "additional_kwargs", "response_metadata", "usage_metadata", "results", "thinking", "reasoning_content",
    "reasoning", "tool_plan", "audio", "annotations", "status", "source", "metadata",
    "context", "blocks",
))  # fmt: skip
ENDINGS = ("finish_reason", "finishReason", "stop_reason", "stopReason")
"""Why an answer ended: only a model's answer says so."""
MISSPELT = ("role", "content", "tool_calls", "tool_call_id", "function_call", "refusal")


def role_of(item: dict[str, Any], where: str, path: str) -> Role:
    """Who speaks: by the role, otherwise by the type; a message of Gemini may have neither."""
    role = item.get("role")
    if isinstance(role, str) and role.lower() in ROLES:
        return ROLES[role.lower()]
    implied = _role_of(item) if role is None else None
    if implied is not None:
        return implied
    problem = f"{path}.role must be one of user, assistant, system, tool, got {role!r}"
    raise InputError(where, problem, suggestion(str(role), ROLES))


def _role_of(item: dict[str, Any]) -> Role | None:
    kind = type_of(item)
    parts = item.get("parts")
    if kind in TYPES:
        return TYPES[kind]
    if kind in ("TextMessage", "MultiModalMessage"):
        return "user" if item.get("source") == "user" else "assistant"
    if isinstance(parts, list):
        if item.get("kind") in PARTIES:
            return PARTIES[item["kind"]]
        read_parts = [read_part(part) for part in parts if isinstance(part, dict)]
        if any(part.call is not None for part in read_parts):
            return "assistant"
        if any(part.result is not None for part in read_parts):
            return "user"
    return "assistant" if any(name in item for name in ENDINGS) else None


def refuse_hidden_calls(item: dict[str, Any], calls: Sequence[ToolCall], where: str, path: str) -> None:
    """Reject a message with calls in a field that is not read, or that is itself written like a call. Those of `calls`
    are read.
    """
    if "name" in item and any(item.get(name) is not None for name in ARGUMENTS):
        problem = f"{path} is a message with the arguments of a call"
        raise InputError(where, problem, "write tool_calls: [{name, arguments}]")
    for name, value in item.items():
        if isinstance(value, list | dict) and value and name not in READ and name not in OTHER_THINGS:
            refuse_unread(value, calls, where, f"{path}.{name}")


def refuse_misspelt(item: dict[str, Any], where: str, path: str) -> None:
    """Reject a field whose name is nearly one that holds content or calls."""
    if not item.keys() <= FIELDS:
        unknown = {name: item[name] for name in item if name not in FIELDS}
        wire.refuse_misspelt(unknown, MISSPELT, where, path)
