"""Goldens written as `{data, target, metadata}`: the agent's input, the expected result, and notes.

    {"data": {"prompt": "Read README.md", "systemPrompt": "…", "tools": ["readFile", "listFiles"],
              "config": {"model": "openai:gpt-5-mini", "temperature": 0}},
     "target": {"expectedTools": ["readFile"], "forbiddenTools": [], "category": "golden"},
     "metadata": {"description": "A direct request"}}

Names may be in camelCase or snake_case. A file of these is recognized by its fields. Tools are expected by
name, with any arguments; a target without tools allows every call. In Python (`evaluate(data=…, executor=…)`)
data and target may be any JSON values: `golden_of_datapoint` keeps them unchanged, in the golden's metadata.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from rightcall.core import codec
from rightcall.core.errors import InputError, suggestion
from rightcall.datasets.deepeval.names import snake_case
from rightcall.datasets.formats import GOLDENS, format_of
from rightcall.datasets.formats.collection import read_each
from rightcall.files.documents import value_of
from rightcall.records.golden import Golden, with_id

FIELDS = ("data", "target", "metadata", "id")
DATA = ("prompt", "system_prompt", "tools", "config")
TARGET = ("expected_tools", "forbidden_tools", "category")


def is_target(fields: Iterable[str]) -> bool:
    """Whether these are the fields of an item with data and target."""
    names = set(fields)
    return {"data", "target"} <= names <= set(FIELDS)


def golden_of_target(raw: Any, where: str) -> Golden:
    """The golden of one item; an unknown field is an error with a suggestion."""
    item = _object(raw, where, "an item")
    data = _snake_case_fields(_object(item["data"], where, "data"), DATA, f"{where}: data")
    target = _snake_case_fields(_object(item["target"], where, "target"), TARGET, f"{where}: target")
    if not isinstance(data.get("prompt"), str):
        raise InputError(f"{where}: data", "missing required field 'prompt' (a string)")
    metadata = _object(item.get("metadata") or {}, where, "metadata")
    return codec.convert(_fields(data, target, metadata, item.get("id")), Golden, where)


def golden_of_datapoint(raw: Any, where: str) -> Golden:
    """The golden of an item whose data and target may be anything; both are kept in its metadata.

    An item that a file of goldens may have gets the id that it has there.
    """
    item = _object(raw, where, "an item")
    if "data" not in item:
        raise InputError(where, "missing required field 'data'", 'such as {"data": …, "target": …}')
    data = item["data"]
    target = item.get("target")
    try:
        codec.encode([data, target])
    except TypeError as error:
        problem = f"cannot be stored: {error}"
        raise InputError(where, problem, "use strings, numbers, lists and mappings") from None
    data_fields = {snake_case(name): data[name] for name in data} if isinstance(data, Mapping) else {}
    if not isinstance(data_fields.get("prompt"), str):
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False, default=str)
        data_fields = {"prompt": text}
    target_fields = {snake_case(name): target[name] for name in target} if isinstance(target, Mapping) else {}
    metadata = {**_object(item.get("metadata") or {}, where, "metadata"), "data": data, "target": target}
    golden = codec.convert(_fields(data_fields, target_fields, metadata, item.get("id")), Golden, where)
    if golden.id:
        return golden
    try:
        same = golden_of_target(item, where) if is_target(item) else golden
    except InputError:  # no file of goldens has it
        same = golden
    return replace(golden, id=with_id(same).id)


def items_with_place(path: Path) -> Iterator[tuple[str, Any]]:
    """The items of a file unchanged, each with its location."""
    items = format_of(path).read(path, GOLDENS)
    for line, item in read_each(path, items, lambda item, at: value_of(item, dict[str, Any], at), None):
        yield f"{path}:{line}", item


def _fields(
    data: Mapping[str, Any], target: Mapping[str, Any], metadata: Mapping[str, Any], name: Any
) -> dict[str, Any]:
    config = dict(data.get("config") or {})
    expected = target.get("expected_tools")
    forbidden = target.get("forbidden_tools")
    fields = {
        "input": data["prompt"],
        "id": None if name is None else str(name),
        "system": data.get("system_prompt"),
        "tools": data.get("tools"),
        "model": config.pop("model", None),
        "settings": config or None,
        "category": target.get("category"),
        "expected_calls": [{"tool": tool} for tool in expected] if expected else None,
        "forbidden_calls": forbidden,
        "name": metadata.get("description"),
        "metadata": dict(metadata),
    }
    if not expected and not forbidden and target.get("category") != "negative":
        fields["extra_calls"] = "allow"
    return {name: value for name, value in fields.items() if value is not None}


def _snake_case_fields(fields: Mapping[str, Any], names: tuple[str, ...], where: str) -> dict[str, Any]:
    known_fields = {}
    for name, value in fields.items():
        if snake_case(name) not in names:
            hint = suggestion(snake_case(name), names) or f"known: {', '.join(names)}"
            raise InputError(where, f"unknown field '{name}'", hint)
        known_fields[snake_case(name)] = value
    return known_fields


def _object(value: Any, where: str, what: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(where, f"{what} must be an object, got {type(value).__name__}")
    return value
