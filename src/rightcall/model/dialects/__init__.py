"""Provider formats for tools and messages. Pure functions, no I/O.

    native            RightCall's records            anthropic         Messages API
    openai_chat       chat completions           openai_responses  Responses API
    mcp               Model Context Protocol (tools only)

Each has `read_tool(raw, where)` and `write_tool(tool)`, and those with conversations `read_messages(raw,
where)` and `write_messages(messages)`. Whatever a format can express round-trips; its docstring lists what it
cannot express. The two readers here detect the format. To add one: a file with these functions, a line in
`SPELLINGS`, a test in `_spelling_of_…`.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, get_args

from rightcall.errors import InputError
from rightcall.model.dialects import anthropic, mcp, native, openai_chat, openai_responses, wire
from rightcall.model.dialects.transcript import trajectory_from_messages
from rightcall.model.message import Message, Role
from rightcall.model.tool import Tool

SPELLINGS: dict[str, ModuleType] = {
    "native": native,
    "anthropic": anthropic,
    "openai_chat": openai_chat,
    "openai_responses": openai_responses,
    "mcp": mcp,
}

WORDS, ROLES = frozenset(("role", "content")), get_args(Role)

__all__ = ["SPELLINGS", "read_messages", "read_tool", "trajectory_from_messages"]


def read_tool(raw: Any, where: str) -> Tool:
    """A tool definition in any format."""
    raw = wire.checked(raw, dict, where, "a tool")
    tool: Tool = SPELLINGS[_spelling_of_tool(raw, where)].read_tool(raw, where)
    return tool


def read_messages(raw: Any, where: str) -> tuple[Message, ...]:
    """A transcript in any format. Arguments that are not a JSON object stay in the call's `raw`."""
    items = wire.checked(raw, list, where, "messages")
    for i, item in enumerate(items):
        if not isinstance(item, dict):
            wire.checked(item, dict, where, f"messages[{i}]")
    messages: tuple[Message, ...] = SPELLINGS[_spelling_of_messages(items)].read_messages(items, where)
    return messages


def _spelling_of_tool(raw: dict[str, Any], where: str) -> str:
    if "function" in raw:
        return "openai_chat"
    if "inputSchema" in raw or "outputSchema" in raw or _has_mcp_hints(raw):
        return "mcp"
    if raw.get("type") == "function" or "parameters" in raw:
        return "openai_responses"
    if "input_schema" in raw:
        return "native" if raw.keys() <= set(anthropic.TOOL_FIELDS) else "anthropic"
    if "name" in raw and isinstance(raw.get("type", "custom"), str) and raw.get("type", "custom") != "custom":
        problem = f"the tool '{raw['name']}' of type '{raw['type']}' runs at its provider and has no schema"
        raise InputError(where, problem, "remove it, or give it an input_schema")
    if "name" not in raw:
        found = ", ".join(f"'{key}'" for key in list(raw)[:5]) or "nothing"
        raise InputError(
            where,
            f"not a tool definition: it has no 'name', found {found}",
            "write input_schema (Anthropic), function.parameters (OpenAI) or inputSchema (MCP)",
        )
    return "native"


def _has_mcp_hints(raw: dict[str, Any]) -> bool:
    hints = raw.get("annotations")
    return isinstance(hints, dict) and any(str(key).endswith("Hint") for key in hints)


def _spelling_of_messages(items: list[dict[str, Any]]) -> str:
    parts: set[str] = set()
    types: set[str] = set()
    native_fields, plain = False, True
    for item in items:
        if isinstance(item.get("content"), list):
            parts |= _part_types(item)
        if isinstance(kind := item.get("type"), str):
            types.add(kind)
        native_fields = native_fields or "calls" in item or "results" in item
        plain = plain and _is_plain(item)
    if not parts.isdisjoint(anthropic.BLOCKS):
        return "anthropic"
    if not (types.isdisjoint(openai_responses.ITEMS) and parts.isdisjoint(openai_responses.PARTS)):
        return "openai_responses"
    return "native" if native_fields or plain else "openai_chat"


def _is_plain(item: dict[str, Any]) -> bool:
    """Only text, which is the same in every format."""
    return isinstance(item.get("content", ""), str) and item.keys() <= WORDS and item.get("role") in ROLES


def _part_types(item: dict[str, Any]) -> set[str]:
    return {p["type"] for p in item["content"] if isinstance(p, dict) and isinstance(p.get("type"), str)}
