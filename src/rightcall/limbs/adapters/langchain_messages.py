"""LangChain's messages and tools in our words."""

from __future__ import annotations

from itertools import chain
from typing import Any

from msgspec.structs import replace

from rightcall.agents.observed.values import framework_usage, plain
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.dialects import read_messages, read_tool
from rightcall.records.message import Message
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Usage


def read_message(message: Any) -> Message:
    """A LangChain message in our words, as far as results and turns matter."""
    kind = getattr(message, "type", "")
    if kind == "tool":
        failed = getattr(message, "status", "") == "error"
        result = ToolResult(
            str(message.tool_call_id or ""), plain(message.content), failed, str(message.name or "")
        )
        return Message("tool", results=(result,))
    if kind in ("ai", "AIMessageChunk"):
        return Message("assistant", text_in(message))
    return Message("system" if kind == "system" else "user", text_in(message))


def message_for_call(output: Any, call_id: str) -> Any:
    """The message by which the model reads a tool's output, which a `Command` carries; otherwise the output itself."""
    updates = [getattr(part, "update", None) for part in (output if isinstance(output, list) else [output])]
    values = chain.from_iterable(update.values() for update in updates if isinstance(update, dict))
    messages = chain.from_iterable(value for value in values if isinstance(value, list))
    return next((m for m in messages if call_id and getattr(m, "tool_call_id", "") == call_id), output)


def text_in(message: Any) -> str:
    content = message.content
    if isinstance(content, str):
        return content
    parts = [
        part if isinstance(part, str) else part.get("text", "")
        for part in content
        if isinstance(part, str) or (isinstance(part, dict) and part.get("type") == "text")
    ]
    return "".join(str(part) for part in parts)


def calls_in(message: Any) -> list[ToolCall]:
    """The calls in every field and block of an answer; `InputError` when one cannot be read.

    Where all of them have arguments that did not parse, LangChain's loops end without an error.
    """
    [read] = read_messages([{**plain(message), "role": "assistant"}], "the answer")[:1]
    broken = [call.get("name") for call in getattr(message, "invalid_tool_calls", None) or ()]
    if not broken or getattr(message, "tool_calls", None):
        return list(read.calls)
    return [
        replace(call, notes={"malformed_call_ended_run": True}) if call.name in broken else call
        for call in read.calls
    ]


def output_tool(state: Any) -> str:
    """The tool by which the model gave an answer with a schema: LangChain offers it and runs nothing for it."""
    if not isinstance(state, dict) or state.get("structured_response") is None:
        return ""
    messages = [m for m in state.get("messages") or () if getattr(m, "type", "") in ("ai", "tool")]
    if len(messages) < 2 or messages[-1].type != "tool":
        return ""
    answer_id = messages[-1].tool_call_id
    calls = list(chain.from_iterable(message.tool_calls for message in messages if message.type == "ai"))
    return next((str(call["name"]) for call in reversed(calls) if call["id"] == answer_id), "")


def usage_of(message: Any) -> Usage:
    counts = getattr(message, "usage_metadata", None) or {}
    cached = (counts.get("input_token_details") or {}).get("cache_read")
    return framework_usage(counts.get("input_tokens"), counts.get("output_tokens"), cached)


def finish_of(message: Any) -> str:
    fields = getattr(message, "response_metadata", None) or {}
    return str(fields.get("finish_reason") or fields.get("stop_reason") or "")


def tools_on_offer(offered: Any) -> list[Tool]:
    copied = [raw for raw in map(plain, offered) if isinstance(raw, dict)]
    return [read_tool(raw, "tools") for raw in copied if "function" in raw or "input_schema" in raw]


def tools_in(agent: Any) -> dict[str, Any]:
    """The tools in the tool nodes of a graph and of the graphs inside it, or bound to a runnable."""
    if hasattr(agent, "tool_call_schema"):
        return {agent.name: agent}
    tools: dict[str, Any] = dict(getattr(agent, "tools_by_name", None) or {})
    for raw in (getattr(agent, "kwargs", None) or {}).get("tools", ()):
        tools |= {tool.name: raw for tool in tools_on_offer([raw])}
    parts = [
        *(getattr(agent, "nodes", None) or {}).values(),
        *getattr(agent, "steps", ()),
        *getattr(agent, "tools", ()),
    ]
    for part in [*parts, getattr(agent, "bound", None)]:
        tools |= tools_in(part) if part is not None else {}
    return tools


def definition(tool: Any) -> Tool:
    from langchain_core.utils.function_calling import convert_to_openai_tool

    return read_tool(convert_to_openai_tool(tool), f"tool '{getattr(tool, 'name', '')}'")
