"""Findings about tools of `module:attribute` point to the functions that define them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from rightcall.cli.lint import lint

MODULE = '''import functools

import rightcall as rc
from langchain_core.tools import tool as langchain_tool


def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


@rc.tool
def go(x) -> str:
    """Go."""
    return x


def run(x):
    """Run."""


@rc.tool(name="jump_over")
@logged
def jump(x) -> str:
    """Jump."""
    return x


@langchain_tool
def swim(x: str) -> str:
    """Swim."""
    return x


tools = [go, run, jump]
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "places_tools.py").write_text(MODULE)
    monkeypatch.delitem(sys.modules, "places_tools", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return "places_tools:tools"


def line_of(text: str) -> int:
    return next(number for number, line in enumerate(MODULE.splitlines(), 1) if line.startswith(text))


def test_sarif_and_annotations_name_the_file_and_line_of_the_function(module: str):
    lines = {
        "go": line_of("@rc.tool"),
        "run": line_of("def run"),
        "jump_over": line_of('@rc.tool(name="jump_over")'),
    }
    result = CliRunner().invoke(lint, [module, "--format", "sarif"])
    (run,) = json.loads(result.stdout)["runs"]
    seen = {
        (
            found["message"]["text"].partition(":")[0],
            found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            found["locations"][0]["physicalLocation"]["region"]["startLine"],
        )
        for found in run["results"]
    }
    assert seen == {(name, "places_tools.py", line) for name, line in lines.items()}
    annotations = CliRunner().invoke(lint, [module, "--format", "github"]).stdout
    assert f"file=places_tools.py,line={lines['go']}," in annotations


def test_the_function_of_a_frameworks_tool_is_found(module: str):
    from rightcall.api.lint_sources import tool_places

    assert tool_places(module, ["swim"])["swim"] == ("places_tools.py", line_of("@langchain_tool"))
    assert tool_places(module, ["nowhere"])["nowhere"] == ("places_tools.py", 0)


def test_a_function_that_is_no_tool_is_refused(module: str):
    result = CliRunner().invoke(lint, ["places_tools:run"])
    assert result.exit_code != 0
    assert "places_tools:run" in str(result.exception) and "is a function that is not a tool" in str(
        result.exception
    )
