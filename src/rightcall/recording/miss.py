"""Why a request has no recorded reply: the first difference, the most informative first."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

import msgspec

from rightcall.core.text import one_line

NOT_RECORDED = "not_recorded"
"""The error of a call that a recorded server has no answer for."""

_SYSTEM_ROLES = ("system", "developer")
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?")
_NO_SETTINGS = frozenset(("model", "system", "instructions", "tools", "messages", "input", "contents"))


def explain(where: str, ask: Mapping[str, Any], recorded: Sequence[Mapping[str, Any]], number: int) -> str:
    """One line: which request or tool call, what changed since it was recorded, and what to run."""
    if "tool" in ask:
        return f"{where}: {_call_change(ask, recorded)}; nothing was called; run with --record auto"
    label = f"{where}, request {number + 1}"
    if not recorded:
        return f"{label}: nothing was recorded; run with --record auto"
    if number >= len(recorded):
        return f"{label}: only {len(recorded)} requests were recorded; run with --record auto"
    return f"{label}: {_change(ask, recorded[number])}; run with --record auto"


def _call_change(ask: Mapping[str, Any], recorded: Sequence[Mapping[str, Any]]) -> str:
    name = one_line(str(ask["tool"]), 60)
    if not recorded:
        return f"no result of {name} was recorded, nor of any other tool"
    same_tool = [call for call in recorded if call["tool"] == ask["tool"]]
    if not same_tool:
        others = ", ".join(dict.fromkeys(one_line(str(call["tool"]), 60) for call in recorded))
        return f"{name} was not called when this was recorded ({others})"
    if same := same_tool.count(ask):
        return (
            f"{name} was called {same} times with these arguments when this was recorded, and now once more"
        )
    now = msgspec.json.encode(ask["arguments"], order="deterministic").decode()
    texts = [msgspec.json.encode(call.get("arguments"), order="deterministic").decode() for call in same_tool]
    nearest = max(texts, key=lambda text: SequenceMatcher(None, now[:500], text[:500]).quick_ratio())
    return f"the arguments of {name} changed since it was recorded ({_first_difference(nearest, now)})"


def _change(now: Mapping[str, Any], then: Mapping[str, Any]) -> str:
    asked = _View(now)
    was = _View(then)
    since = "since it was recorded"
    if asked.url != was.url:
        return f"the URL changed {since} ({one_line(was.url, 80)} then, {one_line(asked.url, 80)} now)"
    if asked.model != was.model:
        return f"the model changed {since} ({one_line(was.model, 60)} then, {one_line(asked.model, 60)} now)"
    if names := sorted(
        n for n in {*asked.settings, *was.settings} if asked.settings.get(n) != was.settings.get(n)
    ):
        return f"settings changed {since} ({', '.join(names)})"
    if asked.system != was.system:
        return f"the system prompt changed {since} ({_first_difference(was.system, asked.system)})"
    if asked.tools != was.tools:
        return f"tools changed {since} ({_tool_changes(asked.tools, was.tools)})"
    return f"{_message_change(asked.messages, was.messages)} {since}"


class _View:
    """The parts of a request that are compared, whatever wire format it is in."""

    def __init__(self, ask: Mapping[str, Any]) -> None:
        body = ask.get("body", ask)
        body = body if isinstance(body, dict) else {"messages": [body]}
        self.url = str(ask.get("url", ""))
        self.model = str(body.get("model", ""))
        messages = body.get("messages", body.get("input", body.get("contents", [])))
        messages = messages if isinstance(messages, list) else [messages]
        systems = [m for m in messages if isinstance(m, dict) and m.get("role") in _SYSTEM_ROLES]
        self.system = _text(body.get("system") or body.get("instructions") or "") + "".join(
            map(_text, systems)
        )
        self.messages = [m for m in messages if m not in systems]
        self.tools = {_name(t, i): t for i, t in enumerate(body.get("tools") or [])}
        others = {name: value for name, value in body.items() if name not in _NO_SETTINGS}
        own = others.pop("settings", None)
        self.settings = {**others, **own} if isinstance(own, dict) else others


def _tool_changes(now: Mapping[str, Any], then: Mapping[str, Any]) -> str:
    changes = [f"{name}: no longer offered" for name in then if name not in now]
    changes += [f"{name}: new" for name in now if name not in then]
    changes += [
        f"{name}: {', '.join(_parts(now[name], then[name]))}"
        for name in now
        if name in then and now[name] != then[name]
    ]
    more = f"; {len(changes) - 3} more" if len(changes) > 3 else ""
    return "; ".join(changes[:3]) + more if changes else "their order"


def _parts(now: Any, then: Any) -> list[str]:
    if not isinstance(now, dict) or not isinstance(then, dict):
        return ["definition"]
    now = now.get("function", now)
    then = then.get("function", then)
    names = [n for n in {**then, **now} if then.get(n) != now.get(n)]
    return [{"input_schema": "parameters", "inputSchema": "parameters"}.get(name, name) for name in names]


def _message_change(now: Sequence[Any], then: Sequence[Any]) -> str:
    for i, (message, other) in enumerate(zip(now, then, strict=False)):
        if message != other:
            role = message.get("role", "?") if isinstance(message, dict) else "?"
            a = _text(other)
            b = _text(message)
            hint = ""
            if a != b and _DATE.sub("", a) == _DATE.sub("", b):
                hint = r"; only dates differ: record.ignore: ['$.messages[*].content~\d{4}-\d\d-\d\d'] ignores them"
            return f"message {i} of the {role} changed ({_first_difference(a, b)}){hint}"
    return f"the number of messages changed ({len(then)} then, {len(now)} now)"


def _first_difference(then: str, now: str) -> str:
    at = next(
        (i for i, (a, b) in enumerate(zip(then, now, strict=False)) if a != b), min(len(then), len(now))
    )
    start = max(0, at - 20)
    return f"{one_line(then[start : at + 60], 80)!r} then, {one_line(now[start : at + 60], 80)!r} now"


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return _text(value["content"]) if isinstance(value.get("content"), str | list) else repr(value)
    if not isinstance(value, list):
        return ""
    return "".join(_text(part.get("text", part) if isinstance(part, dict) else part) for part in value)


def _name(tool: Any, index: int) -> str:
    if not isinstance(tool, dict):
        return f"#{index}"
    function = tool.get("function")
    return str(
        tool.get("name") or (function.get("name") if isinstance(function, dict) else "") or f"#{index}"
    )
