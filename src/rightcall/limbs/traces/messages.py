"""Messages of requests and answers, in any format found in traces.

Parts and calls are read as everywhere (`records.dialects.parts`); the wrappers of traces are known here: GenAI parts,
LangChain's three, OpenInference. Made for untrusted data: nothing here raises. A part of an answer that is of no known
kind might be a call, so the message says that it was not read whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from rightcall.core.errors import InputError
from rightcall.limbs.traces.content import (
    ABSENT,
    arguments_of,
    as_dict,
    as_list,
    as_text,
    first_text,
    parse_container,
)
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.dialects.documents import one_answer, read_document
from rightcall.records.dialects.endings import finish_of, require_end
from rightcall.records.dialects.message_fields import refuse_hidden_calls
from rightcall.records.dialects.part_kinds import EXTRA_LISTS, LISTS, SINGLES
from rightcall.records.dialects.parts import (
    SpelledCall,
    SpelledResult,
    is_item,
    read_call,
    read_part,
    type_of,
)
from rightcall.records.dialects.spoken_message import part_label, unheard
from rightcall.records.dialects.unread_calls import first_unread
from rightcall.records.message import Message, Role, calls_of

ROLES: dict[str, Role] = {
    "system": "system", "developer": "system", "user": "user", "human": "user", "HumanMessage": "user",
    "assistant": "assistant", "ai": "assistant", "model": "assistant", "AIMessage": "assistant",
    "AIMessageChunk": "assistant", "tool-call": "assistant", "tool_call": "assistant", "tool": "tool",
    "function": "tool", "tool-response": "tool", "tool_response": "tool", "ToolMessage": "tool",
    "FunctionMessage": "tool", "SystemMessage": "system", "AssistantMessage": "assistant",
    "ToolCallRequestEvent": "assistant", "FunctionExecutionResultMessage": "tool", "UserMessage": "user",
}  # fmt: skip


ALTERNATIVES = ("choices", "candidates", "generations")
HOLDERS = ("content", "contents", "parts", *LISTS, *SINGLES, "refusal", "reasoning_content", "tool_plan")
HISTORY = ("messages", "input", "inputs", "prompt", "contents", "history", "chat_history")
"""Fields next to an answer with what was said before it: those calls are in the spans of earlier answers."""
FINISH_FIELDS = ("finish_reason", "stop_reason", "finishReason")
CALL_WORDS = ("call", "tool", "function", "action")
"""Words in the type of an object that a model's answer is, which say that it may be a call."""


class Called(msgspec.Struct, gc=False):
    """A call as a model wrote it; `arguments` is `ABSENT` when they were not recorded."""

    name: str
    arguments: Any = ABSENT
    id: str = ""


class SpokenMessage(msgspec.Struct, gc=False):
    """One message. `unread` says what of it could not be read; empty when everything could."""

    role: Role
    text: str = ""
    calls: list[Called] = []
    results: list[ToolResult] = []
    finish: str = ""
    malformed: bool = False
    unread: str = ""


def read_messages(value: Any) -> list[SpokenMessage] | None:
    """Messages of a list, of its JSON text, or of an object that contains one; None when there are none."""
    value = parse_container(value)
    if isinstance(value, dict):
        for key in ("messages", "input", "prompt", "contents", "prompts"):
            if isinstance(parse_container(value.get(key)), list):
                return read_messages(value[key])
        single_message = read_message(value)
        return [single_message] if single_message is not None else None
    if isinstance(value, str):
        return [SpokenMessage("user", value)] if value else None
    if not isinstance(value, list):
        return None
    if len(value) == 1 and isinstance(value[0], list) and value[0] and isinstance(value[0][0], dict | list):
        value = value[0]  # LangChain batches
    messages = [message for item in value if (message := read_message(item)) is not None]
    return merge_answers(messages) if messages else None


def merge_answers(messages: list[SpokenMessage]) -> list[SpokenMessage]:
    """Adjacent assistant messages merged: one answer may be recorded as several messages."""
    out: list[SpokenMessage] = []
    for message in messages:
        if out and message.role == out[-1].role == "assistant":
            last = out[-1]
            text = "\n".join(part for part in (last.text, message.text) if part)
            out[-1] = SpokenMessage(
                "assistant",
                text,
                last.calls + message.calls,
                [],
                finish=message.finish,
                malformed=last.malformed or message.malformed,
                unread=last.unread or message.unread,
            )
        else:
            out.append(message)
    return out


def read_answer(value: Any) -> SpokenMessage | None:
    """The answer in a model's output: a message, choices, generations, candidates, output items."""
    answer = _answer_in(value)
    value = parse_container(value)
    if broken := _broken_end(value):
        return _unread(broken)
    if answer is None:
        if first_unread(value, ()) is None:
            return SpokenMessage("assistant") if value == [] else None  # recorded: it said nothing
        answer = _unread("holds a call that cannot be read")
    answer.unread = answer.unread or _unread_in(value, answer)
    return (_as_agents_return_it(value) if answer.unread else None) or answer


def _broken_end(value: Any) -> str:
    """What a response says about its end, if it failed or is not finished; empty when it is whole."""
    last = value[-1] if isinstance(value, list) and value else value
    try:
        require_end(finish_of(last) if isinstance(last, dict) else None, "the answer", "the answer")
    except InputError as error:
        return error.problem.removeprefix("the answer ")
    return ""


def _unread_in(value: Any, answer: SpokenMessage) -> str:
    """What of an answer was not read: a call without a name, or one in a field that is not read."""
    if any(not call.name for call in answer.calls):
        return "the answer holds a call without a name"
    if not isinstance(value, dict):
        return ""
    others = {name: inner for name, inner in value.items() if name not in HISTORY}
    name = first_unread(others, tool_calls(answer.calls))
    return "" if name is None else f"the answer holds a call of '{name[:60]}' in a field that is not read"


def tool_calls(calls: list[Called]) -> list[ToolCall]:
    """Calls of an answer, their arguments parsed."""
    parsed = ((call, *arguments_of(call.arguments)) for call in calls)
    return [ToolCall(call.name, arguments, call.id, raw=raw) for call, arguments, raw in parsed]


def as_called(calls: Iterable[ToolCall]) -> list[Called]:
    """Parsed calls as a model wrote them."""
    return [
        Called(call.name, call.raw if call.arguments is None else call.arguments, call.id) for call in calls
    ]


def as_message(spoken: SpokenMessage, calls: Iterable[ToolCall]) -> Message:
    """A message of a transcript; results are its content where it has some."""
    return Message(
        spoken.role, spoken.text if not spoken.results else "", tuple(calls), tuple(spoken.results)
    )


def _as_agents_return_it(value: Any) -> SpokenMessage | None:
    """An answer in a spelling that is not specific to traces; None when it cannot be read either."""
    document = {"messages": value} if isinstance(value, list) else value
    try:
        messages = read_document(document, "the answer") if isinstance(document, dict) else None
    except InputError:
        return None
    if messages is None:
        return None
    spoken = [message for message in messages if message.role == "assistant"]
    text = "\n".join(message.content for message in spoken if message.content)
    return SpokenMessage("assistant", text, as_called(calls_of(spoken)))


def _answer_in(value: Any) -> SpokenMessage | None:
    value = parse_container(value)
    if isinstance(value, str):
        return SpokenMessage("assistant", value) if value else None
    if isinstance(value, list):
        messages = [m for item in value if (m := _answer_in(item) or _unknown_caller(item)) is not None]
        answers = merge_answers([message for message in messages if message.role == "assistant"])
        return answers[-1] if answers else None
    if not isinstance(value, dict):
        return None
    for key in ("choices", "generations", "candidates", "output", "messages"):
        if isinstance(inner := value.get(key), list) and inner:
            answer = _alternatives(inner, key) if key in ALTERNATIVES else _answer_in(inner)
            return _with_finish(answer, value)
    if isinstance(inner := value.get("message"), dict) or isinstance(inner := value.get("output"), dict):
        return _with_finish(_answer_in(inner), value)
    held = _unwrap_message(value)
    if _role(held) is None and held.keys().isdisjoint(HOLDERS):
        return _item_or_object(held)
    message = read_message({"role": "assistant", **value} if _role(value) is None else value)
    return _with_finish(message, value)


def _unknown_caller(item: Any) -> SpokenMessage | None:
    """An item of a list that is nothing known, but has a call."""
    name = first_unread(item, ())
    return None if name is None else _unread(f"holds a call of '{name[:60]}'")


def _unread(problem: str) -> SpokenMessage:
    return SpokenMessage("assistant", unread=f"the answer {problem}")


def _item_or_object(value: dict[str, Any]) -> SpokenMessage | None:
    """An item of an answer, or the object that a model answered with: that is its text."""
    if "jsonrpc" in value or value.get("method") == "tools/call":
        return _unread("holds a request of the Model Context Protocol")
    part = _part_message(value)
    kind = type_of(value).lower()
    if (part is None or part.unread) and (name := first_unread(value, ())) is not None:
        return _unread(f"is an object with a call of '{name[:60]}'")
    unread = part is not None and part.unread and not any(word in kind for word in CALL_WORDS)
    return SpokenMessage("assistant", as_text(value)) if unread or (part is None and not kind) else part


def _alternatives(candidates: list[Any], name: str) -> SpokenMessage | None:
    """The one answer; where alternatives call different tools, nobody knows which the agent followed."""
    try:
        items = one_answer(candidates, name, "the answer")
    except InputError as error:
        first = _answer_in(candidates[:1]) or SpokenMessage("assistant")
        first.unread = error.problem
        return first
    answer = _answer_in(items)
    if answer is not None:
        _with_finish(answer, candidates[0] if isinstance(candidates[0], dict) else {})
    return answer


def _with_finish(answer: SpokenMessage | None, holder: dict[str, Any]) -> SpokenMessage | None:
    if answer is not None and not answer.finish:
        sources = (holder, as_dict(holder.get("generation_info")))
        answer.finish = first_text(*(source.get(key) for source in sources for key in FINISH_FIELDS))
    return answer


def read_message(item: Any) -> SpokenMessage | None:
    """One message, or None."""
    if isinstance(item, str):
        return SpokenMessage("user", item)
    if isinstance(item, list) and len(item) == 2 and isinstance(item[0], str):  # LangChain's ("user", "text")
        return SpokenMessage(ROLES.get(item[0], "user"), as_text(item[1]))
    if not isinstance(item, dict):
        return None
    outer, item = item, _unwrap_message(item)
    role = _role(item)
    if role is None or is_item(item):
        return _part_message(item)
    spoken = SpokenMessage(role, calls=[], results=[])
    if "parts" in item:
        if not isinstance(item["parts"], list):
            spoken.malformed = True
            return spoken
        _read_blocks(spoken, item["parts"])
    for key in ("content", "contents"):  # OpenInference may write both, with the same text
        if spoken.text and key == "contents":
            continue
        if isinstance(held := item.get(key), list):
            _read_blocks(spoken, held)
        elif isinstance(held, dict) and role == "assistant":
            _read_blocks(spoken, [held])
        elif isinstance(held, str) and held and not spoken.text:
            spoken.text = held
    _read_fields(spoken, item)
    finish = item.get("finish_reason") or item.get("stop_reason") or outer.get("finish_reason")
    spoken.finish = "refusal" if item.get("refusal") else as_text(finish)
    if role == "tool" and not spoken.results:
        call_id = as_text(item.get("tool_call_id") or item.get("id"))
        failed = item.get("status") == "error"
        name = as_text(item.get("name"))
        spoken.results = [ToolResult(call_id, parse_container(spoken.text), failed, name)]
    return spoken


def _read_fields(spoken: SpokenMessage, item: dict[str, Any]) -> None:
    """The calls in the fields of a message; those that only repeat others count once."""
    of_parts = spoken.calls
    spoken.calls = []
    for source, lists in ((item, LISTS), (as_dict(item.get("additional_kwargs")), EXTRA_LISTS)):
        for name in lists:
            entries = source.get(name)
            if entries and not isinstance(entries, list):
                spoken.unread = spoken.unread or f"the answer's {name} must be a list"
            spoken.calls += _unheard([_read_call(raw) for raw in as_list(entries)], spoken.calls)
        for name in SINGLES:
            if isinstance(old := source.get(name), dict):
                spoken.calls += _unheard([_read_call(old)], spoken.calls)
    spoken.calls += _unheard(of_parts, spoken.calls)
    if spoken.role == "assistant":
        try:
            others = {name: value for name, value in item.items() if name != "contents"}  # read as content
            refuse_hidden_calls(others, tool_calls(spoken.calls), "", "the answer")
        except InputError as error:
            spoken.unread = spoken.unread or error.problem


def _unheard(calls: list[Called], heard: list[Called]) -> list[Called]:
    """Calls that do not repeat one of those known; whether arguments were recorded stays with them."""
    parsed_calls = tool_calls(calls)
    new = {id(call) for call in unheard(parsed_calls, tool_calls(heard))}
    return [call for call, parsed in zip(calls, parsed_calls, strict=True) if id(parsed) in new]


def _part_message(item: dict[str, Any]) -> SpokenMessage | None:
    """An item of the Responses API, or a part without a message."""
    part = read_part(item)
    if part.call is not None:
        return SpokenMessage("assistant", calls=[_call_of(part.call)])
    if part.result is not None:
        return SpokenMessage("tool", results=[_result_of(part.result)])
    if part.text is not None:
        return SpokenMessage("assistant", as_text(part.text))
    if part.known or not type_of(item):
        return None
    return _unread(f"holds {part_label(item)}")


def _unwrap_message(item: dict[str, Any]) -> dict[str, Any]:
    """The message without LangChain's and OpenInference's wrappers."""
    for _ in range(3):
        if isinstance(inner := item.get("message"), dict):
            item = inner
        elif item.get("lc") == 1 and isinstance(inner := item.get("kwargs"), dict):
            kind = item.get("id")
            name = kind[-1] if isinstance(kind, list) and kind and isinstance(kind[-1], str) else ""
            item = inner if _role(inner) is not None else {**inner, "type": name}
        elif isinstance(inner := item.get("data"), dict) and isinstance(item.get("type"), str):
            item = {**inner, "type": item["type"]}
        else:
            break
    return item


def _role(item: dict[str, Any]) -> Role | None:
    for key in ("role", "type"):
        if isinstance(word := item.get(key), str) and word in ROLES:
            return ROLES[word]
    return "assistant" if "tool_calls" in item and "role" not in item else None


def _read_blocks(spoken: SpokenMessage, blocks: list[Any]) -> None:
    texts: list[str] = [spoken.text] if spoken.text else []
    for block in blocks:
        if isinstance(block, str):
            texts.append(block)
        if not isinstance(block, dict):
            continue
        if isinstance(inner := block.get("message_content"), dict):
            block = {**block, **inner}  # noqa: PLW2901
        part = read_part(block)
        if part.call is not None:
            spoken.calls.append(_call_of(part.call))
        if part.result is not None:
            spoken.results.append(_result_of(part.result))
        if part.text is not None and not part.thinking:
            texts.append(as_text(part.text))
        elif not part.known:
            if isinstance(text := block.get("content", block.get("text")), str):
                texts.append(text)
            if spoken.role == "assistant":
                spoken.unread = spoken.unread or f"the answer holds {part_label(block)}"
    spoken.text = "\n".join(texts)


def _read_call(raw: Any) -> Called:
    """A call in a field of calls: whatever it is, it counts."""
    if not isinstance(raw, dict):
        return Called("", ABSENT)
    part = read_part(raw)
    return _call_of(part.call if part.call is not None else read_call(raw))


def _call_of(raw: SpelledCall) -> Called:
    return Called(as_text(raw.name), raw.arguments, as_text(raw.id))


def _result_of(raw: SpelledResult) -> ToolResult:
    output = raw.output
    if isinstance(output, list) and all(isinstance(part, dict) and "text" in part for part in output):
        output = "\n".join(as_text(part["text"]) for part in output)
    return ToolResult(as_text(raw.id), parse_container(output), raw.failed, as_text(raw.name))
