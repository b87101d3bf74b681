"""`rightcall tools convert`: what a request of each provider takes, losses on stderr, refusals as exit code 1."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.lint.strategies import SPELLINGS, spelled

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CLOSED = {**SCHEMA, "additionalProperties": False}
WEATHER = {"name": "get_weather", "description": "Weather.", "input_schema": SCHEMA}
SAID = {"name": "get_weather", "description": "Weather."}
RICH = {
    **SAID,
    "title": "Weather",
    "inputSchema": SCHEMA,
    "outputSchema": {"type": "object"},
    "annotations": {"readOnlyHint": True},
    "_meta": {"team": "sky"},
}


def write(tmp_path, value: Any, name: str = "tools.json") -> str:
    (tmp_path / name).write_text(value if isinstance(value, str) else json.dumps(value))
    return name


@pytest.mark.parametrize(
    ("target", "request_part"),
    [
        ("openai", [{"type": "function", "function": {**SAID, "parameters": SCHEMA}}]),
        ("openai-strict", [{"type": "function", "function": {**SAID, "parameters": CLOSED, "strict": True}}]),
        ("anthropic", [{**SAID, "input_schema": SCHEMA}]),
        ("anthropic-strict", [{**SAID, "input_schema": CLOSED, "strict": True}]),
        ("gemini", {"functionDeclarations": [{**SAID, "parameters": SCHEMA}]}),
        ("bedrock", {"tools": [{"toolSpec": {**SAID, "inputSchema": {"json": SCHEMA}}}]}),
        ("mcp", {"tools": [{**SAID, "inputSchema": SCHEMA}]}),
    ],
)
def test_the_output_is_a_part_of_the_providers_request(rightcall, tmp_path, target, request_part):
    done = rightcall("tools", "convert", write(tmp_path, [WEATHER]), "--to", target)
    assert (done.code, json.loads(done.out), done.err) == (0, request_part, "")


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_every_spelling_that_lint_reads_is_converted(rightcall, tmp_path, spelling):
    file = write(tmp_path, [spelled(WEATHER, spelling)])
    done = rightcall("tools", "convert", file, "--to", "anthropic")
    assert json.loads(done.out) == [WEATHER]


@pytest.mark.parametrize(
    "document",
    [
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{**SAID, "inputSchema": SCHEMA}]}},
        {"functions": [{**SAID, "parameters": SCHEMA}]},
        [{"functionDeclarations": [{**SAID, "parameters": SCHEMA}]}],
        {"toolConfig": {"tools": [{"toolSpec": {**SAID, "inputSchema": {"json": SCHEMA}}}]}},
    ],
)
def test_every_document_that_lint_reads_is_converted(rightcall, tmp_path, document):
    done = rightcall("tools", "convert", write(tmp_path, document), "--to", "anthropic")
    assert json.loads(done.out) == [WEATHER]


def test_an_openapi_document_is_converted(rightcall, tmp_path):
    city = {"name": "city", "in": "query", "required": True, "schema": {"type": "string"}}
    operation = {"operationId": "get_weather", "description": "Weather.", "parameters": [city]}
    api = {"openapi": "3.1.0", "info": {}, "paths": {"/weather": {"get": operation}}}
    done = rightcall("tools", "convert", write(tmp_path, api), "--to", "anthropic")
    assert json.loads(done.out) == [WEATHER]
    assert "get_weather: annotations: removed" in done.err


def test_a_tool_that_its_provider_runs_is_left_out_and_named(rightcall, tmp_path):
    search = {"type": "web_search_20250305", "name": "web_search"}
    done = rightcall("tools", "convert", write(tmp_path, [search, WEATHER]), "--to", "openai")
    assert (done.code, len(json.loads(done.out))) == (0, 1)
    assert "web_search: skipped: its provider runs it" in done.err


def test_mcp_to_mcp_keeps_everything(rightcall, tmp_path):
    done = rightcall("tools", "convert", write(tmp_path, {"tools": [RICH]}), "--to", "mcp")
    assert (json.loads(done.out), done.err) == ({"tools": [RICH]}, "")


def test_fields_that_the_target_does_not_have_are_reported(rightcall, tmp_path):
    done = rightcall("tools", "convert", write(tmp_path, [RICH]), "--to", "openai")
    for field in ("title", "annotations", "outputSchema", "_meta"):
        assert f"get_weather: {field}: removed: openai has no field for it" in done.err


def test_a_providers_own_fields_stay_with_it(rightcall, tmp_path):
    cached = {**WEATHER, "cache_control": {"type": "ephemeral"}}
    done = rightcall("tools", "convert", write(tmp_path, [cached]), "--to", "anthropic")
    assert (json.loads(done.out), done.err) == ([cached], "")


def test_what_will_be_refused_is_an_error_and_still_shown(rightcall, tmp_path):
    link = {"type": "object", "properties": {"next": {"$ref": "#/$defs/L"}}}
    schema = {"type": "object", "properties": {"l": {"$ref": "#/$defs/L"}}, "$defs": {"L": link}}
    file = write(tmp_path, [{**WEATHER, "input_schema": schema}])
    done = rightcall("tools", "convert", file, "--to", "anthropic-strict")
    assert done.code == 1 and json.loads(done.out)
    assert "error: get_weather: TD708: #/$defs/L contains itself" in done.err
    assert "anthropic-strict will reject this" in done.err


def test_yaml_words_stay_the_words_that_were_written(rightcall, tmp_path):
    text = "- name: x\n  description: y\n  input_schema:\n    properties: {a: {enum: [yes, no, 012]}}\n"
    done = rightcall("tools", "convert", write(tmp_path, text, "tools.yaml"), "--to", "mcp")
    (tool,) = json.loads(done.out)["tools"]
    assert tool["inputSchema"]["properties"]["a"]["enum"] == ["yes", "no", "012"]


def test_a_default_is_said_in_the_text_for_anthropic_strict(rightcall, tmp_path):
    schema = {"type": "object", "properties": {"n": {"type": "integer", "default": 5}}}
    file = write(tmp_path, [{**WEATHER, "input_schema": schema}])
    done = rightcall("tools", "convert", file, "--to", "anthropic-strict")
    (tool,) = json.loads(done.out)
    assert tool["input_schema"]["properties"]["n"] == {"type": "integer", "description": "{default: 5}"}
    assert "get_weather/properties/n: default: moved into the description" in done.err


def test_losses_cannot_steer_the_terminal(rightcall, tmp_path):
    done = rightcall("tools", "convert", write(tmp_path, [{**WEATHER, "name": "a\x1b[2J"}]), "--to", "openai")
    assert "\x1b" not in done.err


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ([{**WEATHER, "name": ""}], "tools.json:1: a tool has no name"),
        ([{"a": 1}], "no tool definitions found"),
        ("{", "not valid JSON"),
        ([{**WEATHER, "description": "\ud800"}], "tools.json: a text contains a lone surrogate"),
    ],
)
def test_what_cannot_be_read_is_one_line(rightcall, tmp_path, content, says):
    done = rightcall("tools", "convert", write(tmp_path, content), "--to", "openai")
    assert done.code == 2 and says in done.err and "Traceback" not in done.err


def test_a_folder_that_is_not_there_is_said(rightcall, tmp_path):
    done = rightcall("tools", "convert", write(tmp_path, [WEATHER]), "--to", "openai", "-o", "no/where.json")
    assert done.code == 2 and "no/where.json: no such folder" in done.err
