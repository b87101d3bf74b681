"""Reading definitions with the place of every value, in every format and spelling."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, strategies as st

from rightcall.core.errors import InputError
from rightcall.files.places import Document
from rightcall.lint.source.read import read_paths, read_text
from rightcall.records import Tool
from rightcall.tools.definitions.source import load_tools
from tests.lint.clean import CLEAN
from tests.lint.strategies import SPELLINGS, json_values, spelled


def paths_in(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(found for key, part in inner for found in paths_in(part, (*path, key)))]


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for part in path:
        value = value[part]
    return value


@given(json_values, st.sampled_from([None, 0, 3, "\t"]), st.booleans())
def test_the_text_at_the_place_of_a_json_value_is_that_value(
    value: Any, indent: Any, ascii_only: bool
) -> None:
    document = Document("x", json.dumps(value, indent=indent, ensure_ascii=ascii_only))
    for path in paths_in(value):
        place = document.place(path)
        assert place is not None and json.loads(document.text[place.start : place.end]) == at(value, path)


@given(json_values, st.booleans())
def test_the_text_at_the_place_of_a_yaml_value_is_that_value(value: Any, flow: bool) -> None:
    text = yaml.safe_dump([value], default_flow_style=flow, allow_unicode=True)
    document = Document("x", text, kind="yaml")
    for path in paths_in(document.value):
        place = document.place(path)
        assert place is not None
        if place.flow:
            found = Document("y", f"- {text[place.start : place.end]}", kind="yaml").value
            assert found == [at(document.value, path)]


def test_line_and_column_count_from_one() -> None:
    document = Document("x", '[\n  {"a": 1,\n   "ü": [true]}]')
    assert document.locate((0, "ü", 0))[:2] == (3, 10)
    assert document.locate((0, "a"))[:2] == (2, 4)
    assert document.locate((0, "absent", "deeper")) == (2, 3, "")


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_tool_is_read_in_every_spelling(spelling: str) -> None:
    (tools,) = read_text(json.dumps([spelled(CLEAN[0], spelling)]))
    (tool,) = tools.tools
    assert (tool.name, tool.description) == (CLEAN[0]["name"], CLEAN[0]["description"])
    assert (tool.input_schema, tool.spelling) == (CLEAN[0]["input_schema"], spelling)
    assert tool.document is not None
    where = tool.document.place(tool.document_path(("input_schema", "properties", "city", "type")))
    assert where is not None and tool.document.text[where.start : where.end] == '"string"'


@pytest.mark.parametrize(
    "wrap",
    [
        lambda tools: tools,
        lambda tools: tools[0],
        lambda tools: {"tools": tools},
        lambda tools: {"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}},
        lambda tools: {"functions": tools},
        lambda tools: {"toolConfig": {"tools": tools}},
        lambda tools: {"tools": [{"functionDeclarations": tools}]},
    ],
)
def test_tools_are_found_where_people_put_them(wrap: Any) -> None:
    (tools,) = read_text(json.dumps(wrap([spelled(CLEAN[0], "plain")])))
    assert [tool.name for tool in tools.tools] == ["get_forecast"]


def test_a_providers_own_tools_are_passed_over() -> None:
    own = {"type": "web_search_20250305", "name": "web_search", "description": "x"}
    (tools,) = read_text(json.dumps([own, CLEAN[0]]))
    assert [tool.name for tool in tools.tools] == ["get_forecast"]


def test_lines_of_jsonl_are_sets_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "sets.jsonl"
    file.write_text("\n".join(json.dumps({"tools": [tool]}) for tool in CLEAN) + "\n")
    sets = read_paths([file])
    assert [each.tools[0].name for each in sets] == ["get_forecast", "list_stations", "explain_alert"]
    document = sets[2].tools[0].document
    assert document is not None and document.locate(("tools", 0))[:2] == (3, 12)


def test_a_folder_gives_the_tool_files_in_it(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(CLEAN))
    (tmp_path / "b.yaml").write_text("tools:\n- {name: x, description: y}\n")
    (tmp_path / "package.json").write_text('{"name": "not-a-tool", "version": "1"}')
    (tmp_path / "broken.json").write_text("{")
    assert [len(each.tools) for each in read_paths([tmp_path])] == [3, 1]


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.json", b"[{]", r"a\.json:1: not valid JSON"),
        ("a.json", b'[{"a": NaN}]', "NaN is not a JSON number"),
        ("a.json", b"\xff\xfe", "not valid UTF-8"),
        ("a.json", b"{}", "no tool definitions found"),
        ("a.json", b"[" * 100_000, "nested too deeply"),
        ("a.yaml", b"a: [b", r"a\.yaml:\d: not valid YAML"),
        ("a.yaml", b"[" * 100_000 + b"]" * 100_000, "nested more than 100 levels deep"),
        ("a.yaml", b"- " * 5_000 + b"a", "nested more than 100 levels deep"),
        (
            "a.yaml",
            b"- &a name: b\n- {name: a, name: b, description: c}",
            r"a\.yaml:2: the key 'name' occurs twice",
        ),
        (
            "a.yaml",
            b"- [x]: a\n  name: d\n- {name: a, name: b, description: c}",
            r"a\.yaml:1: a key must be a string",
        ),
        ("a.yaml", b"&a [*a]", r"the alias \*a has no finished anchor"),
        ("a.yaml", b"!!python/object/apply:os.getcwd []", "no tool definitions found"),
        ("a.yaml", b"- name: !note x\n  description: y", r"a\.yaml:1: the tag !note cannot be read"),
        (
            "a.yaml",
            b"- &b {name: x}\n- {<<: *b, description: y}",
            r"a\.yaml:2: the merge key << cannot be read",
        ),
        ("a.toml", b"", r"cannot read tools from '\.toml'"),
        ("a.py", b"", "must be executed to find its tools; allow it with --import"),
    ],
)
def test_a_bad_file_gets_one_sentence_with_the_place(
    tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=says):
        read_paths([tmp_path / name])


def test_a_missing_file_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_paths([tmp_path / "absent.json"])


def test_yaml_anchors_cannot_blow_up() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join(['*a' + str(n - 1)] * 9)}]\n" for n in range(1, 12)
    )
    with pytest.raises(InputError, match="aliases repeat more than 100,000 values"):
        read_text(bomb, kind=".yaml")


def test_python_modules_are_loaded_only_by_the_loader_that_is_given(tmp_path: Path) -> None:
    file = tmp_path / "tools.py"
    file.write_text("raise SystemExit('never run')")
    (tools,) = read_paths([file], import_python=lambda path: [Tool(path.stem, "Says its own name.")])
    assert [tool.name for tool in tools.tools] == ["tools"]


def test_plain_yaml_words_are_text_unless_json_has_them() -> None:
    text = (
        "[yes, no, on, 012, 0x1F, 1_000, 1:30, 2026-01-01, True, true, null, ~, 12, -1.5, 1e3, '5', !!int 7]"
    )
    assert Document("x", text, kind="yaml").value == [
        "yes", "no", "on", "012", "0x1F", "1_000", "1:30", "2026-01-01", "True",
        True, None, None, 12, -1.5, 1000.0, "5", 7,
    ]  # fmt: skip


def test_lint_and_the_loader_of_tools_read_the_same_yaml(tmp_path: Path) -> None:
    file = tmp_path / "tools.yaml"
    enum = "[yes, no, 012, 1e3, 7]"
    file.write_text(
        f"tools:\n- name: x\n  description: y\n  input_schema: {{properties: {{a: {{enum: {enum}}}}}}}\n"
    )
    (found,) = read_paths([file])[0].tools
    assert found.input_schema == load_tools(file)[0].input_schema


def test_a_tool_that_its_provider_runs_is_named_and_not_linted() -> None:
    own = {"name": "x", "description": "y", "input_schema": {"type": "object"}}
    theirs = [{"type": "web_search_20250305", "name": "web_search"}, {"type": "file_search"}]
    (found,) = read_text(json.dumps({"tools": [own, *theirs]}))
    assert [tool.name for tool in found.tools] == ["x"]
    assert found.provider_run == ("web_search", "file_search")
