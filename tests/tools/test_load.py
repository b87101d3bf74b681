"""Tools come from files in any shape and spelling."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.core.codec import encode
from rightcall.core.errors import InputError
from rightcall.files.yaml_text import yaml_dumper
from rightcall.records import Annotations, Tool
from rightcall.records.dialects import SPELLINGS
from rightcall.tools.definitions.source import load_tools, object_tools, tool_entries
from tests.records.dialects.strategies import full_tools

DATA = Path(__file__).parent / "data"
WEATHER = {"name": "weather", "input_schema": {"type": "object"}}


@pytest.mark.parametrize(("server", "count"), [("filesystem", 14), ("gitlab", 9), ("time", 2)])
def test_the_answer_of_a_real_server_is_a_tools_file(server: str, count: int):
    assert len(load_tools(DATA / f"{server}.json")) == count


@pytest.mark.parametrize(
    "document",
    [WEATHER, [WEATHER], {"tools": [WEATHER]}, {"format": "rightcall/tools/1", "tools": [WEATHER]}],
)
@pytest.mark.parametrize("suffix", [".json", ".yaml", ".yml"])
def test_a_file_is_a_list_an_answer_or_one_tool(tmp_path: Path, document: object, suffix: str):
    path = tmp_path / f"tools{suffix}"
    path.write_text(json.dumps(document, indent=1), "utf-8")  # JSON is YAML too
    assert load_tools(path) == [Tool("weather", input_schema={"type": "object"})]


DECLARED = {"name": "weather", "parameters": {"type": "object"}}


@pytest.mark.parametrize("key", ["functionDeclarations", "function_declarations"])
def test_what_gemini_is_asked_with_is_a_tools_file_and_a_value_of_a_module(tmp_path: Path, key: str):
    for document in ({key: [DECLARED]}, [{key: [DECLARED]}], {"tools": [{key: [DECLARED]}]}):
        (tmp_path / "tools.json").write_text(json.dumps(document), "utf-8")
        assert load_tools(tmp_path / "tools.json") == object_tools(document, "TOOLS")
        assert [tool.name for tool in object_tools(document, "TOOLS")] == ["weather"]


def test_spellings_may_be_mixed_in_one_file(tmp_path: Path):
    raw = [WEATHER, {"type": "function", "function": {"name": "a"}}, {"name": "b", "inputSchema": {}}]
    (tmp_path / "tools.json").write_text(json.dumps(raw), "utf-8")
    assert [tool.name for tool in load_tools(tmp_path / "tools.json")] == ["weather", "a", "b"]


def save_tools(tools: list[Tool], path: Path, dialect: str = "native") -> None:
    written = [SPELLINGS[dialect].write_tool(tool) for tool in tools]
    document = {"tools": written} if dialect == "mcp" else written
    dump = json.dumps if path.suffix == ".json" else yaml_dumper()
    path.write_text(dump(json.loads(encode(document))), "utf-8")


@pytest.mark.parametrize("dialect", SPELLINGS)
@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_tools_survive_a_file_in_every_spelling(tmp_path: Path, dialect, suffix: str):
    tools = [Tool("weather", "Thời tiết: NO", {"type": "object", "enum": ["007", 7]}), Tool("b")]
    save_tools(tools, tmp_path / f"tools{suffix}", dialect=dialect)
    assert load_tools(tmp_path / f"tools{suffix}") == tools


@settings(max_examples=40)
@given(tools=st.lists(full_tools, min_size=1, max_size=3, unique_by=lambda tool: tool.name))
def test_mcp_files_keep_everything(tmp_path_factory, tools: list[Tool]):
    folder = tmp_path_factory.mktemp("tools")
    save_tools(tools, folder / "tools.yaml", dialect="mcp")
    assert load_tools(folder / "tools.yaml") == tools
    shutil.rmtree(folder)


def test_annotations_of_our_own_spelling_are_kept(tmp_path: Path):
    tool = Tool(
        "rm", output_schema={"type": "null"}, title="Remove", annotations=Annotations(destructive=True)
    )
    save_tools([tool], tmp_path / "tools.json")
    assert load_tools(tmp_path / "tools.json") == [tool]


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("tools.json", '[\n{"name": "a"},\n{"name": "a"}\n]', "json:3: duplicate tool 'a', first"),
        ("tools.yaml", "- name: a\n- name: b\n  input_shema: {}\n", "yaml:2: unknown field 'input_shema'; "),
        ("tools.json", '{"tools": "x"}', "tools.json:1: tools: "),
        ("tools.json", '{"tools": [3]}', "tools.json:1: a tool must be an object, got a number"),
        ("tools.json", '[{"name": "a"', "tools.json:1: not valid JSON: unexpected end of input; "),
        ("tools.json", '{"format": "rightcall/tools/9", "tools": []}', "upgrade RightCall"),
        ("tools.json", '{"format": "rightcall/goldens/1", "tools": []}', "expected a tools file"),
        ("tools.jsonn", "[]", "cannot infer the format from the suffix '.jsonn'; did you mean '.json'?"),
        ("tools.yaml", "just words", "tools.yaml:1: expected a list, got a text"),
        ("tools.yaml", "tools:\n  a: 1\n", "tools.yaml:2: tools must be a list, got an object"),
        ("tools.yaml", "", "the file is empty"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_tools_file_is_said_with_its_line(
    tmp_path: Path, name: str, content: str, words: str
):
    (tmp_path / name).write_text(content, "utf-8")
    with pytest.raises(InputError) as caught:
        load_tools(tmp_path / name)
    assert words in str(caught.value)


def test_settings_of_how_tools_are_found_are_no_tools(tmp_path: Path) -> None:
    tool = {"name": "refund", "input_schema": {"type": "object"}, "defer_loading": True}
    kinds = (
        "tool_search_tool_bm25_20251119",
        "tool_search",
        "programmatic_tool_calling",
        "code_execution_20260521",
    )
    entries = [{"type": kind, "name": "x"} for kind in kinds]
    file = tmp_path / "tools.json"
    file.write_text(json.dumps([*entries, tool]), "utf-8")
    assert [definition.name for definition in load_tools(file)] == ["refund"]
    assert [definition.name for definition in tool_entries([*entries, tool], "tools")] == ["refund"]
