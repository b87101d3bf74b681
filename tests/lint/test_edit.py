"""Corrections change the text at their place and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import assume, given, strategies as st

from rightcall.files.places import Document
from rightcall.lint.config import LintConfig
from rightcall.lint.fixer import fix, write
from rightcall.lint.rule import REMOVED, Edit
from rightcall.lint.source.edit import edit_document, edit_value
from rightcall.lint.source.read import read_paths, read_text
from tests.lint.strategies import json_values
from tests.lint.test_source import at, paths_in


@given(st.data(), st.sampled_from([None, 2, "\t"]))
def test_a_json_edit_gives_the_value_that_was_wanted(data: st.DataObject, indent: Any) -> None:
    value, edit = data.draw(values_with_edit())
    document = Document("x", json.dumps(value, indent=indent))
    changed = edit_document(document, [edit])
    assert changed is not None and changed.value == edit_value(value, [edit])


@given(st.data(), st.booleans())
def test_a_yaml_edit_gives_the_value_that_was_wanted_or_is_not_made(data: st.DataObject, flow: bool) -> None:
    value, edit = data.draw(values_with_edit())
    document = Document("x", yaml.safe_dump(value, default_flow_style=flow), kind="yaml")
    assume(document.value == value)
    changed = edit_document(document, [edit])
    assert changed is None or changed.value == edit_value(value, [edit])


@st.composite
def values_with_edit(draw: st.DrawFn) -> tuple[Any, Edit]:
    value = draw(st.dictionaries(st.text("abc", min_size=1, max_size=3), json_values, min_size=1, max_size=4))
    path = draw(st.sampled_from(paths_in(value)[1:]))
    new = draw(json_values)
    kind = draw(st.sampled_from(["replace", "remove", "add"]))
    if kind == "add":
        holders = [found for found in paths_in(value) if isinstance(at(value, found), dict)]
        return value, Edit((*draw(st.sampled_from(holders)), "new key"), new)
    if kind == "remove" and isinstance(path[-1], str):
        return value, Edit(path, REMOVED)
    return value, Edit(path, new)


YAML = """\
# Tools of the harbour
tools:
  - name: get_tide          # the only reader
    description: >
      Returns the tides of one port. Use it for ships.
      Fails with not_found.
    input_schema:
      properties:
        port: {type: str, description: Name of the port in English.}
      required: [port]
"""


def test_a_fix_in_yaml_keeps_comments_and_layout(tmp_path: Path) -> None:
    file = tmp_path / "tools.yaml"
    file.write_text(YAML)
    fixed = fix(read_paths([file]), config=LintConfig(select=("TD006", "TD002")))
    write(fixed)
    assert sorted(fixed[0].codes) == ["TD002", "TD006"]
    assert file.read_text() == YAML.replace("type: str,", "type: string,") + '      type: "object"\n'


SHARED = """\
- name: get_tide
  description: >-
    Returns the \u200btides of one port,
    everywhere and always.
  input_schema: &port
    type: dict   # odd
    properties:
      port: {type: string}
- name: get_wind
  description: |
    Returns the wind.

    Fails\u200b with not_found.
  input_schema: *port
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_fix_in_yaml_follows_anchors_line_ends_and_blocks_of_text(newline: str) -> None:
    text = SHARED.replace("\n", newline)
    (fixed,) = fix(read_text(text, kind=".yaml"), config=LintConfig(select=("TD006", "hidden-unicode")))
    wanted = SHARED.replace("type: dict", "type: object").replace("\u200b", "")
    assert fixed.after.text == wanted.replace("\n", newline)


def test_a_fix_in_jsonl_replaces_its_line(tmp_path: Path) -> None:
    file = tmp_path / "sets.jsonl"
    tool = '{"name": "a", "description": "b", "parameters": {"type": "%s", "properties": {}}}\n'
    file.write_text(tool % "object" + tool % "dict" + tool % "object")
    write(fix(read_paths([file]), config=LintConfig(select=("TD006",))))
    assert file.read_text() == tool % "object" * 3


def test_a_fix_shows_as_a_diff() -> None:
    text = '[\n  {"name": "a", "description": "b", "parameters": {"type": "dict"}}\n]\n'
    (fixed,) = fix(read_text(text, name="t.json"), config=LintConfig(select=("TD006",)))
    assert '-  {"name": "a", "description": "b", "parameters": {"type": "dict"}}' in fixed.diff
    assert '+  {"name": "a", "description": "b", "parameters": {"type": "object"}}' in fixed.diff


def test_fixes_that_touch_each_other_take_turns() -> None:
    schema = {"properties": {"q": {"type": "str", "format": "made-up", "description": "A\u200b b."}}}
    tool = [{"name": "a", "description": "b", "parameters": schema}]
    (fixed,) = fix(read_text(json.dumps(tool)), config=LintConfig(select=("TD0", "TD709", "TD801")))
    assert fixed.after.value[0]["parameters"] == {
        "type": "object",
        "properties": {"q": {"type": "string", "description": "A b. Format: made-up."}},
    }
