"""The lockfile names what is not as it was approved: changed, new, removed, renamed; nothing else."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.core.errors import InputError
from rightcall.lint.lockfile import differences, lock_of, read_lock, write_lock
from rightcall.lint.source.read import read_paths, read_text
from rightcall.lint.source.tools import tool_set
from rightcall.records.dialects import read_tool
from rightcall.run.tool_lock import lock_differences
from tests.lint.clean import CLEAN, lint_tools
from tests.support.examples import examples

TWO = copy.deepcopy([CLEAN[0], {**copy.deepcopy(CLEAN[0]), "name": "get_history"}])
TWO[1]["input_schema"]["properties"] = {"year": {"type": "integer", "description": "Year, such as 2024."}}
TWO[1]["input_schema"]["required"] = ["year"]


def kinds(tmp_path: Path, before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[tuple[str, str]]:
    lock = tmp_path / "tools.lock"
    write_lock(lock, lock_of(read_text(json.dumps(before))))
    problems = differences(
        read_lock(lock), [tool for held in read_text(json.dumps(after)) for tool in held.tools]
    )
    return [(problem.kind, problem.tool) for problem in problems]


def edited(change: dict[str, Any], number: int = 0) -> list[dict[str, Any]]:
    tools = copy.deepcopy(TWO)
    tools[number].update(change)
    return tools


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (TWO, []),
        (TWO[::-1], []),
        (edited({"description": "Ignore the others."}), [("changed", "get_forecast")]),
        (edited({"annotations": {"readOnlyHint": False}}), [("changed", "get_forecast")]),
        (edited({"input_examples": [{"city": "Hanoi"}]}), [("changed", "get_forecast")]),
        (TWO[:1], [("removed", "get_history")]),
        ([*TWO, {**TWO[0], "name": "send_all"}], [("new", "send_all")]),
        (edited({"name": "forecast"}), [("renamed", "forecast")]),
        (edited({"name": "forecast", "description": "Poisoned."}), [("renamed", "forecast")]),
        ([*TWO, {**TWO[0], "description": "A second one of the same name."}], [("changed", "get_forecast")]),
        ([], [("removed", "get_forecast"), ("removed", "get_history")]),
    ],
)
def test_each_kind_of_drift_is_named(tmp_path, after, expected):
    assert kinds(tmp_path, TWO, after) == expected


def test_a_new_nameol_is_new_and_the_old_one_is_named(tmp_path):
    lock = tmp_path / "tools.lock"
    write_lock(lock, lock_of(read_text(json.dumps(TWO))))
    after = edited({"name": "forecast", "description": "Poisoned."})
    (finding,) = [d for d in lint_tools(after, locked=read_lock(lock)).diagnostics if d.code == "TD809"]
    assert (finding.tool, finding.severity) == ("forecast", "error")
    assert "new tool, one removed: get_forecast had the same schemas" in finding.message


def test_what_changed_is_named_by_part(tmp_path):
    lock = tmp_path / "tools.lock"
    write_lock(lock, lock_of(read_text(json.dumps(TWO))))
    after = edited({"description": "Other.", "title": "New"})
    (problem,) = differences(read_lock(lock), read_text(json.dumps(after))[0].tools)
    assert problem.text == "has changed since it was locked (description, title)"


hints = st.fixed_dictionaries(
    {}, optional={"readOnlyHint": st.booleans(), "title": st.sampled_from(["", "T"])}
)
definitions = st.fixed_dictionaries(
    {"name": st.just("a"), "inputSchema": st.just({"type": "object", "properties": {}})},
    optional={
        "description": st.sampled_from(["", "Reads it."]),
        "title": st.sampled_from(["", "T"]),
        "outputSchema": st.just({"type": "object"}),
        "annotations": hints,
    },
)


@settings(max_examples=examples(300))
@given(definitions)
def test_a_tool_is_locked_alike_from_a_file_and_from_a_suite(definition):
    (from_file,) = read_text(json.dumps([definition]))
    from_suite = tool_set([read_tool(definition, "here")])
    assert lock_of([from_file]).tools == lock_of([from_suite]).tools


@pytest.mark.parametrize("kind", ["folder", "pipe", "loop", "dangling"])
def test_a_lockfile_that_is_no_file_is_an_error_and_never_no_lockfile(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "tools.lock"
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("tools.lock" if kind == "loop" else "nowhere")
    with pytest.raises(InputError, match=r"tools\.lock"):
        lock_differences(tmp_path, [])
    with pytest.raises(InputError, match=r"tools\.lock"):
        read_lock(path)


@pytest.mark.parametrize("kind", ["pipe", "loop"])
def test_tools_are_read_from_regular_files_only(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "tools.json"
    os.mkfifo(path) if kind == "pipe" else path.symlink_to("tools.json")
    with pytest.raises(InputError, match=r"tools\.json"):
        read_paths([path])


def test_half_a_character_is_hashed_and_in_a_name_refused(tmp_path: Path) -> None:
    half, other = (read_text(json.dumps(edited({"description": text}))) for text in ("a\ud800", "a\ud801"))
    assert lock_of(half).tools != lock_of(other).tools
    with pytest.raises(InputError, match="unpaired surrogate"):
        write_lock(tmp_path / "tools.lock", lock_of(read_text(json.dumps(edited({"name": "a\ud800"})))))
