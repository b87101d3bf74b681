"""Messages in any spelling, read item by item and part by part.

What a list looks like never decides what is read: every field that can hold a call is looked at. A part of an
assistant's message that is neither text, reasoning, media nor a known call is refused, and so is a call without a name
and a call in a message that is not an assistant's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from rightcall.core.codec import convert
from rightcall.core.errors import InputError
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.dialects import wire
from rightcall.records.dialects.message_fields import SILENT_TYPES, TYPES
from rightcall.records.dialects.part_kinds import HOSTED, LISTS
from rightcall.records.dialects.parts import (
    SpelledCall,
    is_bare_call,
    is_bare_result,
    is_item,
    read_part,
    read_result,
    type_of,
)
from rightcall.records.dialects.spoken_message import (
    HINT,
    Spoken,
    call_role_error,
    part_label,
    read_spoken,
    refuse_other_calls,
    result_of,
)
from rightcall.records.dialects.unread_calls import refuse_unread
from rightcall.records.message import Message, calls_of

Expand = Callable[[dict[str, Any], str], "list[Any] | None"]

ITEMS = frozenset(
    ("function_call", "custom_tool_call", "function_call_output", "custom_tool_call_output", "reasoning",
     "item_reference", "mcp_call", *HOSTED)
)  # fmt: skip
"""Items of the Responses API, where text after calls is of the same turn."""


WRAPPERS = frozenset(("kwargs", "data", "raw_item", "message", "content"))
"""Fields of an item that hold the message or the item itself."""


def read_items(
    raw: Sequence[Any], where: str, *, expand: Expand | None = None, joins: bool = False
) -> tuple[Message, ...]:
    """Messages of a list of messages, items, parts or calls.

    `expand` makes items of a whole response in the list. `joins` is for lists of the Responses API.
    """
    items = any(isinstance(item, dict) and type_of(item) in ITEMS for item in raw)
    reader = ItemReader(where, expand, joins or items)
    for i, item in enumerate(raw):
        reader.add(wire.require_type(item, dict, where, f"messages[{i}]"), f"messages[{i}]")
    return wire.merge_tool_messages(reader.messages)


class ItemReader:
    def __init__(self, where: str, expand: Expand | None, joins: bool) -> None:
        self.messages: list[Message] = []
        self._where = where
        self._expand = expand
        self._joins = joins
        self._ids: set[str] = set()
        self._requests: dict[str, tuple[int, int]] = {}

    def add(self, item: dict[str, Any], path: str) -> None:
        inner = unwrap_message(item)
        self._add(inner, path)
        if inner is not item and self.messages and self.messages[-1].role == "assistant":
            others = {name: value for name, value in item.items() if name not in WRAPPERS}
            refuse_unread(others, calls_of(self.messages), self._where, path)

    def _add(self, item: dict[str, Any], path: str) -> None:
        kind = type_of(item)
        where = self._where
        if is_native(item):
            message = convert(item, Message, f"{where}: {path}")
            refuse_misplaced(message, where, path)
            self.messages.append(message)
        elif "method" in item or "jsonrpc" in item:
            self._rpc(item, path)
        elif is_bare_result(item) or (not is_bare_call(item) and _is_tool_output(item)):
            self._result(result_of(read_result(item), where, path))
        elif _is_message(item) and not is_item(item):
            self._add_spoken(read_spoken(item, where, path), kind)
        elif kind in SILENT_TYPES:
            return
        elif kind == "item_reference":
            self._refer(item, path)
        else:
            self._part(item, path)

    def _add_spoken(self, spoken: Spoken, kind: str) -> None:
        if kind == "ToolCallSummaryMessage":  # repeats the calls and results of the events before it
            spoken.calls = [call for call in spoken.calls if call.id not in self._ids]
            spoken.results = [result for result in spoken.results if result.call_id not in self._ids]
        self._ids |= {call.id for call in spoken.calls if call.id}
        for message in spoken.messages():
            if message.role == "assistant" and self._joins and not message.thinking and self._join(message):
                continue
            self.messages.append(message)

    def _join(self, message: Message) -> bool:
        """Text after calls is of the same turn."""
        last = self.messages[-1] if self.messages else None
        if last is None or last.role != "assistant" or not last.calls or last.content or message.calls:
            return False
        self.messages[-1] = replace(last, content=message.content)
        return True

    def _part(self, item: dict[str, Any], path: str) -> None:
        part = read_part(item)
        has_calls = any(isinstance(item.get(name), list) for name in LISTS)
        if part.call is None and not type_of(item) and has_calls:
            step = {"content": item.get("text"), **item, "role": "assistant"}  # its text and its calls
            self._add_spoken(read_spoken(step, self._where, path), "")
            return
        if part.known:
            refuse_other_calls(item, part, self._where, path)
        if part.call is not None:
            self._call(part.call, item, path)
        if part.result is not None:
            self._result(result_of(part.result, self._where, path))
        if part.text:
            self._say(wire.require_type(part.text, str, self._where, f"{path}.text"))
        if not part.known:
            self._whole(item, path)

    def _whole(self, item: dict[str, Any], path: str) -> None:
        """A response among messages, or a step of one."""
        # a response holds messages, not responses
        expand = self._expand
        self._expand = None
        items = expand(item, self._where) if expand is not None else None
        if items is None or any(inner is item for inner in items):
            raise _unknown(item, self._where, path)
        for i, inner in enumerate(items):
            self.add(wire.require_type(inner, dict, self._where, path), f"{path}[{i}]")
        self._expand = expand
        refuse_unread(item, calls_of(self.messages), self._where, path, read={id(inner) for inner in items})

    def _call(self, raw: SpelledCall, item: dict[str, Any], path: str) -> None:
        call = wire.call_of(raw, self._where, path)
        request = item.get("approval_request_id")
        place = self._requests.pop(request, None) if isinstance(request, str) else None
        if place is not None:  # the call that was asked for is the call that was made
            message, at = place
            asked = self.messages[message]
            calls = (*asked.calls[:at], replace(call, id=asked.calls[at].id), *asked.calls[at + 1 :])
            self.messages[message] = replace(asked, calls=calls)
            return
        self._say("", call)
        if item.get("type") == "mcp_approval_request":
            self._requests[call.id] = len(self.messages) - 1, len(self.messages[-1].calls) - 1

    def _result(self, result: ToolResult) -> None:
        self.messages.append(Message("tool", results=(result,)))

    def _say(self, text: str, *calls: ToolCall) -> None:
        """Add to the last message if it is the assistant's, else begin one."""
        if not self.messages or self.messages[-1].role != "assistant":
            self.messages.append(Message("assistant"))
        last = self.messages[-1]
        self.messages[-1] = replace(last, content=last.content + text, calls=(*last.calls, *calls))

    def _refer(self, item: dict[str, Any], path: str) -> None:
        """Ids of reasoning and text have their own beginnings; any other may be a call's."""
        name = item.get("id")
        if not (isinstance(name, str) and name.startswith(("rs_", "msg_"))):
            problem = f"{path} refers to the item {name!r}, which may be a call"
            raise InputError(self._where, problem, "write the item itself, as the response had it")

    def _rpc(self, item: dict[str, Any], path: str) -> None:
        """Requests and answers of the Model Context Protocol; only calls of tools and their results matter."""
        where = self._where
        call_id = item.get("id")
        text = "" if call_id is None else str(call_id)
        params = item.get("params")
        result = item.get("result")
        error = item.get("error")
        if item.get("method") == "tools/call":
            raw = wire.require_type(params, dict, where, f"{path}.params")
            call = SpelledCall(raw.get("name"), raw.get("arguments") or {}, text)
            self._call(call, {}, f"{path}.params")
        elif isinstance(error, dict):
            self._result(ToolResult(text, error.get("message"), True))
        elif isinstance(result, dict) and _is_tool_output(result):
            self._result(replace(result_of(read_result(result), where, path), call_id=text))
        elif isinstance(result, dict) and isinstance(result.get("role"), str):
            self.add(result, f"{path}.result")  # the answer of a model or agent
        else:
            refuse_unread([params, result], (), where, path)


def refuse_misplaced(message: Message, where: str, path: str) -> None:
    """Reject calls that would be lost: those of anyone but an assistant."""
    for call in message.calls:
        if message.role != "assistant":
            raise call_role_error(message.role, call.name, where, path)


def is_native(item: dict[str, Any]) -> bool:
    """Whether an item has RightCall's own fields."""
    return ("calls" in item or "results" in item) and "tool_calls" not in item and type_of(item) not in TYPES


def unwrap_message(item: dict[str, Any]) -> dict[str, Any]:
    """A message without its wrapper: of LangChain, of an item of OpenAI's Agents SDK, of an event of Claude Code or of
    Google's ADK.
    """
    if item.get("lc") == 1 and isinstance(inner := item.get("kwargs"), dict):
        name = item.get("id")
        kind = name[-1] if isinstance(name, list) and name and isinstance(name[-1], str) else None
        return inner if "type" in inner or kind is None else {**inner, "type": kind}
    if isinstance(inner := item.get("data"), dict) and type_of(item) in TYPES and "content" not in item:
        return {**inner, "type": item["type"]}
    if isinstance(inner := item.get("raw_item"), dict):
        return inner
    if isinstance(inner := item.get("message"), dict) and type_of(item) in ("assistant", "user"):
        return inner
    inner = item.get("content")
    if isinstance(inner, dict) and isinstance(inner.get("parts"), list) and "author" in item:
        return inner
    return item


def _is_message(item: dict[str, Any]) -> bool:
    if isinstance(item.get("role"), str):
        return True
    kind = type_of(item)
    if (kind in TYPES and "content" in item) or kind in ("TextMessage", "MultiModalMessage"):
        return True
    return isinstance(item.get("parts"), list) or ("content" in item and kind in ("", "message"))


def _is_tool_output(item: dict[str, Any]) -> bool:
    """The result of a tool of the Model Context Protocol, which names no call."""
    return (
        "role" not in item
        and isinstance(item.get("content"), list)
        and any(name in item for name in ("isError", "is_error", "structuredContent", "structured_content"))
    )


def _unknown(item: dict[str, Any], where: str, path: str) -> InputError:
    if not type_of(item):
        problem = f"{path}.role must be one of user, assistant, system, tool, got {item.get('role')!r}"
        return InputError(where, problem, f"{path} is {part_label(item)}; {HINT}")
    return InputError(where, f"{path} is {part_label(item)}, which is not a supported kind", HINT)
