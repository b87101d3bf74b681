"""The output for GitHub Actions."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, strategies as st

from rightcall.cli.output import in_actions
from rightcall.core.text import workflow_command
from rightcall.show.github import publish
from tests.show.conftest import Made


def test_the_step_summary_grows_by_the_report(varied: Made, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    publish(*varied, {"GITHUB_STEP_SUMMARY": str(summary)})
    assert summary.read_text("utf-8").startswith("before\n## ⚠️ ERROR · `varied`")


def test_failures_are_errors_and_missing_answers_are_warnings(varied: Made) -> None:
    lines = publish(*varied, {})
    assert "::error title=other-tool::called get_forecast instead of get_weather" in lines
    assert "::warning title=down::503 after 5 tries" in lines


def test_no_more_annotations_than_github_shows_and_the_rest_is_counted(demo: Made) -> None:
    lines = publish(*demo, {})
    assert len(lines) == 10
    assert lines[-1] == "::error title=3 more goldens did not pass::50.0%25 of 24 passed"


@given(st.text(), st.text())
def test_no_text_can_begin_a_second_command(title: str, message: str) -> None:
    line = workflow_command("error", message, {"title": title})
    head, _, rest = line.partition("::error title=")
    assert head == ""
    assert "\n" not in line
    assert "\r" not in line
    assert "::" not in rest.split("::", 1)[0]


def test_it_is_on_by_itself_only_in_actions() -> None:
    assert in_actions({"GITHUB_ACTIONS": "true"})
    assert not in_actions({})
