"""Tool definitions of any origin are recognized; anything else is refused with a hint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rightcall.core.errors import InputError
from rightcall.records import Annotations, Tool
from rightcall.records.dialects import read_tool

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
WEATHER = Tool("weather", "Now.", SCHEMA)
SERVERS = sorted((Path(__file__).parents[2] / "tools" / "data").glob("*.json"))


@pytest.mark.parametrize(
    "raw",
    [
        {"name": "weather", "description": "Now.", "input_schema": SCHEMA},
        {
            "name": "weather",
            "description": "Now.",
            "input_schema": SCHEMA,
            "cache_control": {"type": "ephemeral"},
        },
        {"type": "custom", "name": "weather", "description": "Now.", "input_schema": SCHEMA, "strict": True},
        {"type": "function", "function": {"name": "weather", "description": "Now.", "parameters": SCHEMA}},
        {"type": "function", "name": "weather", "description": "Now.", "parameters": SCHEMA, "strict": True},
        {"name": "weather", "description": "Now.", "parameters": SCHEMA},
        {"name": "weather", "description": "Now.", "inputSchema": SCHEMA, "_meta": {"x": 1}},
    ],
)
def test_every_spelling_is_recognised(raw):
    assert read_tool(raw, "tools.json") == WEATHER


@pytest.mark.parametrize(
    "raw",
    [
        {"name": "ping"},
        {"type": "function", "function": {"name": "ping"}},
        {"name": "ping", "input_schema": None, "type": "custom"},
    ],
)
def test_a_tool_without_a_schema_takes_no_arguments(raw):
    assert read_tool(raw, "tools.json") == Tool("ping")


def test_mcp_hints_become_annotations():
    raw = {"name": "rm", "title": "Remove", "annotations": {"destructiveHint": True, "readOnlyHint": False}}
    assert read_tool(raw, "here") == Tool("rm", title="Remove", annotations=Annotations(False, True))


SCHEMA = {"type": "object", "properties": {"id": {"type": "string"}}}


@pytest.mark.parametrize(
    "definition",
    [
        {"name": "rm", "input_schema": SCHEMA},
        {"name": "rm", "input_schema": SCHEMA, "cache_control": {"type": "ephemeral"}},
        {"name": "rm", "inputSchema": SCHEMA},
        {"name": "rm", "parameters": SCHEMA},
        {"type": "function", "name": "rm", "parameters": SCHEMA},
        {"type": "function", "function": {"name": "rm", "parameters": SCHEMA}},
    ],
)
@pytest.mark.parametrize(
    ("annotations", "read"),
    [
        ({"destructiveHint": True, "readOnlyHint": False}, Annotations(False, True)),
        ({"destructive": True, "read_only": False}, Annotations(False, True)),
        ({}, Annotations()),
    ],
)
def test_annotations_are_read_beside_every_spelling(definition, annotations, read):
    tool = Tool("rm", input_schema=SCHEMA, annotations=read)
    assert read_tool({**definition, "annotations": annotations}, "here") == tool


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        ({"name": "a", "input_schema": {}, "descripton": "x"}, "did you mean 'description'?"),
        ({"type": "function", "function": {"name": "a", "paramters": {}}}, "did you mean 'parameters'?"),
        (
            {"name": "a", "inputSchema": {}, "annotations": {"readonlyHint": True}},
            "did you mean 'readOnlyHint'?",
        ),
        ({"name": "a", "inputSchema": {}, "annotations": {"readOnlyHint": "yes"}}, "must be true or false"),
        (
            {"name": "a", "parameters": {}, "annotations": {"readonlyHint": True}},
            "did you mean 'readOnlyHint'?",
        ),
        ({"name": "a", "parameters": {}, "annotations": {"read_only": "yes"}}, "annotations"),
        ({"name": "a", "parameters": {}, "annotations": "x"}, "annotations must be an object, got a string"),
        ({"name": "a", "input_schema": "{}"}, "was it JSON-encoded twice?"),
        ({"name": "a", "inputSchema": []}, "inputSchema must be an object, got a list"),
        ({"description": "x", "inputSchema": {}}, "missing or empty field 'name'"),
        ({"type": "web_search_20250305", "name": "web_search"}, "runs at its provider"),
        ({"toolSpec": {}}, "missing or empty field 'name' in toolSpec"),
        ({"tool": {}}, "not a tool definition"),
        ({}, "found nothing"),
        ({"function": "weather"}, "function must be an object, got a string"),
        ("weather", "a tool must be an object, got a string"),
        (None, "got null"),
    ],
)
def test_what_is_not_a_tool_is_refused_in_one_sentence(raw, words):
    with pytest.raises(InputError) as caught:
        read_tool(raw, "tools.json: tools[0]")
    assert str(caught.value).startswith("tools.json: tools[0]: ")
    assert words in str(caught.value)


@pytest.mark.parametrize("server", SERVERS, ids=lambda path: path.stem)
def test_definitions_of_real_servers_are_read_whole(server: Path):
    raw = json.loads(server.read_text("utf-8"))["tools"]
    tools = [read_tool(definition, server.name) for definition in raw]
    assert [(t.name, t.input_schema, t.output_schema) for t in tools] == [
        (r["name"], r["inputSchema"], r.get("outputSchema")) for r in raw
    ]
    assert [t.annotations.read_only for t in tools] == [
        r.get("annotations", {}).get("readOnlyHint") for r in raw
    ]


def test_the_real_servers_are_there():
    assert [path.stem for path in SERVERS] == ["filesystem", "gitlab", "time"]
