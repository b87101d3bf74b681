"""Shared by the formats: checked access to hostile JSON, call arguments, outputs of tools."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import replace

from rightcall.core.codec import DecodeErrors, encode
from rightcall.core.depth import too_deep
from rightcall.core.errors import InputError
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.dialects.parts import ABSENT, SpelledCall
from rightcall.records.message import Message
from rightcall.records.record import plain_constructor
from rightcall.records.tool import Tool

_call = plain_constructor(ToolCall)

KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a string",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def require_type(value: Any, expected: type, where: str, path: str) -> Any:
    """The value itself, if it has the expected JSON type."""
    if isinstance(value, expected):
        return value
    hint = "was it JSON-encoded twice?" if isinstance(value, str) and expected in (dict, list) else ""
    problem = f"{path} must be {KINDS[expected]}, got {KINDS.get(type(value), type(value).__name__)}"
    raise InputError(where, problem, hint)


def field(raw: dict[str, Any], name: str, expected: type, where: str, path: str) -> Any:
    """A field that may be absent or null (then the empty value of its type)."""
    value = raw.get(name)
    if value is None:
        return expected()
    if isinstance(value, expected):
        return value
    return require_type(value, expected, where, dot_path(path, name))


def require_text(raw: dict[str, Any], name: str, where: str, path: str) -> str:
    """A required, non-empty text field."""
    if raw.get(name) in (None, ""):
        inside = f" in {path}" if path else ""
        raise InputError(where, f"missing or empty field '{name}'{inside}")
    text: str = require_type(raw[name], str, where, dot_path(path, name))
    return text


def schema_of(raw: dict[str, Any], name: str, where: str, path: str) -> dict[str, Any]:
    """The schema of a tool's input; a tool without one takes no arguments."""
    if raw.get(name) is None:
        return Tool("").input_schema
    schema: dict[str, Any] = field(raw, name, dict, where, path=path)
    return schema


def dot_path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def refuse_misspelt(raw: dict[str, Any], field_names: Sequence[str], where: str, path: str = "") -> None:
    """Reject a field whose name is nearly a known one.

    Other unknown fields are allowed: providers add fields faster than we can list them.
    """
    for name in raw.keys() - set(field_names):
        near = _near(name, tuple(field_names)) if isinstance(name, str) else ""
        if near:
            inside = f" in {path}" if path else ""
            raise InputError(where, f"unknown field '{name}'{inside}", f"did you mean '{near}'?")


@lru_cache(1024)
def _near(name: str, field_names: tuple[str, ...]) -> str:
    """The name that one is nearly; cached, because every message of a file has the same fields."""
    return next(iter(difflib.get_close_matches(name, field_names, n=1, cutoff=0.8)), "")


def parse_call(name: str, arguments: Any, call_id: str) -> ToolCall:
    """A call from the wire; arguments are JSON text (or, on some servers, the object itself).

    Text that is not a JSON object is kept in `raw`: that is the model's mistake, not an exception.
    """
    if isinstance(arguments, dict):
        return _call(name, arguments, call_id)
    if not isinstance(arguments, str):
        return ToolCall(name, None, call_id, raw=encode(arguments).decode())
    try:
        value = None if too_deep(data := arguments.encode()) else msgspec.json.decode(data)
    except (*DecodeErrors, UnicodeEncodeError):
        value = None
    if isinstance(value, dict):
        return _call(name, value, call_id)
    return ToolCall(name, None, call_id, raw=arguments)


def parse_noted_call(name: str, arguments: Any, call_id: str) -> ToolCall:
    """The same, with a note if the text of its arguments has a key twice."""
    call = parse_call(name, arguments, call_id)
    if call.arguments is None or not isinstance(arguments, str):
        return call
    # every key has a colon, so that most texts need not be read again
    key = repeated_key(arguments) if arguments.count(":") > len(call.arguments) else ""
    return replace(call, notes={"repeated_key": key}) if key else call


def call_of(raw: SpelledCall, where: str, path: str) -> ToolCall:
    """A call as found, checked. A call without a name is refused; arguments that are not a JSON object stay `raw`.

    An empty name is what the model wrote: the call fails its case.
    """
    name = raw.name
    call_id = raw.id
    if not isinstance(name, str):
        problem = f"{path} is a call without a name"
        if name is None:
            raise InputError(where, problem, "a call is a name and arguments")
        raise InputError(where, f"{problem}: it is {KINDS.get(type(name), type(name).__name__)}")
    if not isinstance(call_id, str | int):
        require_type(call_id, str, where, f"{path}.id")
    call_id = str(call_id)
    arguments = raw.arguments
    if arguments is ABSENT:
        arguments = {} if raw.lean else None
    if raw.free:
        call = ToolCall(name, None, call_id, raw=output_text(arguments))
    else:
        call = parse_noted_call(name, arguments, call_id)
    if raw.kind != "direct" or raw.caller:
        call = replace(call, kind=raw.kind, caller=str(raw.caller))
    if raw.result is None:
        return call
    return with_result(call, ToolResult(call_id, raw.result.output, raw.result.failed))


def with_result(call: ToolCall, result: ToolResult) -> ToolCall:
    """The call with its result. An ordinary call is a search for tools only if all of its result refers to tools."""
    output = result.output
    call = replace(call, status="error" if result.is_error else "ok", output=output)
    blocks = output if isinstance(output, list) and call.kind == "direct" and not result.is_error else []
    is_search = call.kind == "plumbing" or (len(blocks) > 0 and all(map(_is_reference, blocks)))
    names = _tools_in(output) if is_search else []
    return replace(call, kind="plumbing", notes={**call.notes, "found": names}) if names else call


def _is_reference(block: Any) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_reference"


def _tools_in(output: Any) -> list[str]:
    """The names of tools that a search found: those that its result refers to or defines."""
    names: list[str] = []
    waiting = [output]
    while waiting:
        here = waiting.pop()
        if isinstance(here, list):
            waiting += reversed(here)
        elif _is_reference(here):
            names.append(str(here.get("tool_name")))
        elif isinstance(here, dict) and here.get("type") == "function":
            names.append(str(here.get("name")))
        elif isinstance(here, dict):
            waiting += [here.get("tool_references"), here.get("tools")]
    return names


def repeated_key(text: str | bytes) -> str:
    """A key that a JSON text has twice in one object; empty when none. Decoders keep the last value."""
    repeated: list[str] = []

    def note(pairs: list[tuple[str, Any]]) -> None:
        keys = Counter(key for key, _ in pairs)
        repeated.extend(key for key, count in keys.items() if count > 1)

    try:
        json.loads(text, object_pairs_hook=note)
    except (ValueError, RecursionError):  # the decoder says what is wrong with it
        return ""
    return repeated[0] if repeated else ""


def arguments_text(call: ToolCall) -> str:
    """The arguments as the model wrote them, or would write them."""
    return (call.raw or "") if call.arguments is None else encode(call.arguments).decode()


def output_of(content: Any, where: str, path: str) -> Any:
    """A tool's output: text as text, text parts joined by newlines, anything else unchanged."""
    if not isinstance(content, list) or not all(_is_text(part) for part in content):
        return content
    texts = (
        part if isinstance(part, str) else field(part, "text", str, where, path=f"{path}[{i}]")
        for i, part in enumerate(content)
    )
    return "\n".join(texts)


def output_text(output: Any) -> str:
    """A tool's output as the text shown to a model."""
    if output is None:
        return ""
    return output if isinstance(output, str) else encode(output).decode()


def merge_tool_messages(messages: Iterable[Message]) -> tuple[Message, ...]:
    """The messages with adjacent tool messages merged, as all formats are read."""
    messages_read: list[Message] = []
    for message in messages:
        if message.role == "tool" and messages_read and messages_read[-1].role == "tool":
            last = messages_read.pop()
            messages_read.append(
                Message("tool", last.content + message.content, (), (*last.results, *message.results))
            )
        else:
            messages_read.append(message)
    return tuple(messages_read)


def results_of(message: Message) -> Sequence[ToolResult]:
    """The results of a tool message; one with only text counts as a single result without id."""
    if message.results or not message.content:
        return message.results
    return (ToolResult("", message.content),)


def _is_text(part: Any) -> bool:
    return isinstance(part, str) or (isinstance(part, dict) and part.get("type") in ("text", "input_text"))
