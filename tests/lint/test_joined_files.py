"""Tools that are offered together although each is in a separate file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rightcall.lint.engine import lint
from rightcall.lint.source.read import read_paths, read_text
from rightcall.lint.source.tools import ToolSet, join_sets
from tests.lint.clean import CLEAN, codes
from tests.lint.test_incident import BEFORE


def files(folder: Path, *documents: Any) -> list[ToolSet]:
    for number, document in enumerate(documents):
        (folder / f"{number}.json").write_text(json.dumps(document))
    return read_paths([folder])


def test_one_tool_a_file_is_linted_as_if_they_stood_in_one(tmp_path: Path) -> None:
    (tools,) = join_sets(files(tmp_path, *BEFORE))
    report = lint([tools])
    assert tools.name == str(tmp_path)
    assert codes(report) == codes(lint(read_text(json.dumps(BEFORE))))
    assert {Path(d.file).name for d in report.diagnostics} == {"0.json", "1.json"}


def test_a_copy_in_another_file_is_a_collision(tmp_path: Path) -> None:
    found = codes(lint(join_sets(files(tmp_path, CLEAN[0], CLEAN[0]))))
    assert "TD109" in found and found == codes(lint(read_text(json.dumps([CLEAN[0], CLEAN[0]]))))


@pytest.mark.parametrize(
    ("documents", "sizes", "sizes_together"),
    [
        ([CLEAN, CLEAN[0]], [3, 1], [4]),
        ([CLEAN[:2], CLEAN[0], CLEAN[1]], [2, 2], [4]),
        ([CLEAN[0], CLEAN[:2], CLEAN[1]], [2, 2], [4]),
        ([{"server": "a", "tools": CLEAN[:1]}, {"server": "b", "tools": CLEAN[:1]}], [1, 1], [2]),
        ([CLEAN], [3], [3]),
    ],
)
def test_files_of_several_tools_stay_sets_unless_all_are_wanted_together(
    tmp_path: Path, documents: list[Any], sizes: list[int], sizes_together: list[int]
) -> None:
    sets = files(tmp_path, *documents)
    assert [len(each.tools) for each in join_sets(sets)] == sizes
    assert [len(each.tools) for each in join_sets(sets, together=True)] == sizes_together


def test_lines_of_jsonl_stay_sets(tmp_path: Path) -> None:
    file = tmp_path / "sets.jsonl"
    file.write_text("\n".join(json.dumps(tool) for tool in CLEAN))
    assert len(join_sets(read_paths([file]))) == 3
