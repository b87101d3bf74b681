"""What would be skipped silently, or read differently by another parser, is an error with its line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rightcall.core.errors import InputError
from rightcall.lint.source.read import read_paths, read_text
from tests.lint.clean import CLEAN

NAMELESS = {key: value for key, value in CLEAN[1].items() if key != "name"}
MISSPELT = {"nmae": "list_stations", **NAMELESS}


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (MISSPELT, "entry 2: a tool has no 'name', but has 'nmae'; did you mean 'name'?"),
        (NAMELESS, "entry 2: a tool has no name; add one"),
        ({}, "entry 2: a tool has no name"),
        (
            {"type": "function", "functoin": CLEAN[1]},
            "no 'name', but has 'functoin'; did you mean 'function'?",
        ),
        ({"toolSpce": CLEAN[1]}, "no 'name', but has 'toolSpce'; did you mean 'toolSpec'?"),
        ({"type": "custom", **MISSPELT}, "no 'name', but has 'nmae'"),
        (5, "entry 2: a tool must be an object, got a number"),
        (None, "got null"),
        ("get_x", "got a string"),
    ],
)
def test_an_entry_that_is_not_a_tool_among_tools_is_an_error(entry: Any, says: str) -> None:
    for document in (
        [CLEAN[0], entry],
        {"tools": [CLEAN[0], entry]},
        {"result": {"tools": [CLEAN[0], entry]}},
    ):
        with pytest.raises(InputError) as caught:
            read_text(json.dumps(document, indent=1), name="t.json")
        assert says in str(caught.value) and caught.value.where.startswith("t.json:")


@pytest.mark.parametrize(
    "entry",
    [
        {"type": "web_search_20250305", "name": "web_search"},
        {"type": "web_search"},
        {"googleSearch": {}},
        {"cachePoint": {"type": "default"}},
        {"systemTool": {"name": "nova_grounding"}},
        {"type": "mcp", "server_label": "x", "server_url": "https://x.example"},
    ],
)
def test_what_the_provider_runs_belongs_to_the_list(entry: Any) -> None:
    (tools,) = read_text(json.dumps({"tools": [entry, CLEAN[0]]}))
    assert [tool.name for tool in tools.tools] == ["get_forecast"]


def test_among_tools_a_name_alone_is_a_tool() -> None:
    (tools,) = read_text(json.dumps({"functions": [CLEAN[0], {"name": "ping"}]}))
    assert [tool.name for tool in tools.tools] == ["get_forecast", "ping"]


@pytest.mark.parametrize("document", [MISSPELT, [MISSPELT], {"tools": [MISSPELT]}])
def test_a_misspelt_tool_is_not_passed_over_in_a_folder(tmp_path: Path, document: Any) -> None:
    (tmp_path / "a.json").write_text(json.dumps(document))
    (tmp_path / "b.json").write_text(json.dumps(CLEAN))
    with pytest.raises(InputError, match=r"a\.json:1: .*did you mean 'name'\?"):
        read_paths([tmp_path])


JSON_TWICE = '[{"name": "get_x",\n "description": "Safe.",\n "description": "Evil."}]'
JSON_TWICE_BELOW = (
    '[{"name": "get_x", "input_schema": {"properties":\n {"a": {},\n "a": {"type": "integer"}}}}]'
)
YAML_TWICE = "- name: get_x\n  name: get_y\n  description: a\n"
YAML_TWICE_BY_ALIAS = (
    "s: &s\n  type: object\n  type: string\ntools:\n- {name: x, description: y, input_schema: *s}"
)


@pytest.mark.parametrize(
    ("text", "kind", "says"),
    [
        (JSON_TWICE, ".json", "t:3: duplicate key 'description' in one object of the tool 'get_x'"),
        (JSON_TWICE_BELOW, ".json", "t:3: duplicate key 'a'"),
        (YAML_TWICE, ".yaml", "t:2: the key 'name' occurs twice"),
        (YAML_TWICE_BY_ALIAS, ".yaml", "t:3: the key 'type' occurs twice"),
        ('{"a": 1}\n' + JSON_TWICE.replace("\n", ""), ".jsonl", "t:2: duplicate key 'description'"),
    ],
)
def test_a_key_that_a_tool_has_twice_is_an_error_at_its_line(text: str, kind: str, says: str) -> None:
    with pytest.raises(InputError) as caught:
        read_text(text, name="t", kind=kind)
    assert str(caught.value).startswith(says)


def test_keys_outside_of_tools_may_repeat() -> None:
    (tools,) = read_text('{"a": 1, "a": 2, "tools": [{"name": "x", "description": "y"}]}')
    assert tools.tools[0].name == "x"
