"""Every output says where a tool came from, also when that is not a file of definitions."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from rightcall.api.lint_sources import _server_name, tools_of_module
from rightcall.lint.engine import lint
from rightcall.lint.report import LintReport
from rightcall.lint.report_formats import github_text, plain_text, sarif_text
from rightcall.lint.source.read import read_paths, read_text
from rightcall.lint.source.tools import tool_set
from rightcall.records import Tool

MODULE = """\
import rightcall as rc


@rc.tool
def delete_user(id: str) -> None:
    "Deletes."
"""


def of_server() -> LintReport:
    return lint([tool_set([Tool("delete_user", "Deletes.")], origin="mcp:python my srv.py")])


@pytest.fixture
def of_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LintReport:
    monkeypatch.chdir(tmp_path)
    Path("my tools.py").write_text(MODULE, encoding="utf-8")
    return lint(read_paths(["my tools.py"], import_python=tools_of_module))


def uris(report: LintReport) -> set[str]:
    (run,) = json.loads(sarif_text(report))["runs"]
    places = [each["locations"][0]["physicalLocation"] for each in run["results"]]
    return {place["artifactLocation"]["uri"] for place in places}


def test_a_server_is_named() -> None:
    assert plain_text(of_server()).startswith("mcp:python my srv.py /0")
    assert "::mcp:python my srv.py: delete_user: " in github_text(of_server())
    assert uris(of_server()) == {"mcp/python-my-srv.py"}


def test_a_module_is_named_with_the_line_of_the_function(of_module: LintReport) -> None:
    assert plain_text(of_module).startswith("my tools.py:5:1: ")
    assert "file=my tools.py,line=5," in github_text(of_module)
    assert uris(of_module) == {"my%20tools.py"}


@pytest.mark.parametrize(
    ("name", "uri"),
    [
        ("a/ü #1.json", "a/%C3%BC%20%231.json"),
        ("./t.json", "t.json"),
        ("{here}/t.json", "t.json"),
        ("/else where/t.json", "file:///else%20where/t.json"),
    ],
)
def test_a_file_is_a_reference_relative_to_the_working_directory(
    name: str, uri: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tools = json.dumps([{"name": "delete_user", "description": "Deletes."}])
    assert uris(lint(read_text(tools, name=name.format(here=tmp_path)))) == {uri}


def test_sarif_holds_what_code_scanning_asks_for(of_module: LintReport) -> None:
    for report in (of_module, of_server()):
        log: Any = json.loads(sarif_text(report, "1.2.3"))
        (run,) = log["runs"]
        driver = run["tool"]["driver"]
        assert log["version"] == "2.1.0" and driver["name"] == "rightcall"
        for rule in driver["rules"]:
            assert all(rule[key]["text"] for key in ("shortDescription", "fullDescription", "help"))
            assert Path(__file__).parents[2].joinpath(rule["helpUri"]).is_file()
        for result in run["results"]:
            assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
            assert result["level"] in ("error", "warning", "note") and result["message"]["text"]
            place = result["locations"][0]["physicalLocation"]
            assert re.fullmatch(r"[A-Za-z0-9._~:/%-]+", place["artifactLocation"]["uri"])
            assert place["region"]["startLine"] >= 1 and place["region"]["startColumn"] >= 1


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("mcp:npx -y @scope/server --token s3cret", "npx -y @scope/server"),
        ("mcp:python -m my.server -k s3cret", "python -m my.server"),
        ("mcp:server KEY=s3cret", "server"),
    ],
)
def test_the_name_of_a_server_holds_no_secret(source: str, name: str) -> None:
    assert _server_name(source) == name
