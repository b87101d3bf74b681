"""YAML is read by one reader: what stays text in a dataset stays text in every other file."""

from __future__ import annotations

from pathlib import Path

import pytest

from rightcall.core.errors import InputError
from rightcall.files.documents import at_pointer, read_document
from rightcall.providers.scripted import ScriptedProvider
from rightcall.tools.faults.plan import load_plan


def test_no_is_text_in_a_fault_plan(tmp_path: Path) -> None:
    path = tmp_path / "faults.yaml"
    path.write_text(
        "faults:\n  - {type: wrong_value, tool: get_weather, when: {city: NO, day: 2026-01-01, n: 007}}\n"
    )
    assert load_plan(path).faults[0].when == {"city": "NO", "day": "2026-01-01", "n": "007"}


def test_no_is_text_in_a_script(tmp_path: Path) -> None:
    path = tmp_path / "script.yaml"
    path.write_text(
        "format: rightcall/script/1\nreplies:\n  - turns:\n"
        "      - calls: [{name: get_weather, arguments: {country: NO, on: yes}}]\n"
    )
    from tests.agents.test_performing import GOLDEN, Agent, perform

    (call,) = perform(Agent(ScriptedProvider.from_file(path)), GOLDEN).calls
    assert call.arguments == {"country": "NO", "on": "yes"}


@pytest.mark.parametrize("name", ["plan.yaml", "plan.json"])
@pytest.mark.parametrize("text", ["", "{", "\x00"])
def test_a_broken_file_is_reported_with_its_name(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=name):
        load_plan(tmp_path / name)


def test_a_document_is_a_list_or_an_object(tmp_path: Path) -> None:
    for text, value in (("- 1\n- NO\n", [1, "NO"]), ("a: [x]\n", {"a": ["x"]}), ("[1, {}]", [1, {}])):
        (tmp_path / "x.yaml").write_text(text)
        assert read_document(tmp_path / "x.yaml") == value


def test_toml_is_read_and_its_mistakes_have_a_line(tmp_path: Path) -> None:
    path = tmp_path / "settings.toml"
    path.write_text('[lint]\nselect = ["TD1"]\n')
    assert read_document(path) == {"lint": {"select": ["TD1"]}}
    path.write_text("[lint]\nselect = \n")
    with pytest.raises(InputError, match=r"settings\.toml:2: not valid TOML"):
        read_document(path)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", {"a/b": [{"~": 1}]}),
        ("/a~1b", [{"~": 1}]),
        ("/a~1b/0/~0", 1),
        ("/a~1b/1", None),
        ("/a~1b/x", None),
    ],
)
def test_a_json_pointer_leads_to_a_value(text: str, value: object) -> None:
    assert at_pointer({"a/b": [{"~": 1}]}, text) == value
