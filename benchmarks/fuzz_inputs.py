"""Good files of every kind, and ways to spoil them: by value, by key, by byte."""

from __future__ import annotations

import copy
import json
import random
import sys
from collections.abc import Callable
from typing import Any, NamedTuple


class Seed(NamedTuple):
    """A good file: JSON Lines, one JSON document, or one that is written as YAML half of the time."""

    name: str
    data: bytes
    lines: bool = False
    yaml: bool = False


def _lines(*rows: Any) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


TOOL = {
    "name": "get_weather",
    "description": "Current weather for a city. Use get_forecast for future days.",
    "input_schema": {
        "type": "object",
        "properties": {
            "city": {
                "type": "string",
                "description": "Name of the city",
                "minLength": 1,
                "pattern": "^[A-Z]",
            },
            "days": {"type": ["integer", "null"], "minimum": 1, "maximum": 10, "default": 3},
            "units": {"enum": ["celsius", "fahrenheit"], "description": "Unit of temperature"},
            "place": {"anyOf": [{"$ref": "#/$defs/point"}, {"type": "string", "format": "date"}]},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
        },
        "required": ["city"],
        "additionalProperties": False,
        "$defs": {"point": {"type": "object", "properties": {"next": {"$ref": "#/$defs/point"}}}},
    },
    "annotations": {"read_only": True},
}
DELETE = {"name": "delete_user", "description": "Delete a user.", "input_schema": {"type": "object"}}
GOLDENS = [
    {
        "id": "a",
        "input": "Weather in Hanoi for 3 days",
        "category": "golden",
        "tools": ["get_weather", "delete_user"],
        "expected_calls": [
            {
                "tool": "get_weather",
                "args": {
                    "city": {"text": "Hanoi", "ignore": ["case"]},
                    "days": 3,
                },
                "forbidden_args": ["units"],
                "id": "one",
            },
            {
                "tool": {"regex": "get_.*"},
                "args": {"tags": {"set": ["a"]}},
                "after": ["one"],
                "required": False,
            },
        ],
        "order": "any",
        "extra_calls": "forbid",
        "forbidden_calls": ["delete_user"],
        "max_calls": 5,
        "output_contains": ["sunny"],
        "tags": ["x"],
        "metadata": {"k": [1, {"v": None}]},
    },
    {"id": "b", "input": "Hello", "no_calls": True, "category": "negative"},
    {
        "id": "c",
        "input": "Both",
        "any_of": [[{"tool": "get_weather", "args": {"city": {"any_of": ["A", "B"]}}}]],
    },
]
CALLS = [{"name": "get_weather", "arguments": {"city": "hanoi", "days": 3}, "id": "1", "output": {"t": 31}}]
TRAJECTORIES = [
    {"golden_id": "a", "calls": CALLS, "output": "sunny", "latency_ms": 12.5, "usage": {"input_tokens": 3}},
    {
        "golden_id": "b",
        "messages": [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}],
    },
    {
        "golden_id": "c",
        "messages": [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "1",
                        "type": "function",
                        "function": {"name": "get_weather", "arguments": '{"city":"A"}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "1", "content": "31"},
        ],
    },
]
SUITE = {
    "name": "fuzz",
    "dataset": "good-goldens.jsonl",
    "agent": {"model": "keyword:", "system": "Help.", "mode": "loop", "settings": {"temperature": 0}},
    "tools": "good-tools.json",
    "trials": 2,
    "seed": 1,
    "concurrency": 4,
    "metrics": ["tool_selection(threshold=0.5)"],
    "rules": {"weights": {"precision": 1, "recall": 1}},
    "limits": {"steps": 3, "calls": 5, "seconds": 5},
    "mocks": {"get_weather": {"result": {"t": 1}}},
    "worlds": {"bank": None},
    "gate": {
        "min": 0.5,
        "max_error_rate": 0.5,
        "forbid": ["forbidden_call"],
        "by": {"categories": {"golden": 0.1}},
    },
    "quarantine": ["b"],
}
PLAIN_SUITE = {
    "dataset": "good-goldens.jsonl",
    "agent": {"model": "keyword:", "mode": "loop"},
    "tools": "good-tools.json",
    "limits": {"steps": 2, "seconds": 5},
}
FAULTS = {
    "faults": [
        {"type": "timeout_after_effect", "tool": "get_weather", "nth": [1], "probability": 0.5},
        {"type": "wrong_value", "path": "t", "value": 3, "when": {"city": "Hanoi"}},
        {"type": "rate_limit", "tool": ["get_weather"], "seconds": 1, "max_fires": 2},
    ],
    "tools": [
        {"type": "distractor", "count": 2},
    ],
    "seed": 3,
}
SCRIPT = {
    "format": "rightcall/script/1",
    "replies": [
        {"golden": "a", "turns": [{"calls": CALLS[:1]}, {"text": "sunny"}]},
        {"input": "Hello", "turns": [{"text": "hi", "usage": {"input_tokens": 1}}]},
    ],
}
REPLY = {
    "id": "x",
    "choices": [
        {
            "message": {
                "role": "assistant",
                "content": "hi",
                "tool_calls": [
                    {
                        "id": "1",
                        "type": "function",
                        "function": {"name": "get_weather", "arguments": '{"city":"Hanoi"}'},
                    }
                ],
            },
            "finish_reason": "tool_calls",
        }
    ],
    "content": [
        {"type": "text", "text": "hi"},
        {"type": "tool_use", "id": "1", "name": "get_weather", "input": {"a": 1}},
    ],
    "output": [{"type": "function_call", "call_id": "1", "name": "get_weather", "arguments": "{}"}],
    "stop_reason": "tool_use",
    "status": "completed",
    "usage": {"prompt_tokens": 3, "completion_tokens": 4, "input_tokens": 3, "output_tokens": 4},
}
LOCK = {"format": "rightcall/tools-lock/1", "tools": {"get_weather": "00", "delete_user": ["11", "22"]}}
BASELINE = {"format": "rightcall/lint-baseline/1", "findings": {"good-tools.json:get_weather:D001:abc": 1}}

SEEDS = {
    "goldens": Seed("goldens.jsonl", _lines(*GOLDENS), lines=True, yaml=True),
    "trajectories": Seed("t.trajectories.jsonl", _lines(*TRAJECTORIES), lines=True),
    "tools": Seed("tools.json", json.dumps([TOOL, DELETE]).encode(), yaml=True),
    "suites": Seed("big-suite.yaml", json.dumps(SUITE).encode(), yaml=True),
    "scripts": Seed("script.yaml", json.dumps(SCRIPT).encode(), yaml=True),
    "faults": Seed("faults.yaml", json.dumps(FAULTS).encode(), yaml=True),
    "gates": Seed("suite.yaml", json.dumps({**PLAIN_SUITE, "gate": SUITE["gate"]}).encode(), yaml=True),
    "lockfiles": Seed("tools.lock.json", json.dumps(LOCK).encode()),
    "baselines": Seed("baseline.json", json.dumps(BASELINE).encode()),
    "replies": Seed("reply.json", json.dumps(REPLY).encode()),
}


def _deep(levels: int, kind: int) -> Any:
    value: Any = "x"
    for level in range(levels):
        if kind == 0 or (kind == 2 and level % 2):
            value = [value]
        else:
            value = {"type": value, "properties": value} if level < 8 else {"items": value}
    return value


SCALARS: list[Any] = [
    None, True, False, 0, -1, 1e308, -0.0, 2**53, 2**63, 2**64, 10**400, "", " ", "\x00", "\ud800", "a\udfffb",
    "\x1b[2J\x1b]52;c;aGk=\x07", "\u202eabc", "[/x]", "::error::x", "=1+1", "<script>", "../../etc/passwd", "\n\n",
    "x" * 5000, "\u00e9" * 300, "(" * 200, "(a+)+$", "(?=a)" * 50, "9" * 5000, "1e999", "#", "#/$defs/point", "http://x",
    "type", "get_weather", "a", "mine:thing", "keyword:", "golden", "object", "string", "$ref", {}, [], [[]], [{}],
    [["case"]], {"": ""}, {"$ref": "#"}, [["string"]], {"type": [["string"]]}, {"any_of": []}, {"regex": "("}, [None],
    {"text": None}, {"ref": {"call": "one", "path": "a.b.0"}}, {"number": "x"}, {"not": {"not": {"exact": 1}}},
    ["a"] * 300, {str(i): i for i in range(300)}, {"anyOf": [{"anyOf": [{"$ref": "#"}] * 3}] * 3},
]  # fmt: skip
KEYS = [
    "type",
    "",
    "id",
    "$ref",
    "anyOf",
    "tool",
    "args",
    "format",
    "min",
    "\ud800",
    "x" * 300,
    "ignore",
    "items",
    "not",
]


def document(kind: str, draw: random.Random) -> tuple[str, bytes]:
    """A spoilt file of a kind: its name and content."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)  # for writing what is meant to be too deep
    try:
        return _document(kind, draw)
    finally:
        sys.setrecursionlimit(before)


def _document(kind: str, draw: random.Random) -> tuple[str, bytes]:
    seed = SEEDS[kind]
    parts = [json.loads(line) for line in seed.data.splitlines()] if seed.lines else [json.loads(seed.data)]
    for _ in range(draw.choice([1, 1, 1, 2, 3, 6])):
        at = draw.randrange(len(parts))
        parts[at] = _spoilt(parts[at], draw)
    if seed.lines and not (seed.yaml and draw.random() < 0.2):
        name = seed.name
        data = b"".join(_json(part, draw) + b"\n" for part in parts)
    else:
        value = parts if seed.lines else parts[0]
        name = seed.name.replace(".jsonl", ".json")
        data = _json(value, draw)
        if seed.yaml and draw.random() < 0.5:
            name = name.rpartition(".")[0] + ".yaml"
    if draw.random() < 0.15:
        data = _bytes_spoilt(data, draw)
    return name, data


def _json(value: Any, draw: random.Random) -> bytes:
    """JSON of any value; half a surrogate pair now and then as raw bytes."""
    text = json.dumps(value, ensure_ascii=draw.random() < 0.7, allow_nan=True)
    return text.encode("utf-8", "surrogatepass" if draw.random() < 0.3 else "replace")


def _spoilt(value: Any, draw: random.Random) -> Any:
    """The value with one part of it changed."""
    places = list(_places(value))
    if not places:
        return _hostile(draw)
    holder, key = draw.choice(places)
    draw.choice(CHANGES)(holder, key, draw)
    return value


def _places(value: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting and len(found) < 5000:
        part = waiting.pop()
        keys = list(part) if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ()
        for key in keys:
            found.append((part, key))
            waiting.append(part[key])
    return found


def _hostile(draw: random.Random) -> Any:
    if draw.random() < 0.12:
        return _deep(draw.choice([20, 90, 99, 101, 300, 700]), draw.randrange(3))
    return copy.deepcopy(draw.choice(SCALARS))


def _replace(holder: Any, key: Any, draw: random.Random) -> None:
    holder[key] = _hostile(draw)


def _wrap(holder: Any, key: Any, draw: random.Random) -> None:
    holder[key] = draw.choice([[holder[key]], {"x": holder[key]}, [[holder[key]]], json.dumps(holder[key])])


def _rename(holder: Any, key: Any, draw: random.Random) -> None:
    if isinstance(holder, dict):
        holder[draw.choice(KEYS)] = holder.pop(key)


def _remove(holder: Any, key: Any, draw: random.Random) -> None:
    del holder[key]


def _repeat(holder: Any, key: Any, draw: random.Random) -> None:
    if isinstance(holder, list):
        holder.extend([holder[key]] * draw.choice([1, 20, 300]))


def _add(holder: Any, key: Any, draw: random.Random) -> None:
    if isinstance(holder, dict):
        holder[draw.choice(KEYS)] = _hostile(draw)


CHANGES: list[Callable[[Any, Any, random.Random], None]] = [
    _replace, _replace, _replace, _wrap, _rename, _remove, _repeat, _add
]  # fmt: skip


def _bytes_spoilt(data: bytes, draw: random.Random) -> bytes:
    at = draw.randrange(len(data) + 1)
    piece = draw.choice(
        [b"\x00", b"\xff", b"[" * 300, b"{", b'"', b"\\u", b"\n", b"\r", b"&a *a", b"- ", b"\xed\xa0\x80"]
    )
    return draw.choice(
        [data[:at] + piece + data[at:], data[:at], data[:at] + data[at + 1 :], data[at:] + data[:at]]
    )
