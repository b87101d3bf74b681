"""Findings that are known, and definitions that were approved."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rightcall.core.errors import InputError
from rightcall.lint.engine import lint
from rightcall.lint.known_findings import baseline_of, read_baseline, without_known, write_baseline
from rightcall.lint.lockfile import lock_of, read_lock, write_lock
from rightcall.lint.source.read import read_paths, read_text
from tests.lint.clean import CLEAN, lint_tools, merged
from tests.lint.test_incident import BEFORE


def test_a_baseline_leaves_only_what_is_new(tmp_path: Path) -> None:
    file = tmp_path / "baseline.json"
    write_baseline(file, baseline_of(lint_tools(BEFORE)))
    grown = [merged(BEFORE[0], {"description": ""}), BEFORE[1]]
    report = without_known(lint_tools(grown), read_baseline(file))
    assert [d.code for d in report.diagnostics] == ["TD201"]
    assert report.known == 8


def test_a_second_finding_of_the_same_kind_is_new() -> None:
    twice = [merged(CLEAN[0], {"description": ""})] * 2
    chosen = ("TD201",)
    report = without_known(
        lint_tools(twice, select=chosen), baseline_of(lint_tools(twice[:1], select=chosen))
    )
    assert [(d.code, d.line) for d in report.diagnostics] == [("TD201", 1)]


def test_a_changed_definition_is_drift_whatever_the_order_of_its_keys(tmp_path: Path) -> None:
    lock = tmp_path / "tools.lock.json"
    write_lock(lock, lock_of(read_text(json.dumps(CLEAN))))
    reordered = [dict(reversed(tool.items())) for tool in CLEAN]
    assert lint_tools(reordered, locked=read_lock(lock)).diagnostics == ()
    pulled = [merged(CLEAN[0], {"description": CLEAN[0]["description"] + " Covers all of Asia."}), *CLEAN[1:]]
    (found,) = lint_tools(pulled, locked=read_lock(lock)).diagnostics
    assert (found.code, found.severity, found.tool) == ("TD809", "error", "get_forecast")


def test_a_tool_that_is_not_locked_is_an_error() -> None:
    report = lint(read_text(json.dumps(CLEAN[:1])), locked={})
    assert [(d.code, d.severity) for d in report.diagnostics] == [("TD809", "error")]


def test_a_baseline_knows_a_file_by_its_place_whatever_was_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "crm").mkdir()
    (tmp_path / "crm" / "tools.json").write_text(json.dumps(BEFORE))
    monkeypatch.chdir(tmp_path / "crm")
    typed_here = lint(read_paths(["tools.json"]))
    baseline = baseline_of(typed_here, tmp_path)
    assert all(key.startswith("crm/tools.json:") for key in baseline.findings)
    for typed in (tmp_path / "crm" / "tools.json", "../crm/tools.json", "tools.json"):
        assert without_known(lint(read_paths([typed])), baseline, tmp_path).diagnostics == ()


def test_a_file_outside_the_folder_of_the_baseline_is_known_as_typed(tmp_path: Path) -> None:
    (tmp_path / "tools.json").write_text(json.dumps(BEFORE))
    report = lint(read_paths([tmp_path / "tools.json"]))
    elsewhere = tmp_path / "elsewhere"
    assert without_known(report, baseline_of(report, elsewhere), elsewhere).diagnostics == ()


@pytest.mark.parametrize("read", [read_baseline, read_lock])
def test_files_of_another_kind_are_refused(tmp_path: Path, read: object) -> None:
    file = tmp_path / "x.json"
    with pytest.raises(InputError, match="no such file"):
        read(file)  # type: ignore[operator]
    file.write_text(
        '{"findings": {}, "format": "else"}' if read is read_baseline else '{"tools": {}, "format": "else"}'
    )
    with pytest.raises(InputError, match="format must be"):
        read(file)  # type: ignore[operator]
