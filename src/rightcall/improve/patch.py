"""Definitions with changes applied or undone: the result, its cost in tokens, and the difference as a patch."""

from __future__ import annotations

import copy
import difflib
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from rightcall.improve.changes import ChangeItem
from rightcall.improve.hypothesis import ProposedChange
from rightcall.lint.features.text import estimate_tokens
from rightcall.model.record import Record
from rightcall.model.tool import Tool

LONGER_SHARE, LONGER_TOKENS = 0.2, 60


def apply_changes(
    changes: Iterable[ProposedChange], tools: Sequence[Tool], system: str
) -> tuple[list[Tool], str]:
    """Definitions and system prompt with the changes applied; the arguments are not modified."""
    raw = [copy.deepcopy(msgspec.to_builtins(tool)) for tool in tools]
    for change in changes:
        if not change.tool:
            system = str(change.after)
            continue
        target = next((definition for definition in raw if definition["name"] == change.tool), None)
        if target is not None:
            _put(target, change.path, change.after)
    return [msgspec.convert(definition, Tool) for definition in raw], system


def _put(target: Any, path: Sequence[str | int], value: Any) -> None:
    *inner, last = path
    for key in inner:
        target = target.setdefault(key, {}) if isinstance(target, dict) else target[key]
    target[last] = value


def tokens_of(tools: Sequence[Tool], system: str) -> int:
    """Estimated tokens of definitions and system prompt in every request."""
    text = msgspec.json.encode([[t.name, t.description, t.input_schema] for t in tools]).decode()
    return estimate_tokens(text) + estimate_tokens(system)


def is_longer(before: int, after: int) -> bool:
    """Whether a change adds so much text that length alone might be what helps."""
    return after - before > min(LONGER_TOKENS, LONGER_SHARE * before)


def patch_of(tools: Sequence[Tool], system: str, after: Sequence[Tool], new_system: str) -> str:
    """A unified diff of the definitions, as `tools.json`, and of the system prompt."""
    parts = [
        ("tools.json", tools_text(tools), tools_text(after)),
        ("system.txt", system + "\n", new_system + "\n"),
    ]
    lines = [
        line
        for name, old, new in parts
        for line in difflib.unified_diff(old.splitlines(True), new.splitlines(True), f"a/{name}", f"b/{name}")
    ]
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def tools_text(tools: Sequence[Tool]) -> str:
    """Definitions as the text of a `tools.json`."""
    return json.dumps([msgspec.to_builtins(tool) for tool in tools], indent=2, ensure_ascii=False) + "\n"


class UndoneEffect(Record, frozen=True):
    """One change undone: rates of the broken goldens with and without it, and of as many that did not break.

    `caused` says that undoing it repairs broken goldens beyond chance (p, adjusted for the number of changes).
    """

    item: int
    place: str
    what: str
    broken: int = 0
    with_change: float = 0.0
    without: float = 0.0
    others_with: float = 0.0
    others_without: float = 0.0
    p: float = 1.0
    caused: bool = False
    problem: str = ""


def undone(
    item: ChangeItem, before: Sequence[Tool], after: Sequence[Tool], system: str
) -> tuple[list[Tool], str] | None:
    """The later definitions and system prompt without one change; None for one that is not about words or schemas."""
    if item.scope == "system":
        return list(after), _text(item, system)
    if item.scope == "order":
        place = {tool.name: at for at, tool in enumerate(before)}
        return sorted(after, key=lambda tool: place.get(tool.name, len(place))), system
    if item.scope == "tool" and item.what == "added":
        return [tool for tool in after if tool.name != item.tool], system
    if item.scope == "tool" and item.what == "removed":
        return [*after, *(tool for tool in before if tool.name == item.tool)], system
    if item.scope not in ("description", "parameter"):
        return None
    return [_tool(item, tool) if tool.name == item.tool else tool for tool in after], system


def _tool(item: ChangeItem, tool: Tool) -> Tool:
    if item.scope == "description":
        return msgspec.structs.replace(tool, description=_text(item, tool.description))
    schema = copy.deepcopy(tool.input_schema)
    if item.path == "input_schema.required":
        required = [name for name in schema.get("required") or [] if name != item.parameter]
        schema["required"] = [*required, item.parameter] if item.before else required
        return msgspec.structs.replace(tool, input_schema=schema)
    properties = schema.setdefault("properties", {})
    if item.what in ("parameter added", "parameter removed", "schema changed"):
        _restore(properties, item.parameter, item.before)
    else:
        key = item.path.rpartition(".")[2]
        holder = properties.setdefault(item.parameter, {})
        _restore(holder, key, _text(item, str(holder.get(key, ""))) if key == "description" else item.before)
    return msgspec.structs.replace(tool, input_schema=schema)


def _restore(holder: dict[str, Any], key: str, value: Any) -> None:
    if value is None or value == "":
        holder.pop(key, None)
    else:
        holder[key] = value


def _text(item: ChangeItem, text: str) -> str:
    """A text with a sentence restored, appended, or removed."""
    if item.what == "written differently":
        return str(item.before)
    if item.after is None:
        return f"{text.rstrip()} {item.before}.".strip()
    if item.before is None:
        return re.sub(rf"\s*{re.escape(str(item.after))}[.!?]*", "", text, count=1).strip()
    return text.replace(str(item.after), str(item.before), 1)
