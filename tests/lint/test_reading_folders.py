"""What is read from folders, what is skipped, and what is reported about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rightcall.core.errors import InputError
from rightcall.lint.source.read import read_paths
from tests.lint.clean import CLEAN


def put(path: Path, value: object = CLEAN) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def files_read(*paths: Path) -> list[str]:
    return [Path(each.name).name for each in read_paths(paths)]


@pytest.mark.parametrize(
    "folder", ["node_modules", ".git", ".venv", "venv", "__pycache__", "dist", "build", "a/node_modules/b"]
)
def test_what_was_installed_or_made_is_not_read(tmp_path: Path, folder: str) -> None:
    put(tmp_path / "tools.json")
    put(tmp_path / folder / "theirs.json")
    assert files_read(tmp_path) == ["tools.json"]
    assert files_read(tmp_path / folder) == ["theirs.json"]


def test_a_virtual_environment_is_known_by_its_file_whatever_its_name(tmp_path: Path) -> None:
    put(tmp_path / "tools.json")
    put(tmp_path / "py312" / "theirs.json")
    put(tmp_path / "py312" / "pyvenv.cfg", "")
    assert files_read(tmp_path) == ["tools.json"]


def test_a_file_is_read_once_however_often_it_is_named(tmp_path: Path) -> None:
    file = put(tmp_path / "tools.json")
    assert files_read(tmp_path, file, tmp_path, tmp_path / "." / "tools.json") == ["tools.json"]
    assert files_read(file, tmp_path) == ["tools.json"]


@pytest.mark.parametrize(
    ("document", "is_read"),
    [
        ({"name": "my-package", "description": "A package.", "version": "1.0.0"}, False),
        ([{"name": "Ada", "description": "Wrote the first program."}], False),
        ({"tools": [{"name": "get_x", "description": "Gets x."}]}, True),
        ({"name": "get_x", "input_schema": {"type": "object"}}, True),
        ({"name": "get_x", "description": "Gets x.", "parameters": {"type": "object"}}, True),
        ({"type": "function", "function": {"name": "get_x"}}, True),
    ],
)
def test_in_a_folder_a_name_with_a_description_is_not_yet_a_tool(
    tmp_path: Path, document: object, is_read: bool
) -> None:
    put(tmp_path / "a.json", document)
    put(tmp_path / "tools.json")
    assert ("a.json" in files_read(tmp_path)) == is_read


def test_a_folder_without_tools_is_named(tmp_path: Path) -> None:
    put(tmp_path / "full" / "tools.json")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"empty: no tool definitions found in this folder"):
        read_paths([tmp_path / "full", tmp_path / "empty"])


def test_a_folder_with_tools_in_python_says_how_to_read_them(tmp_path: Path) -> None:
    put(tmp_path / "mine.py", "@rc.tool\ndef get_x(): ...")
    with pytest.raises(InputError, match="allow it with --import"):
        read_paths([tmp_path])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("b.json", '[{"name": "delete_all", "input_schema": {}'),
        ("b.json", '{"type": "function", "function": {"parameters": {'),
        ("b.yaml", "- name: delete_all\n  inputSchema: ["),
    ],
)
def test_a_broken_file_of_tools_is_refused_and_not_left_out(tmp_path: Path, name: str, text: str) -> None:
    put(tmp_path / "tools.json")
    put(tmp_path / name, text)
    with pytest.raises(InputError, match=rf"{name}:\d+: not valid"):
        read_paths([tmp_path])


def test_modules_with_tools_that_were_not_read_are_named(tmp_path: Path) -> None:
    put(tmp_path / "tools.json")
    put(tmp_path / "mine.py", "@rc.tool\ndef delete_all(): ...")
    told: list[InputError] = []
    assert len(read_paths([tmp_path], unreadable=told.append)) == 1
    assert [Path(error.where).name for error in told] == ["mine.py"] and "--import" in told[0].hint


@pytest.mark.parametrize(("name", "text"), [("broken.json", "{bad"), ("b.yaml", "a: ["), ("c.json", "\x00")])
def test_a_file_that_is_not_what_its_name_says_is_reported(tmp_path: Path, name: str, text: str) -> None:
    put(tmp_path / "tools.json")
    put(tmp_path / name, text)
    told: list[InputError] = []
    assert len(read_paths([tmp_path], unreadable=told.append)) == 1
    assert [Path(error.where.rpartition(":")[0]).name for error in told] == [name]
