"""A source of tools means one thing through every door, and one without tools is an error."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import asked, rightcall, write_lines

__all__ = ["rightcall"]

MODULE = """
import rightcall as rc

DEFINITIONS = [
    {"name": "a", "description": "Do a.", "input_schema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
    {"name": "b", "description": "Do b.", "inputSchema": {"type": "object"}},
    {"name": "c", "description": "Do c.", "parameters": {"type": "object"}, "annotations": {"read_only": True}},
    {"type": "function", "function": {"name": "d", "description": "Do d."}, "annotations": {"destructiveHint": True}},
]
ANSWER = {"tools": DEFINITIONS}


@rc.tool
def get_weather(city: str) -> str:
    "The weather of a city today."
    return "sunny"


def book(city: str) -> str:
    "Book a room."
    return "booked"


MIXED = (get_weather, book, DEFINITIONS[0], rc.Tool("wait"))


def make_tools():
    return MIXED


class Support:
    tools = MIXED

    def __call__(self, question: str) -> str:
        return "x"


class Needy:
    def __init__(self, db):
        ...


support = Support()
ODD = [{"name": "a", "input_schema": {"type": object}}]
NOTHING = []


def text():
    return "x"
"""
SERVER = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        version = request.get("params", {}).get("protocolVersion")
        answer = {"tools": []} if request["method"] == "tools/list" else {
            "protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": {"name": "empty", "version": "1"}}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": answer}), flush=True)
"""
DOORS = {
    "lint": ["lint", "SOURCE"],
    "tools list": ["list", "tools", "SOURCE"],
    "tools list --json": ["list", "tools", "SOURCE", "--json"],
    "tools show": ["list", "tools", "SOURCE", "x"],
    "mcp call": ["mcp", "call", "SOURCE", "x"],
    "mcp serve": ["mcp", "serve", "SOURCE"],
    "generate": ["generate", "goldens", "--tools", "SOURCE", "--model", "keyword:"],
    "attacks": ["attacks", "guard", "SOURCE", "-o", "guard.yaml"],
    "suite": ["run", "suite.json"],
}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delitem(sys.modules, "shop_sources", raising=False)
    (tmp_path / "shop_sources.py").write_text(MODULE, "utf-8")
    (tmp_path / "server.py").write_text(SERVER, "utf-8")
    (tmp_path / "none.json").write_text("[]", "utf-8")
    write_lines(tmp_path / "goldens.jsonl", asked("a"))
    return tmp_path


def use(rightcall, shop: Path, door: str, source: str):
    tools = {"mcp": source} if source.startswith("mcp:") else source
    suite = {"dataset": "goldens.jsonl", "agent": {"model": "keyword:"}, "tools": tools}
    (shop / "suite.json").write_text(json.dumps(suite), "utf-8")
    return rightcall(*(source if word == "SOURCE" else word for word in DOORS[door]))


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("source", ["none.json", "shop_sources:NOTHING"])
def test_a_source_without_tools_is_an_error(rightcall, shop, door, source):
    done = use(rightcall, shop, door, source)
    assert done.code == 2 and not done.out
    assert f"{source}: no tool" in done.err and done.err.startswith("error: "), done.err


@pytest.mark.stories
@pytest.mark.parametrize("door", DOORS)
def test_a_server_without_tools_is_an_error(rightcall, shop, door):
    done = use(rightcall, shop, door, f"mcp:{sys.executable} server.py")
    assert done.code == 2 and not done.out
    assert done.err.rstrip().endswith("server.py': no tools found; the server lists none"), done.err


@pytest.mark.parametrize(
    ("attribute", "names"),
    [
        ("DEFINITIONS", "abcd"),
        ("ANSWER", "abcd"),
        ("get_weather", ["get_weather"]),
        ("MIXED", ["get_weather", "book", "a", "wait"]),
        ("make_tools", ["get_weather", "book", "a", "wait"]),
        ("Support.tools", ["get_weather", "book", "a", "wait"]),
    ],
)
def test_objects_with_tools_are_listed_and_linted(rightcall, shop, attribute, names):
    listed = use(rightcall, shop, "tools list --json", f"shop_sources:{attribute}")
    assert [tool["name"] for tool in json.loads(listed.out)] == list(names)
    linted = use(rightcall, shop, "lint", f"shop_sources:{attribute}")
    counted = f"{len(names)} tool{'s' if len(names) > 1 else ''}, about"
    assert counted in linted.out and linted.code in (0, 1)
    write_lines(shop / "goldens.jsonl", {"id": "a", "input": "a", "expected_calls": [{"tool": names[0]}]})
    assert use(rightcall, shop, "suite", f"shop_sources:{attribute}").code in (0, 1)


def test_definitions_in_a_module_are_linted_as_in_a_file(rightcall, shop):
    names: dict[str, Any] = {}
    exec(MODULE, names)
    (shop / "same.json").write_text(json.dumps(names["DEFINITIONS"]), "utf-8")
    in_file, in_module = (
        sorted((finding["code"], finding["tool"], finding["message"]) for finding in report["diagnostics"])
        for source in ("same.json", "shop_sources:DEFINITIONS")
        for report in [json.loads(rightcall("lint", source, "--json").out)]
    )
    assert in_file == in_module and in_file


DECORATE = (
    "decorate it with @tool, put it into a list of tools, or name the tools of your agent: module:TOOLS"
)
REFUSED = {
    "shop_sources:book": f"shop_sources:book: is a function that is not a tool; {DECORATE}",
    "shop_sources:Needy": "shop_sources:Needy: is a class that is not a tool; make a Needy in its module and name that,"
    " or name the list of its tools: module:TOOLS",
    "shop_sources:support": "shop_sources:support: is a shop_sources.Support, whose tools cannot be known;"
    " name the list of its tools: shop_sources:support.tools",
    "shop_sources:text": "shop_sources:text(): a str is not a tool; tools are functions, definitions (rc.Tool) and"
    " worlds, or the name of a file",
    "shop_sources:TOOLS": "tools 'shop_sources:TOOLS' cannot be loaded: no 'TOOLS' in shop_sources",
}


@pytest.mark.parametrize("door", ["lint", "tools list", "mcp call", "generate", "suite"])
@pytest.mark.parametrize("source", REFUSED)
def test_what_has_no_tools_that_can_be_seen_is_refused_in_one_sentence(rightcall, shop, door, source):
    done = use(rightcall, shop, door, source)
    assert done.code == 2 and done.err == f"error: {REFUSED[source]}\n"


def test_definitions_that_a_file_could_not_hold_are_refused(rightcall, shop):
    done = rightcall("lint", "shop_sources:ODD")
    problem = "is not JSON: Object of type type is not JSON serializable; write plain values"
    assert (done.code, done.err) == (2, f"error: shop_sources:ODD: {problem}\n")
