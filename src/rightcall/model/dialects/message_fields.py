"""The fields of messages: who speaks, and which fields can hold calls."""

from __future__ import annotations

from typing import Any

from rightcall.errors import InputError, suggestion
from rightcall.model.dialects import wire
from rightcall.model.dialects.part_kinds import ARGUMENTS
from rightcall.model.dialects.parts import is_bare_call, read_part, type_of
from rightcall.model.message import Role

ROLES: dict[str, Role] = {
    "user": "user", "assistant": "assistant", "system": "system", "tool": "tool", "developer": "system",
    "function": "tool", "model": "assistant", "human": "user", "ai": "assistant", "chatbot": "assistant",
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

SILENT_TYPES = frozenset(
    ("ThoughtEvent", "MemoryQueryEvent", "ModelClientStreamingChunkEvent", "SelectSpeakerEvent", "SelectorEvent",
     "UserInputRequestedEvent", "remove", "RemoveMessage")
)  # fmt: skip
"""Events between messages that say and call nothing."""

LISTS = ("tool_calls", "toolCalls", "function_calls", "functionCalls", "invalid_tool_calls", "toolInvocations",
         "executed_tools")  # fmt: skip
SINGLES = ("function_call", "functionCall")
ECHOES = ("tool_call_chunks",)
"""Fields of a message that hold calls: lists of them, one, and those that only repeat the others."""

FIELDS = (
    "role", "content", "parts", *LISTS, *SINGLES, *ECHOES, "tool_call_id", "refusal", "name", "type", "id",
    "additional_kwargs", "response_metadata", "usage_metadata", "results", "thinking", "reasoning_content",
    "reasoning", "tool_plan", "audio", "annotations", "status", "source", "metadata",
)  # fmt: skip
ENDINGS = ("finish_reason", "finishReason", "stop_reason", "stopReason")
"""Why an answer ended: only a model's answer says so."""
MISSPELT = ("role", "content", "tool_calls", "tool_call_id", "function_call", "refusal")


def role_of(item: dict[str, Any], where: str, path: str) -> Role:
    """Who speaks: by the role, otherwise by the type; a message of Gemini may have neither."""
    role, kind = item.get("role"), type_of(item)
    if isinstance(role, str) and role.lower() in ROLES:
        return ROLES[role.lower()]
    if role is None:
        if kind in TYPES:
            return TYPES[kind]
        if kind in ("TextMessage", "MultiModalMessage"):
            return "user" if item.get("source") == "user" else "assistant"
    if role is None and isinstance(parts := item.get("parts"), list):
        found = [read_part(part) for part in parts if isinstance(part, dict)]
        if any(part.call is not None for part in found):
            return "assistant"
        if any(part.result is not None for part in found):
            return "user"
    if role is None and any(name in item for name in ENDINGS):
        return "assistant"
    problem = f"{path}.role must be one of user, assistant, system, tool, got {role!r}"
    raise InputError(where, problem, suggestion(str(role), ROLES))


def refuse_hidden_calls(item: dict[str, Any], where: str, path: str) -> None:
    """Reject a message with calls in a field that is not read, or that is itself written like a call."""
    if "name" in item and any(item.get(name) is not None for name in ARGUMENTS):
        raise InputError(
            where,
            f"{path} is a message with the arguments of a call",
            "write tool_calls: [{name, arguments}]",
        )
    for name, value in item.items():
        if name in FIELDS or not isinstance(value, list | dict) or not value:
            continue
        if any(_is_call(entry) for entry in (value if isinstance(value, list) else (value,))):
            raise InputError(
                where,
                f"{path}.{name} looks like calls, but calls are not read from there",
                "write them as tool_calls: [{name, arguments}]",
            )


def _is_call(entry: Any) -> bool:
    return isinstance(entry, dict) and (is_bare_call(entry) or read_part(entry).call is not None)


def refuse_misspelt(item: dict[str, Any], where: str, path: str) -> None:
    """Reject a field whose name is nearly one that holds content or calls."""
    if not item.keys() <= _FIELDS:
        unknown = {name: item[name] for name in item if name not in _FIELDS}
        wire.refuse_misspelt(unknown, MISSPELT, where, path)


_FIELDS = frozenset(FIELDS)
