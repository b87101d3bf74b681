"""What two calls share that are the same for a reader: defaults left out, numbers by value, texts by their letters."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from rightcall.metrics.matching.equality import equality_key
from rightcall.metrics.value_sources import bare_text
from rightcall.model.call import ToolCall
from rightcall.run.rehearsal.toolset import Toolset


def call_key(toolset: Toolset, call: ToolCall, *, defaults_in_words: bool = False) -> Hashable:
    """The same for calls that differ in case, space, punctuation, `1` and `1.0`, or a default that is passed.

    With `defaults_in_words` a default that only the description states counts too.
    """
    tool = toolset.tools.get(call.name)
    defaults = tool.defaults() if tool else {}
    arguments: dict[str, str] = {}
    for name, value in (call.arguments or {}).items():
        schema = toolset.parameter(call.name, name)
        if name in defaults and defaults[name] == value:
            continue
        if defaults_in_words and is_default(toolset, call.name, name, value):
            continue
        arguments[name] = value_key(value, schema)
    return call.name, tuple(sorted(arguments.items()))


def is_default(toolset: Toolset, tool: str, name: str, value: Any) -> bool:
    """Whether a value is the default that the schema or the description states."""
    stated, default = toolset.default(tool, name)
    if not stated or isinstance(value, dict | list):
        return stated and value == default
    if isinstance(value, bool):
        return str(value).casefold() == str(default).casefold()
    return value_key(value, {}) in (value_key(default, {}), value_key(_number(default), {}))


def value_key(value: Any, schema: dict[str, Any]) -> str:
    """A value as text. Choices of an enum keep their case."""
    if isinstance(value, str):
        return value if "enum" in schema else bare_text(value) or value
    if isinstance(value, list):
        return "[" + ",".join(value_key(item, {}) for item in value) + "]"
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(float(value)) if abs(value) < 1e15 else str(value)
    return repr(equality_key(value))


def _number(text: Any) -> Any:
    """The number that a default in words writes."""
    try:
        return float(text) if isinstance(text, str) else text
    except ValueError:
        return text
