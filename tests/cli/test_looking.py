"""The commands that only show things: the menu, metrics, tools."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rightcall.cli.main import MENU
from rightcall.metrics.resolve import metric_names

TOOLS = [
    {"name": "get_weather", "description": "Weather [now].\nMore.", "input_schema": {
        "type": "object", "properties": {"city": {"type": "string"}, "units": {}}, "required": ["city"]}},
    {"type": "function", "function": {"name": "get_time", "parameters": {"type": "object"}}},
]  # fmt: skip


@pytest.fixture
def tools(tmp_path):
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(TOOLS))
    return path.name


def test_help_reads_like_a_menu_and_creates_nothing(tmp_path):
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "rightcall.cli.main", "--help"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    for section, commands in MENU.items():
        assert f"\n{section}:\n" in done.stdout
        assert all(f"  {name} " in done.stdout and words in done.stdout for name, words in commands.items())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [name for section in MENU.values() for name in section])
def test_every_command_of_the_menu_explains_itself(rightcall, command, tmp_path):
    done = rightcall(command, "--help")
    assert done.code == 0 and done.out.startswith(f"Usage: rightcall {command}") and done.err == ""
    assert list(tmp_path.iterdir()) == []


def test_the_version_is_the_packages(rightcall):
    from importlib.metadata import version

    assert rightcall("--version").out == f"rightcall, version {version('rightcall')}\n"


def test_every_metric_is_listed_and_can_be_shown(rightcall):
    listed = json.loads(rightcall("list", "metrics", "--json").out)
    assert [metric["name"] for metric in listed if metric["measured"] != "by a model"] == metric_names()
    shown = rightcall("list", "metrics").out
    for metric in listed:
        assert metric["name"] in shown and metric["summary"] in shown
        page = rightcall("list", "metrics", metric["name"])
        assert page.code == 0
        if metric["measured"] != "by a model":
            assert "Fails: " in page.out and "Passes: " in page.out


def test_tools_in_any_spelling_are_listed(rightcall, tools):
    shown = rightcall("list", "tools", tools).out
    assert "get_weather  (city, units?)" in shown and "Weather [now]." in shown and "get_time     ()" in shown
    assert [tool["name"] for tool in json.loads(rightcall("list", "tools", tools, "--json").out)] == [
        "get_weather",
        "get_time",
    ]


@pytest.mark.parametrize(
    ("dialect", "key"),
    [("native", "input_schema"), ("anthropic", "input_schema"), ("mcp", "inputSchema"),
     ("openai_responses", "parameters"), ("openai", "function"), ("gemini", "parametersJsonSchema"),
     ("bedrock", "toolSpec")],
)  # fmt: skip
def test_a_tool_is_shown_in_the_spelling_asked_for(rightcall, tools, dialect, key):
    assert key in json.loads(rightcall("list", "tools", tools, "get_weather", "--as", dialect).out)
    assert key in json.loads(rightcall("list", "tools", tools, "--as", dialect).out)[0]


def test_an_unknown_tool_is_suggested_for(rightcall, tools):
    done = rightcall("list", "tools", tools, "get_wether")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: tools.json: no such tool 'get_wether'; did you mean 'get_weather'?\n"


def test_a_file_without_tools_does_not_crash(rightcall):
    Path("none.json").write_text("[]", encoding="utf-8")
    done = rightcall("list", "tools", "none.json")
    assert done.code in (0, 2) and "Traceback" not in done.err
    assert json.loads(rightcall("list", "tools", "none.json", "--json").out or "[]") == []


@pytest.mark.parametrize("required", [7, None, "city", {"city": 1}, [["city"]]])
def test_a_malformed_list_of_required_parameters_does_not_stop_the_listing(rightcall, tmp_path, required):
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": required}
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([{"name": "weather", "description": "Weather.", "inputSchema": schema}]))
    assert "(city?)" in rightcall("list", "tools", path).out


@pytest.mark.parametrize("defined", [7, [7], "x", None])
def test_definitions_that_are_not_objects_do_not_stop_the_linter(rightcall, tmp_path, defined):
    schema = {"type": "object", "properties": {"city": {"$ref": "#/$defs/city"}}, "$defs": defined}
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([{"name": "weather", "description": "Weather.", "inputSchema": schema}]))
    assert "#/$defs/city does not exist" in rightcall("lint", path).out
