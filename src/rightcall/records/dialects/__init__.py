"""Provider formats for tools and messages. Pure functions, no I/O.

    native            RightCall's records            anthropic         Messages API
    openai            chat completions           openai_responses  Responses API
    mcp               Model Context Protocol (tools only)
    gemini, bedrock   function declarations and toolConfig (tools only)

Each has `read_tool(raw, where)` and `write_tool(tool)`, and those with conversations `read_messages(raw,
where)` and `write_messages(messages)`. Whatever a format can express round-trips; its docstring lists what it
cannot express. To add one to write: a file with these functions, a line in `SPELLINGS`, a test in `_spelling_of_tool`.

Messages are read by one mechanism, whatever their format: `part_kinds` lists the kinds of parts, `parts` reads one,
`message_fields` and `spoken_message` read a message, `messages` a list of them, `documents` a whole response, and
`sdk_objects` makes dicts of objects. `unread_calls` finds what looks like a call where none of them looks. To read one
more spelling: its kinds in `part_kinds`, its fields in `message_fields`, its response in `documents`, and a row in
`tests/support/spellings.py`.

    call_text         text that looks like a call
    endings           how an answer ended, as its provider says: whole, cut off, refused, broken, or not yet
    reported_usage    tokens as each format of model answers reports them; unknown where an answer reports none
    stream_pieces     what the streams of all formats share, and the check that one has ended
    streams           streamed answers, event by event
    transcript        from a transcript to a trajectory: calls in order, each with the result the agent received
    wire              shared by the formats: checked access to hostile JSON, call arguments, outputs of tools
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, get_args

from msgspec.structs import replace

from rightcall.core.codec import convert
from rightcall.core.errors import ConfigError, InputError, suggestion
from rightcall.records.dialects import anthropic, bedrock, gemini, mcp, native, openai, openai_responses, wire
from rightcall.records.dialects.documents import items_of, read_document
from rightcall.records.dialects.messages import is_native, read_items
from rightcall.records.dialects.sdk_objects import as_plain
from rightcall.records.dialects.transcript import trajectory_from_messages
from rightcall.records.message import Message, Role
from rightcall.records.tool import Annotations, Tool
from rightcall.records.trajectory import Trajectory

SPELLINGS: dict[str, ModuleType] = {
    "native": native,
    "anthropic": anthropic,
    "openai": openai,
    "openai_responses": openai_responses,
    "mcp": mcp,
    "gemini": gemini,
    "bedrock": bedrock,
}

WORDS = frozenset(("role", "content"))
ROLES = get_args(Role)

__all__ = [
    "SPELLINGS",
    "as_plain",
    "read_document",
    "read_messages",
    "read_tool",
    "trajectory_from_messages",
    "write_tool",
]


def read_tool(raw: Any, where: str) -> Tool:
    """A tool definition in any format."""
    if not isinstance(raw, dict):
        wire.require_type(raw, dict, where, "a tool")
    spelling = _spelling_of_tool(raw, where)
    hints = wire.field(raw, "annotations", dict, where, path="")
    ours = hints.keys() <= set(Annotations.__struct_fields__)
    hinted = any(str(key).endswith("Hint") or key == "title" for key in hints)
    if not hints or (spelling == "mcp" and not ours) or (spelling == "native" and not hinted):
        tool: Tool = SPELLINGS[spelling].read_tool(raw, where)
        return tool
    tool = SPELLINGS[spelling].read_tool({key: raw[key] for key in raw if key != "annotations"}, where)
    if ours:
        return replace(tool, annotations=convert(hints, Annotations, f"{where}: annotations"))
    title, annotations = mcp.read_hints(hints, where)
    return replace(tool, title=tool.title or title, annotations=annotations)


def write_tool(tool: Tool, spelling: str) -> dict[str, Any]:
    """A tool definition in the format of that name."""
    if spelling not in SPELLINGS:
        hint = suggestion(spelling, SPELLINGS) or f"known: {', '.join(SPELLINGS)}"
        raise ConfigError(f"unknown format of definitions '{spelling}'; {hint}")
    definition: dict[str, Any] = SPELLINGS[spelling].write_tool(tool)
    return definition


def read_trajectory(messages: Any, where: str) -> Trajectory:
    """What an agent did, from its messages in any format."""
    return trajectory_from_messages(read_messages(as_plain(messages, where), where))


def read_messages(raw: Any, where: str) -> tuple[Message, ...]:
    """A transcript in any format. Arguments that are not a JSON object stay in the call's `raw`."""
    items = wire.require_type(raw, list, where, "messages")
    for i, item in enumerate(items):
        if not isinstance(item, dict):
            wire.require_type(item, dict, where, f"messages[{i}]")
    if all(is_native(item) or _is_plain(item) for item in items):
        return native.read_messages(items, where)
    return read_items(items, where, expand=items_of)


def _spelling_of_tool(raw: dict[str, Any], where: str) -> str:
    for key, spelling in (
        ("function", "openai"),
        ("toolSpec", "bedrock"),
        ("parametersJsonSchema", "gemini"),
    ):
        if key in raw:
            return spelling
    if "inputSchema" in raw or "outputSchema" in raw:
        return "mcp"
    if raw.get("type") == "function" or "parameters" in raw:
        return "openai_responses"
    if "input_schema" in raw:
        return "native" if raw.keys() <= set(anthropic.TOOL_FIELDS) else "anthropic"
    if "name" in raw and isinstance(raw.get("type", "custom"), str) and raw.get("type", "custom") != "custom":
        problem = f"the tool '{raw['name']}' of type '{raw['type']}' runs at its provider and has no schema"
        raise InputError(where, problem, "remove it, or give it an input_schema")
    if "name" not in raw:
        keys = ", ".join(f"'{key}'" for key in list(raw)[:5]) or "nothing"
        hint = "write input_schema (Anthropic), function.parameters (OpenAI) or inputSchema (MCP)"
        raise InputError(where, f"not a tool definition: it has no 'name', found {keys}", hint)
    return "native" if raw.keys() <= set(anthropic.TOOL_FIELDS) or "annotations" not in raw else "mcp"


def _is_plain(item: dict[str, Any]) -> bool:
    """Only text, which is the same in every format."""
    return isinstance(item.get("content", ""), str) and item.keys() <= WORDS and item.get("role") in ROLES
