"""Messages of requests and answers, in any format found in traces.

GenAI parts, OpenAI chat and Responses, Anthropic blocks, Gemini parts, LangChain's three, OpenInference. Made
for untrusted data: nothing here raises, and unknown parts are skipped.
"""

from __future__ import annotations

from typing import Any

import msgspec

from rightcall.model.message import Role
from rightcall.traces.content import ABSENT, as_text, parsed

ROLES: dict[str, Role] = {
    "system": "system", "developer": "system", "user": "user", "human": "user", "HumanMessage": "user",
    "assistant": "assistant", "ai": "assistant", "model": "assistant", "AIMessage": "assistant",
    "AIMessageChunk": "assistant", "tool-call": "assistant", "tool_call": "assistant", "tool": "tool",
    "function": "tool", "tool-response": "tool", "tool_response": "tool", "ToolMessage": "tool",
    "FunctionMessage": "tool", "SystemMessage": "system",
}  # fmt: skip


class Called(msgspec.Struct, gc=False):
    """A call as a model wrote it; `arguments` is `ABSENT` when they were not recorded."""

    name: str
    arguments: Any = ABSENT
    id: str = ""


class Returned(msgspec.Struct, gc=False):
    """The result of a call as the model saw it."""

    id: str = ""
    name: str = ""
    output: Any = None
    failed: bool = False


class SpokenMessage(msgspec.Struct, gc=False):
    """One message."""

    role: Role
    text: str = ""
    calls: list[Called] = []
    results: list[Returned] = []
    finish: str = ""
    malformed: bool = False


def read_messages(value: Any) -> list[SpokenMessage] | None:
    """Messages of a list, of its JSON text, or of an object that contains one; None when there are none."""
    value = parsed(value)
    if isinstance(value, dict):
        for key in ("messages", "input", "prompt", "contents", "prompts"):
            if isinstance(parsed(value.get(key)), list):
                return read_messages(value[key])
        one = read_message(value)
        return [one] if one is not None else None
    if isinstance(value, str):
        return [SpokenMessage("user", value)] if value else None
    if not isinstance(value, list):
        return None
    if len(value) == 1 and isinstance(value[0], list) and value[0] and isinstance(value[0][0], dict | list):
        value = value[0]  # LangChain batches
    said = [message for item in value if (message := read_message(item)) is not None]
    return merged(said) if said else None


def merged(messages: list[SpokenMessage]) -> list[SpokenMessage]:
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
                message.finish,
                last.malformed or message.malformed,
            )
        else:
            out.append(message)
    return out


def read_answer(value: Any) -> SpokenMessage | None:
    """The answer in a model's output: a message, choices, generations, candidates, output items."""
    value = parsed(value)
    if isinstance(value, str):
        return SpokenMessage("assistant", value) if value else None
    if isinstance(value, list):
        found = [m for item in value if (m := read_answer(item)) is not None]
        answers = merged([message for message in found if message.role == "assistant"])
        return answers[-1] if answers else None
    if not isinstance(value, dict):
        return None
    for key in ("choices", "generations", "candidates", "output", "messages", "content"):
        if isinstance(inner := value.get(key), list) and key != "content" and inner:
            return _finished(read_answer(inner[:1] if key in ("choices", "candidates") else inner), value)
    if isinstance(inner := value.get("message"), dict) or isinstance(inner := value.get("output"), dict):
        return _finished(read_answer(inner), value)
    message = read_message({"role": "assistant", **value} if _role(value) is None else value)
    return _finished(message, value)


def _finished(answer: SpokenMessage | None, holder: dict[str, Any]) -> SpokenMessage | None:
    info = holder.get("generation_info")
    for source in (holder, info if isinstance(info, dict) else {}):
        for key in ("finish_reason", "stop_reason", "finishReason"):
            if answer is not None and not answer.finish and isinstance(found := source.get(key), str):
                answer.finish = found
    return answer


def read_message(item: Any) -> SpokenMessage | None:
    """One message, or None."""
    if isinstance(item, str):
        return SpokenMessage("user", item)
    if isinstance(item, list) and len(item) == 2 and isinstance(item[0], str):  # LangChain's ("user", "text")
        return SpokenMessage(ROLES.get(item[0], "user"), as_text(item[1]))
    if not isinstance(item, dict):
        return None
    outer, item = item, _unwrapped(item)
    kind = item.get("type")
    if kind in ("function_call", "function_call_output", "reasoning", "custom_tool_call"):
        return _responses_item(item)
    role = _role(item)
    if role is None:
        return None
    said = SpokenMessage(role, calls=[], results=[])
    if "parts" in item:
        if not isinstance(item["parts"], list):
            said.malformed = True
            return said
        _read_blocks(said, item["parts"])
    for key in ("content", "contents"):  # OpenInference may write both, with the same text
        if said.text and key == "contents":
            continue
        if isinstance(held := item.get(key), list):
            _read_blocks(said, held)
        elif isinstance(held, str) and held and not said.text:
            said.text = held
    said.calls += [call for call in map(_read_call, _list(item.get("tool_calls"))) if call is not None]
    said.calls += [
        call for call in map(_read_call, _list(item.get("invalid_tool_calls"))) if call is not None
    ]
    if isinstance(old := item.get("function_call"), dict) and isinstance(old.get("name"), str):
        said.calls.append(Called(old["name"], old.get("arguments", ABSENT)))
    said.calls = _once(said.calls)
    said.finish = as_text(item.get("finish_reason") or item.get("stop_reason") or outer.get("finish_reason"))
    if role == "tool" and not said.results:
        call_id = as_text(item.get("tool_call_id") or item.get("id"))
        said.results = [
            Returned(call_id, as_text(item.get("name")), parsed(said.text), item.get("status") == "error")
        ]
    return said


def _once(calls: list[Called]) -> list[Called]:
    """Each call once: OpenInference may write those of Anthropic as content and as calls."""
    known: dict[tuple[str, str], Called] = {}
    return [c for c in calls if not c.id or known.setdefault((c.id, c.name), c) is c]


def _responses_item(item: dict[str, Any]) -> SpokenMessage | None:
    call_id = as_text(item.get("call_id") or item.get("id"))
    if item["type"] == "reasoning":
        return None
    if item["type"] == "function_call_output":
        return SpokenMessage("tool", results=[Returned(call_id, "", parsed(item.get("output")))])
    return SpokenMessage(
        "assistant", calls=[Called(as_text(item.get("name")), item.get("arguments", ABSENT), call_id)]
    )


def _unwrapped(item: dict[str, Any]) -> dict[str, Any]:
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


def _read_blocks(said: SpokenMessage, blocks: list[Any]) -> None:
    texts: list[str] = [said.text] if said.text else []
    for block in blocks:
        if isinstance(block, str):
            texts.append(block)
        if not isinstance(block, dict):
            continue
        if isinstance(inner := block.get("message_content"), dict):
            block = {**block, **inner}  # noqa: PLW2901
        kind = block.get("type")
        if kind in ("tool_call", "tool_use", "server_tool_call") or "functionCall" in block:
            if (call := _read_call(block)) is not None:
                said.calls.append(call)
        elif kind in ("tool_call_response", "tool_result") or "functionResponse" in block:
            said.results.append(_read_result(block))
        elif kind in ("thinking", "reasoning"):
            continue
        elif isinstance(text := block.get("content", block.get("text")), str):
            texts.append(text)
    said.text = "\n".join(texts)


def _read_call(raw: Any) -> Called | None:
    if not isinstance(raw, dict):
        return None
    for key in ("tool_call", "functionCall", "function_call"):
        if isinstance(inner := raw.get(key), dict):
            raw = {**inner, "id": inner.get("id", raw.get("id"))}
    function = raw.get("function")
    source = function if isinstance(function, dict) else raw
    arguments: Any = ABSENT
    for key in ("arguments", "args", "input"):
        if key in source:
            arguments = source[key]
            break
    name = as_text(
        source.get("name") or (function if isinstance(function, str) else "")
    )  # Inspect's is a text
    return Called(
        name or "?", arguments, as_text(raw.get("id") or raw.get("call_id") or raw.get("tool_call_id"))
    )


def _read_result(raw: dict[str, Any]) -> Returned:
    if isinstance(inner := raw.get("functionResponse"), dict):
        return Returned(as_text(inner.get("id")), as_text(inner.get("name")), inner.get("response"))
    output = next((raw[key] for key in ("response", "result", "content", "output") if key in raw), None)
    if isinstance(output, list) and all(isinstance(part, dict) and "text" in part for part in output):
        output = "\n".join(as_text(part["text"]) for part in output)
    failed = raw.get("is_error") is True or raw.get("status") == "error"
    return Returned(
        as_text(raw.get("id") or raw.get("tool_use_id")), as_text(raw.get("name")), parsed(output), failed
    )


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
