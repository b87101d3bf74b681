"""DeepEval's tool calls, to and from RightCall's."""

from __future__ import annotations

from typing import Any

from rightcall.core.errors import InputError
from rightcall.records.call import ToolCall
from rightcall.records.expected_call import ExpectedCall, literal

NOTED = ("type", "description", "reasoning")
KNOWN = frozenset((*NOTED, "name", "output", "input_parameters", "inputParameters"))


def call_to_expect(raw: Any, where: str) -> ExpectedCall:
    """One of `expected_tools`: without parameters any arguments are accepted; objects in them are taken literally."""
    fields = _check_fields(raw, where)
    parameters = _parameters(fields, where)
    args = None if parameters is None else {name: literal(value) for name, value in parameters.items()}
    return ExpectedCall(fields["name"], args, notes=_notes(fields, (*NOTED, "output")))


def call_of(raw: Any, where: str) -> ToolCall:
    fields = _check_fields(raw, where)
    return ToolCall(
        fields["name"],
        _parameters(fields, where) or {},
        status="ok" if fields.get("output") is not None else "not_run",
        output=fields.get("output"),
        notes=_notes(fields, NOTED),
    )


def from_expected(call: ExpectedCall, where: str) -> dict[str, Any]:
    """An expected call as DeepEval writes it; one with matchers is written by its name only."""
    if not isinstance(call.tool, str):
        problem = "DeepEval needs a single tool name; this call has a list or a pattern of names"
        raise InputError(where, problem, "use one tool name, or save in the native dialect")
    return _tool_fields(call.tool, call.notes, call.notes.get("output"), call.plain_arguments)


def from_made(call: ToolCall) -> dict[str, Any]:
    return _tool_fields(call.name, call.notes, call.output, call.arguments)


def _tool_fields(
    name: str, notes: dict[str, Any], output: Any, parameters: dict[str, Any] | None
) -> dict[str, Any]:
    fields = {
        "name": name,
        "type": notes.get("type", "FUNCTION"),
        "description": notes.get("description"),
        "reasoning": notes.get("reasoning"),
        "output": output,
        "inputParameters": parameters,
    }
    return {key: value for key, value in fields.items() if value is not None}


def _check_fields(raw: Any, where: str) -> dict[str, Any]:
    if not isinstance(raw, dict):
        kind = "a text" if isinstance(raw, str) else type(raw).__name__
        raise InputError(where, f"a tool call must be an object, got {kind}", 'such as {"name": "search"}')
    if not isinstance(raw.get("name"), str):
        raise InputError(where, "missing required field 'name' (a string)")
    for key in raw:
        if key not in KNOWN:
            raise InputError(where, f"unknown field '{key}'", f"known: {', '.join(sorted(KNOWN))}")
    return raw


def _parameters(fields: dict[str, Any], where: str) -> dict[str, Any] | None:
    parameters = fields.get("inputParameters", fields.get("input_parameters"))
    return object_or_none(parameters, f"{where}.inputParameters")


def object_or_none(value: Any, where: str) -> dict[str, Any] | None:
    """The value, which must be an object if there is one."""
    if value is not None and not isinstance(value, dict):
        kind = "a text" if isinstance(value, str) else type(value).__name__
        raise InputError(where, f"must be an object, got {kind}", "was it encoded twice?")
    return value


def _notes(fields: dict[str, Any], kept: tuple[str, ...]) -> dict[str, Any]:
    return {
        key: fields[key]
        for key in kept
        if fields.get(key) is not None and not (key == "type" and fields[key] == "FUNCTION")
    }
