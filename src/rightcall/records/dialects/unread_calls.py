"""Calls in places that nobody reads: what looks like one at any depth of a response is read, echoes a call that was
read, or the response is refused.

Frameworks keep calls in other fields (`intermediate_steps`, `required_action`, …). No list of those is ever
complete, so the shape decides: a name with arguments, or a type or field that means a call. Definitions of tools,
results, and what users and systems say are not calls.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from rightcall.core.errors import InputError
from rightcall.records.call import ToolCall
from rightcall.records.dialects import part_kinds as kinds, wire
from rightcall.records.dialects.parts import ABSENT, SpelledCall, by_type, read_call, read_part, type_of

NAMES = (
    "name", "toolName", "tool_name", "tool", "function_name", "functionName", "FunctionName", "function", "action",
)  # fmt: skip
ARGUMENTS = (
    "arguments", "args", "input", "parameters", "tool_input", "toolInput", "tool_args", "tool_arguments", "tool_kwargs",
    "kwargs", "action_input", "Arguments", "raw_input",
)  # fmt: skip
"""Where frameworks keep the pieces of a call, beyond the spellings that are read."""

OTHER_THINGS = frozenset(
    ("tools", "functions", "tool_choice", "toolConfig", "tool_config", "input_schema", "inputSchema", "output_schema",
     "json_schema", "response_format", "structured_response", "structuredResponse", "parsed", "parsed_arguments",
     "output_parsed", "usage", "usage_metadata", "logprobs", "config")
)  # fmt: skip
"""Fields that hold definitions, settings and values of the user's own schema."""

SCHEMA_WORDS = frozenset(("properties", "$schema", "additionalProperties", "$defs"))
OTHER_ROLES = frozenset(("user", "human", "system", "developer", "tool", "function"))
VAGUE = frozenset(("function", "custom", "program"))
"""Types of calls that are also those of other things."""


def calls_within(value: Any, read: Collection[int] = ()) -> list[SpelledCall]:
    """Everything shaped like a call at any depth of a value; `read` has the `id()` of parts to leave out."""
    calls: list[SpelledCall] = []
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, list | tuple):
            waiting += here
        elif isinstance(here, dict) and id(here) not in read and not _is_other(here):
            call = _call_in(here)
            if call is not None:
                calls.append(call)
                continue
            for name, inner in here.items():
                if name in kinds.LISTS and isinstance(inner, list):  # calls, whatever they look like
                    entries = [entry for entry in inner if isinstance(entry, dict)]
                    calls += [_call_in(entry) or SpelledCall(type_of(entry)) for entry in entries]
                elif name not in OTHER_THINGS:
                    waiting.append(inner)
    return calls


def first_unread(value: Any, calls: Sequence[ToolCall], read: Collection[int] = ()) -> str | None:
    """The name of a call within a value that is none of those known, `?` for one without a name; None when there is
    none. The same call may be written several times, with other ids.
    """
    spelled_calls = calls_within(value, read)
    ids = {(call.id, call.name) for call in calls if call.id} if spelled_calls else ()
    for raw in spelled_calls:
        try:
            call = wire.call_of(raw, "", "")
        except InputError:
            return "?"
        if (call.id, call.name) not in ids and not any(_same(call, other) for other in calls):
            return call.name or "?"
    return None


def refuse_unread(
    value: Any, calls: Sequence[ToolCall], where: str, path: str, read: Collection[int] = ()
) -> None:
    name = first_unread(value, calls, read)
    if name is not None:
        problem = f"{path} looks like it has a call of '{name[:60]}', but calls are not read from there"
        hint = "write every call in a message as tool_calls: [{name, arguments}], or return the calls alone"
        raise InputError(where, problem, hint)


def _is_other(value: dict[str, Any]) -> bool:
    """The definition of a tool, a result, or a message of anyone but an assistant."""
    if not value.keys().isdisjoint(("input_schema", "inputSchema")):
        return True
    function = value.get("function")
    inner = function.get("parameters") if isinstance(function, dict) else None
    for schema in (value.get("parameters"), inner):
        if isinstance(schema, dict) and not SCHEMA_WORDS.isdisjoint(schema):
            return True
    if isinstance(role := value.get("role"), str) and role.lower() in OTHER_ROLES:
        return True
    return read_part(value).result is not None and _call_in(value) is None


def _same(call: ToolCall, other: ToolCall) -> bool:
    """Whether two calls ask for the same; arguments that were not recorded ask for nothing else."""
    return call.name == other.name and (call.arguments or {}, call.raw) == (other.arguments or {}, other.raw)


def _call_in(value: dict[str, Any]) -> SpelledCall | None:
    if "role" in value and ("content" in value or "parts" in value):
        return None  # a message, with calls inside
    kind = type_of(value)
    if kind not in VAGUE and (typed := by_type(value, kind).call) is not None:
        return typed
    for field in kinds.CALL_FIELDS:
        if isinstance(inner := value.get(field), dict) and not inner.keys().isdisjoint(("name", "function")):
            return read_part(value).call
    function = value.get("function")
    if isinstance(function, dict) and "name" in function and "arguments" in function:
        return read_call(value)
    arguments = _arguments_in(value)
    name = next((value[key] for key in NAMES if isinstance(value.get(key), str) and value[key]), "")
    return SpelledCall(name, arguments, read_call(value).id) if name and arguments is not ABSENT else None


def _arguments_in(value: dict[str, Any]) -> Any:
    """The arguments of a call: an object, its JSON text, or a list of named values."""
    for key in ARGUMENTS:
        held = value.get(key)
        if isinstance(held, dict) or (isinstance(held, str) and held.lstrip().startswith("{")):
            return held
        named = isinstance(held, list) and all(isinstance(entry, dict) and "value" in entry for entry in held)
        if held and named:
            return {str(entry.get("name")): entry["value"] for entry in held}
    return ABSENT
