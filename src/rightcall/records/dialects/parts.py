"""One part or item of a message, whatever its spelling: its text, its call, its result. Hostile input; nothing raises.

Every reader of messages uses it: agents' results, files, replies, streams and traces. `read_part` looks into every
field that can hold a call, so that no part hides the call of another.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec

from rightcall.records.call import CallKind
from rightcall.records.dialects import part_kinds as kinds

ABSENT: Any = msgspec.UNSET
"""Not in the part."""


class SpelledResult(NamedTuple):
    """A result as found: nothing in it has been checked."""

    id: Any = ""
    output: Any = None
    failed: bool = False
    name: Any = ""


class SpelledCall(NamedTuple):
    """A call as found: nothing in it has been checked. `free` arguments are text, not JSON.

    `lean` spellings leave out arguments that are empty. `result` is there when the
    item of a call also contains its result.
    """

    name: Any = ""
    arguments: Any = ABSENT
    id: Any = ""
    free: bool = False
    lean: bool = False
    result: SpelledResult | None = None
    kind: CallKind = "direct"
    caller: Any = ""


class MessagePart(NamedTuple):
    """What a part says. `known` is False when it is of no kind that is read."""

    text: Any = None
    call: SpelledCall | None = None
    result: SpelledResult | None = None
    thinking: bool = False
    known: bool = True


SILENT = MessagePart()
UNKNOWN = MessagePart(known=False)


def type_of(raw: dict[str, Any]) -> str:
    """The type that a part or a message says it has; empty when it says none. Pydantic AI and LlamaIndex call it by
    other names.
    """
    if isinstance(kind := raw.get("type"), str):
        return kind
    for field in ("part_kind", "block_type"):
        if isinstance(kind := raw.get(field), str):
            return kind
    return ""


def read_part(part: dict[str, Any]) -> MessagePart:
    kind = type_of(part)
    typed = by_type(part, kind) if kind else UNKNOWN
    if typed.call is not None or typed.result is not None:
        return typed
    keyed = _by_field(part)
    if keyed is UNKNOWN:
        return typed if typed.known or not is_bare_call(part) else MessagePart(call=read_call(part))
    return keyed if typed.text is None else keyed._replace(text=typed.text)


def by_type(part: dict[str, Any], kind: str) -> MessagePart:
    part_read = UNKNOWN
    if kind in kinds.TEXTS:
        text = _first(part, kinds.TEXTS[kind], "")
        if isinstance(text, dict) and "value" in text:  # OpenAI's Assistants: {value, annotations}
            text = text["value"]
        elif isinstance(text, list) and kind == "user-prompt":
            text = "".join(piece for piece in text if isinstance(piece, str))
        part_read = MessagePart(text=text)
    elif kind in kinds.REASONING:
        part_read = MessagePart(thinking=True)
    elif kind in kinds.CALLS or _is_interface_call(part, kind):
        part_read = MessagePart(call=read_call(part))
    elif kind in kinds.HOSTED:
        part_read = MessagePart(call=_read_hosted_call(part, kind))
    elif kind in kinds.RESULTS or kind.endswith(kinds.RESULT_ENDINGS):
        part_read = MessagePart(result=read_result(part))
    elif kind == "non_standard" and isinstance(inner := part.get("value"), dict):
        part_read = read_part(inner)
    elif kind in kinds.MEDIA or kind.startswith("data-"):
        part_read = SILENT
    return part_read


def _is_interface_call(part: dict[str, Any], kind: str) -> bool:
    """A part such as `tool-get_weather` of a message for a user interface."""
    other = kind in kinds.RESULTS or kind in kinds.MEDIA
    return kind.startswith("tool-") and "toolCallId" in part and not other


def _by_field(part: dict[str, Any]) -> MessagePart:
    call = result = None
    text: Any = None
    is_text = False
    for field in kinds.CALL_FIELDS:
        if isinstance(inner := part.get(field), dict):
            call = read_call({"id": part.get("id"), **inner})._replace(lean=True)
    for field in kinds.CODE_FIELDS:
        if isinstance(inner := part.get(field), dict):
            call = SpelledCall("code_execution", inner, inner.get("id") or "", kind="program")
    for field in (*kinds.RESULT_FIELDS, *kinds.CODE_RESULT_FIELDS):
        if isinstance(inner := part.get(field), dict):
            result = read_result(inner)
    for field in kinds.TEXT_FIELDS:
        if isinstance(inner := part.get(field), dict):
            text = _texts_in(inner.get("content", inner.get("text")))
            is_text = True
    if isinstance(part.get("text", 0), str | None) and not type_of(part):
        text = None if part.get("thought") is True else part["text"]
        is_text = True
    if call is None and result is None and not is_text:
        return SILENT if not kinds.SILENT_FIELDS.isdisjoint(part) and not type_of(part) else UNKNOWN
    return MessagePart(text, call, result, part.get("thought") is True)


def is_item(raw: dict[str, Any]) -> bool:
    """Whether something is a call or a result by its type, whoever it says it is from."""
    kind = type_of(raw)
    if kind in ("function", "tool_call") and "content" in raw:
        return False  # LangChain's message with the result of a function; a message of a trace
    is_result = kind in kinds.RESULTS or kind.endswith(kinds.RESULT_ENDINGS)
    return kind in kinds.CALLS or kind in kinds.HOSTED or is_result


def is_bare_call(raw: Any) -> bool:
    """A name with arguments: a call of AutoGen, of MCP, or of an agent that writes its own."""
    if not isinstance(raw, dict) or "role" in raw:
        return False
    if isinstance(raw.get("function"), dict) or isinstance(raw.get("custom"), dict):
        return True
    return any(name in raw for name in kinds.NAMES[:3]) and any(name in raw for name in kinds.ARGUMENTS)


def is_bare_result(raw: Any) -> bool:
    """The result of a call of AutoGen, which has no type: `{content, name, call_id, is_error}`."""
    return isinstance(raw, dict) and "call_id" in raw and "content" in raw and "role" not in raw


def read_call(raw: dict[str, Any]) -> SpelledCall:
    """A call in any spelling; what it does not have is empty or `ABSENT`."""
    kind = type_of(raw)
    for field in ("toolInvocation", "tool_call", "functionCall", "function_call"):
        if isinstance(inner := raw.get(field), dict):
            raw = {"id": raw.get("id"), **inner}
    custom = raw.get("custom")
    function = raw.get("function")
    source = custom if isinstance(custom, dict) else function if isinstance(function, dict) else raw
    name = _first(source, kinds.NAMES, function if isinstance(function, str) else None)
    if not name and _is_interface_call(raw, kind):
        name = kind[len("tool-") :]
    elif not name and kind not in kinds.CALLS and "arguments" in raw:
        name = kind  # Groq's own tools: {type: "search", arguments, output}
    recorded = any(field in source for field in kinds.ARGUMENTS)
    arguments = _first(source, kinds.ARGUMENTS, None) if recorded else ABSENT
    free = source is custom or kind == "custom_tool_call"
    lean = kind in kinds.LEAN or "toolCallId" in raw
    return SpelledCall(
        name,
        arguments,
        _first(raw, kinds.IDS, ""),
        free,
        lean=lean,
        result=_own_result(raw, kind),
        kind=_kind_of(source, kind, name),
        caller=_caller_of(raw),
    )


def _kind_of(source: dict[str, Any], kind: str, name: Any) -> CallKind:
    """By the type of the item; a name says more only where the type says that the provider ran it."""
    if kind in kinds.SERVER_CALLS:
        return kinds.SERVER_TOOLS.get(name, "hosted") if isinstance(name, str) else "hosted"
    return "hosted" if isinstance(source.get("toolType", source.get("tool_type")), str) else "direct"


def _caller_of(raw: dict[str, Any]) -> Any:
    """The id of the program that made a call."""
    caller = raw.get("caller")
    return _first(caller, ("tool_id", "caller_id"), "") if isinstance(caller, dict) else ""


def _own_result(raw: dict[str, Any], kind: str) -> SpelledResult | None:
    """What an item of a call says about its result: MCP calls of a provider, parts for a user interface."""
    state = raw.get("state")
    if state in ("output-error", "output-denied"):
        return SpelledResult(output=raw.get("errorText"), failed=True)
    if state in ("output-available", "result"):
        return SpelledResult(output=_first(raw, ("output", "result"), None))
    if kind in ("mcp_call", *kinds.HOSTED):
        if raw.get("error") is not None or raw.get("status") in ("failed", "incomplete"):
            return SpelledResult(output=raw.get("error"), failed=True)
        output = _first(raw, ("output", "outputs", "results", "result"), None)
        if output is not None or raw.get("status") == "completed":
            return SpelledResult(output=output)
    return None


def _read_hosted_call(item: dict[str, Any], kind: str) -> SpelledCall:
    name, fields, surface = kinds.HOSTED[kind]
    call_fields = {field: item[field] for field in fields if item.get(field) is not None}
    only = next(iter(call_fields.values()), None)
    arguments = only if len(call_fields) == 1 and isinstance(only, dict) else call_fields
    call_id = _first(item, kinds.IDS, "")
    result = _own_result(item, kind)
    return SpelledCall(name, arguments, call_id, result=result, kind=surface, caller=_caller_of(item))


def read_result(raw: dict[str, Any]) -> SpelledResult:
    output = _first(raw, kinds.OUTPUTS, None)
    if isinstance(output, dict) and "value" in output and isinstance(kind := output.get("type"), str):
        # the AI SDK's `{type: "json", value: …}`
        failed = kind.startswith("error")
        output = output["value"]
    else:  # Anthropic's `{type: "web_search_tool_result_error", error_code: …}`
        failed = isinstance(output, dict) and str(output.get("type")).endswith("_error")
    failed = failed or raw.get("is_error") is True or raw.get("isError") is True
    failed = failed or raw.get("status") in ("error", "failed") or raw.get("type") == "tool-error"
    if (
        raw.get("type") == "tool_search_output"
    ):  # of a search on the server it names no call, and has an id of its own
        return SpelledResult(raw.get("call_id") or "", {"tools": output}, failed, "tool_search")
    call_id = _first(raw, ("call_id", "tool_use_id", "toolUseId", "toolCallId", "tool_call_id", "id"), "")
    return SpelledResult(call_id, output, failed, _first(raw, kinds.NAMES, ""))


def _texts_in(content: Any) -> Any:
    if not isinstance(content, list):
        return content.get("text") if isinstance(content, dict) else content
    return "".join(
        part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)
    )


def _first(raw: dict[str, Any], names: tuple[str, ...], default: Any) -> Any:
    """The first of some fields that is there and not null."""
    return next((raw[name] for name in names if raw.get(name) is not None), default)
