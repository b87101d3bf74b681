"""Helpers for content: JSON inside text, arguments, lists flattened into numbered names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rightcall.core.depth import is_too_deep, too_deep

ABSENT: Any = msgspec.UNSET
"""Not recorded."""


def parse_container(value: Any) -> Any:
    """The parsed value of a JSON object or list; otherwise the value itself."""
    if isinstance(value, str) and value[:1] in "{[ \n\t" and value.strip()[:1] in ("{", "["):
        return json_value(value)
    return value


def json_value(value: Any) -> Any:
    """The value of any JSON text, a quoted text or a number too; otherwise the value itself."""
    if not isinstance(value, str):
        return value
    decoded = from_json(value)
    return value if decoded is ABSENT else decoded


def from_json(text: str) -> Any:
    """The value of a JSON text; `ABSENT` when it is not JSON, or too deep to walk."""
    try:
        data = text.encode()
        return ABSENT if too_deep(data) else msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return ABSENT


def arguments_of(value: Any) -> tuple[dict[str, Any] | None, str | None]:
    """Arguments and raw text of a call, as in `ToolCall`: both None when unknown.

    Text is read as JSON, twice if it was encoded twice. Empty text or null means unknown.
    """
    if value is ABSENT or value is None or value == "":
        return None, None
    read = json_value(json_value(value))
    if isinstance(read, dict) and not is_too_deep(read):
        return {str(key): held for key, held in read.items()}, None
    if read is None:
        return None, None
    return None, value if isinstance(value, str) else as_text(value)


def as_text(value: Any) -> str:
    """A value as the text that a model would read."""
    if value is None or value is ABSENT:
        return ""
    if isinstance(value, str):
        return value
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        return ""


def nest_attributes(attributes: Mapping[str, Any], prefix: str) -> Any:
    """`prefix.0.message.role` and similar names as nested lists and objects; None when there are none.

    Numbers need not start at 0 and may have gaps: a list contains what exists, in order.
    """
    tree: dict[str, Any] = {}
    start = f"{prefix}."
    for name, value in attributes.items():
        if not name.startswith(start):
            continue
        *parents, last = name[len(start) :].split(".")[:20]
        node = tree
        for part in parents:
            deeper = node.setdefault(part, {})
            if not isinstance(deeper, dict):
                deeper = node[part] = {"": deeper}
            node = deeper
        if isinstance(held := node.get(last), dict):
            held.setdefault("", value)
        else:
            node[last] = value
    return _as_lists(tree) if tree else None


def _as_lists(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    if all(key.isdecimal() for key in node):
        return [_as_lists(node[key]) for key in sorted(node, key=int)]
    return {key: _as_lists(value) for key, value in node.items()}


def tool_message(value: Any) -> dict[str, Any] | None:
    """LangChain's message of a tool, in any of its three forms."""
    value = parse_container(value)
    if is_callback_event(value) or (isinstance(value, dict) and set(value) == {"output"}):
        value = parse_container(value["output"])
    for _ in range(2):
        if not isinstance(value, dict):
            return None
        if value.get("lc") == 1 and isinstance(value.get("kwargs"), dict):
            value = {**value["kwargs"], "type": "tool"}
        elif isinstance(value.get("data"), dict) and isinstance(value.get("type"), str):
            value = {**value["data"], "type": value["type"]}
    is_message = value.get("type") in ("tool", "ToolMessage") and "content" in value
    return value if is_message else None


def is_callback_event(value: Any) -> bool:
    """Whether this is the input of LangChain's callback, rather than the return value of a tool."""
    return isinstance(value, dict) and set(value) == {"output", "kwargs"}


def as_dict(value: Any) -> dict[str, Any]:
    """An object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any) -> list[Any]:
    """A list; an empty one for anything else."""
    return value if isinstance(value, list) else []


def as_dicts(value: Any) -> list[dict[str, Any]]:
    """The objects of a list, and nothing else."""
    return [item for item in as_list(value) if isinstance(item, dict)]


def whole_number(value: Any) -> int | None:
    """A count of tokens; None when it is not one."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 16:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 2**53:
        return None
    return int(value)


def first_text(*values: Any) -> str:
    """The first non-empty string."""
    for value in values:
        if isinstance(value, str) and value:
            return value
    return ""
