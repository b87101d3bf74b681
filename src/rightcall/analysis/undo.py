"""Definitions and system prompt with one change undone, and the results of running goldens that way."""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from rightcall.analysis.changes import ChangeItem
from rightcall.model.record import Record
from rightcall.model.tool import Tool


class UndoneEffect(Record, frozen=True):
    """One change undone alone: rates of the broken goldens with and without it, and of as many that did not break.

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
        _put(properties, item.parameter, item.before)
    else:
        key = item.path.rpartition(".")[2]
        holder = properties.setdefault(item.parameter, {})
        _put(holder, key, _text(item, str(holder.get(key, ""))) if key == "description" else item.before)
    return msgspec.structs.replace(tool, input_schema=schema)


def _put(holder: dict[str, Any], key: str, value: Any) -> None:
    if value is None or value == "":
        holder.pop(key, None)
    else:
        holder[key] = value


def _text(item: ChangeItem, text: str) -> str:
    """A text with a sentence as it was, put back at the end, or taken away."""
    if item.what == "written differently":
        return str(item.before)
    if item.after is None:
        return f"{text.rstrip()} {item.before}.".strip()
    if item.before is None:
        return re.sub(rf"\s*{re.escape(str(item.after))}[.!?]*", "", text, count=1).strip()
    return text.replace(str(item.after), str(item.before), 1)
