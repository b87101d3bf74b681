"""One message with everything in it: text, calls of every field that can hold them, results, reasoning."""

from __future__ import annotations

from typing import Any

import msgspec

from rightcall.core.errors import InputError
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.dialects import wire
from rightcall.records.dialects.message_fields import refuse_hidden_calls, refuse_misspelt, role_of
from rightcall.records.dialects.part_kinds import ECHOES, EXTRA_LISTS, LISTS, SINGLES
from rightcall.records.dialects.parts import (
    MessagePart,
    SpelledResult,
    is_bare_result,
    read_call,
    read_part,
    read_result,
)
from rightcall.records.dialects.unread_calls import refuse_unread
from rightcall.records.message import Message, Role
from rightcall.records.record import plain_constructor

HINT = "write a call as tool_calls: [{name, arguments}], and leave out what is neither text nor a call"
THINKING = ("thinking", "redacted_thinking")
"""Blocks that Anthropic wants back, first and unchanged, with the calls that followed them."""

_message = plain_constructor(Message)


class Spoken(msgspec.Struct):
    """What one message holds."""

    role: Role
    texts: list[str] = msgspec.field(default_factory=list)
    calls: list[ToolCall] = msgspec.field(default_factory=list)
    results: list[ToolResult] = msgspec.field(default_factory=list)
    thinking: list[dict[str, Any]] = msgspec.field(default_factory=list)
    latency_ms: float | None = None

    def messages(self) -> list[Message]:
        """As messages: the results in a user's message come first; those of an assistant's are its calls' own."""
        text = "".join(self.texts)
        if self.role == "assistant" and self.results:
            self.calls, left = _match_results(self.calls, self.results)
        else:
            left = self.results
        told = [_message("tool", "", (), tuple(left))] if left else []
        if told and not text and not self.calls:
            return told
        thinking = tuple(self.thinking) if self.role == "assistant" else ()
        spoken = _message(self.role, text, tuple(self.calls), (), self.latency_ms, thinking)
        return [spoken, *told] if self.role == "assistant" else [*told, spoken]


def read_spoken(item: dict[str, Any], where: str, path: str) -> Spoken:
    refuse_misspelt(item, where, path)
    role = role_of(item, where, path)
    spoken = Spoken(role)
    content = item.get("content")
    if role == "tool" and not _holds_results(content) and not _holds_results(item.get("parts")):
        spoken.results.append(_tool_result(item, content, where, path))
    else:
        _read_content(spoken, content, where, f"{path}.content")
        _read_content(spoken, item.get("parts"), where, f"{path}.parts")
        _read_content(spoken, item.get("blocks"), where, f"{path}.blocks")
    if not "".join(spoken.texts):
        spoken.texts.append(wire.field(item, "refusal", str, where, path=path))
    if isinstance(told := item.get("results"), list):  # AutoGen's summary of calls
        spoken.results += [result_of(read_result(raw), where, path) for raw in told if isinstance(raw, dict)]
    _read_fields(spoken, item, where, path)
    if spoken.calls and role != "assistant":
        raise call_role_error(role, spoken.calls[0].name, where, path)
    if role == "assistant":
        refuse_hidden_calls(item, spoken.calls, where, path)
    return spoken


def call_role_error(role: Role, name: str, where: str, path: str) -> InputError:
    """A call of anyone but an assistant, which nobody would count."""
    problem = f"{path} is a message of role {role} that calls '{name}'"
    return InputError(where, problem, "only an assistant calls tools: write the role assistant")


def _holds_results(content: Any) -> bool:
    return isinstance(content, list) and any(
        isinstance(part, dict) and (is_bare_result(part) or read_part(part).result is not None)
        for part in content
    )


def _tool_result(item: dict[str, Any], content: Any, where: str, path: str) -> ToolResult:
    call_id = wire.field(item, "tool_call_id", str, where, path=path) or wire.field(
        item, "toolCallId", str, where, path=path
    )
    name = wire.field(item, "name", str, where, path=path) or wire.field(
        item, "tool_name", str, where, path=path
    )
    output = content if type(content) is str else wire.output_of(content, where, f"{path}.content")
    return ToolResult(call_id, output, item.get("status") == "error", name)


def _read_content(spoken: Spoken, content: Any, where: str, path: str) -> None:
    if content is None:
        return
    if isinstance(content, str):
        spoken.texts.append(content)
        return
    if isinstance(content, dict):
        content = [content]
    for i, part in enumerate(wire.require_type(content, list, where, path)):
        if isinstance(part, str):
            spoken.texts.append(part)
        else:
            _read_one(spoken, wire.require_type(part, dict, where, f"{path}[{i}]"), where, f"{path}[{i}]")


def _read_one(spoken: Spoken, raw: dict[str, Any], where: str, path: str) -> None:
    part = read_part(raw) if not is_bare_result(raw) else MessagePart(result=read_result(raw))
    if part.call is not None:
        spoken.calls.append(wire.call_of(part.call, where, path))
    if part.result is not None:
        spoken.results.append(result_of(part.result, where, path))
    if part.text is not None and not part.thinking:
        spoken.texts.append(wire.require_type(part.text, str, where, f"{path}.text"))
    if raw.get("type") in THINKING and not isinstance(raw.get("thinking"), list):
        spoken.thinking.append(raw)
    if spoken.role == "assistant":
        if not part.known:
            raise InputError(where, f"{path} is {part_label(raw)}, which is not a supported kind", HINT)
        refuse_other_calls(raw, part, where, path)


def refuse_other_calls(raw: dict[str, Any], part: MessagePart, where: str, path: str) -> None:
    """Reject a part of text, reasoning or media with a call inside."""
    if part.call is not None or part.result is not None or str(raw.get("type")).startswith("data-"):
        return
    for name, value in raw.items():
        if isinstance(value, list | dict) and value:
            refuse_unread(value, (), where, f"{path}.{name}")


def _read_fields(spoken: Spoken, item: dict[str, Any], where: str, path: str) -> None:
    """The calls in the fields of a message. Where several fields hold the same call, it counts once."""
    of_content = spoken.calls
    spoken.calls = []
    extra = item.get("additional_kwargs")
    sources: list[tuple[dict[str, Any], str, tuple[str, ...]]] = [(item, path, LISTS)]
    if isinstance(extra, dict):
        sources.append((extra, f"{path}.additional_kwargs", EXTRA_LISTS))
    for source, place, lists in sources:
        for name in lists:
            if source.get(name):
                entries = wire.require_type(source[name], list, where, f"{place}.{name}")
                calls = [_field_call(raw, where, f"{place}.{name}[{i}]") for i, raw in enumerate(entries)]
                spoken.calls += unheard(calls, spoken.calls)
        for name in SINGLES:
            if source.get(name) is not None:
                spoken.calls += unheard([_field_call(source[name], where, f"{place}.{name}")], spoken.calls)
    spoken.calls += unheard(of_content, spoken.calls)
    for name in ECHOES:
        if item.get(name) and not spoken.calls:
            entries = wire.require_type(item[name], list, where, f"{path}.{name}")
            spoken.calls += [_field_call(raw, where, f"{path}.{name}[{i}]") for i, raw in enumerate(entries)]


def _field_call(raw: Any, where: str, path: str) -> ToolCall:
    part = read_part(wire.require_type(raw, dict, where, path))
    return wire.call_of(part.call if part.call is not None else read_call(raw), where, path)


def unheard(calls: list[ToolCall], earlier: list[ToolCall]) -> list[ToolCall]:
    """The calls that do not repeat one of those known: by id, or without ids by name and arguments."""
    left = list(earlier)
    new_calls = []
    for call in calls:
        echoed = next((other for other in left if _repeats(call, other)), None)
        if echoed is None:
            new_calls.append(call)
        else:
            left.remove(echoed)
    return new_calls


def _repeats(call: ToolCall, other: ToolCall) -> bool:
    if call.id and other.id and call.id == other.id:
        return call.name == other.name
    same = call.name == other.name and (call.arguments, call.raw) == (other.arguments, other.raw)
    return same and not (call.id and other.id)


def result_of(raw: SpelledResult, where: str, path: str) -> ToolResult:
    """A result as found, checked."""
    call_id = raw.id if isinstance(raw.id, str | int) else wire.require_type(raw.id, str, where, f"{path}.id")
    output = wire.output_of(raw.output, where, path)
    return ToolResult(str(call_id), output, raw.failed, raw.name if isinstance(raw.name, str) else "")


def _match_results(
    calls: list[ToolCall], results: list[ToolResult]
) -> tuple[list[ToolCall], list[ToolResult]]:
    """The calls with their results, and the results of other calls: a provider's own tools answer at once."""
    by_id = {result.call_id: result for result in results if result.call_id}
    matched = []
    for call in calls:
        result = by_id.pop(call.id, None) if call.id else None
        matched.append(call if result is None else wire.with_result(call, result))
    loose = [result for result in results if not result.call_id]
    return matched, [*by_id.values(), *loose]


def part_label(raw: dict[str, Any]) -> str:
    """A part in an error message: by its type, or by its fields."""
    kind = raw.get("type")
    if isinstance(kind, str):
        return f"a part of type '{kind[:60]}'"
    return f"an object with {', '.join(repr(str(key)[:40]) for key in list(raw)[:5]) or 'no fields'}"
