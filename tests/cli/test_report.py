"""`rightcall runs report`."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rightcall.cli.run_report import report
from rightcall.core.errors import InputError
from tests.show.samples import demo_run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("report")
    demo_run(made)[0].close()
    return made


def typed(folder: Path, *arguments: str, **environment: str) -> Result:
    chosen = {"GITHUB_ACTIONS": "", **environment}
    command = [*arguments, "--store", str(folder / "demo.db")]
    return CliRunner().invoke(report, command, env=chosen, catch_exceptions=False)


@pytest.mark.parametrize(
    ("name", "begins"),
    [
        ("r.html", "<!doctype"),
        ("r.md", "<!-- rightcall:report -->\n## "),
        ("r.xml", "<?xml"),
        ("r.json", '{"format"'),
    ],
)
def test_the_suffix_chooses_the_format_and_it_says_what_is_next(folder: Path, name: str, begins: str) -> None:
    said = typed(folder, "last", "-o", str(folder / name))
    assert (folder / name).read_text("utf-8").startswith(begins)
    assert "50.0% of 24 cases passed" in said.output
    assert ("file://" if name == "r.html" else "next: ") in said.output


def test_without_a_file_text_goes_to_the_terminal_alone(folder: Path) -> None:
    said = typed(folder, "--format", "markdown")
    assert said.stdout.startswith("## ❌ FAIL · `demo`")
    assert "next:" not in said.stdout


def test_an_unknown_suffix_is_refused_with_those_that_are_known(folder: Path) -> None:
    with pytest.raises(InputError, match=r"unknown report suffix '\.pdf'; use one of \.html"):
        typed(folder, "-o", str(folder / "r.pdf"))


def test_in_github_actions_the_step_gets_its_summary_and_annotations(folder: Path) -> None:
    summary = folder / "summary.md"
    arguments = ("-o", str(folder / "ci.json"))
    said = typed(folder, *arguments, GITHUB_ACTIONS="true", GITHUB_STEP_SUMMARY=str(summary))
    assert "::error title=weather-hanoi::" in said.output or "::error title=" in said.output
    assert summary.read_text("utf-8").startswith("## ❌ FAIL")
