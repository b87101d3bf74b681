"""The pages are true: their examples run, their links lead somewhere, and what is generated is up to date."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from rightcall.metrics.matching.compile import KINDS
from rightcall.metrics.resolve import metric_pages

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
MARK = "\n<!-- example -->\n"
BLOCK = re.compile(re.escape(MARK) + r"\n*(?:`([^`\n]+)`:?\n+)?```(\w+)\n(.*?)```", re.DOTALL)
"""A marked block. A name in backticks before a json, jsonl or yaml block makes it a file of that name."""


def is_story(page):
    """Whether a page runs commands, each of which takes seconds."""
    return "\n$ rightcall" in page.read_text("utf-8")


EXAMPLES = [
    pytest.param(page, marks=pytest.mark.stories if is_story(page) else (), id=page.name)
    for page in PAGES
    if MARK in page.read_text("utf-8")
]


@pytest.mark.parametrize("page", EXAMPLES)
def test_the_examples_of_a_page_run_from_top_to_bottom(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    names: dict[str, object] = {"__name__": "example"}
    blocks = BLOCK.findall(page.read_text("utf-8"))
    assert len(blocks) == page.read_text("utf-8").count(MARK)
    for file, language, text in blocks:
        if file:
            Path(file).write_text(text, "utf-8")
        elif language == "python":
            exec(compile(text, str(page), "exec", dont_inherit=True), names)
        else:
            check_console(text)


def check_console(text: str) -> None:
    """Run each `$ rightcall …` of a block and compare what it prints; `…` stands for anything."""
    for command, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", text, re.MULTILINE):
        program, *arguments = shlex.split(command)
        assert program == "rightcall"
        done = subprocess.run(
            [sys.executable, "-m", "rightcall.cli.main", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "COLUMNS": "110"},
        )
        shown = "\n".join(line.rstrip() for line in (done.stdout + done.stderr).splitlines())
        wanted = "\n".join(line.rstrip() for line in expected.splitlines()).strip()
        pattern = ".*".join(re.escape(part) for part in wanted.split("…"))
        assert re.search(pattern, shown, re.DOTALL), f"$ {command}\n{shown}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_of_a_page_lead_somewhere(page):
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text):
        if not target.startswith(("http://", "https://", "mailto:")):
            assert (page.parent / target).exists(), target


def test_every_page_is_on_the_map():
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "index.md" or f"]({page.name})" in index, (
            f"docs/index.md does not name {page.name}"
        )


def test_the_pages_of_metrics_are_up_to_date(tmp_path):
    command = [sys.executable, ROOT / "docs" / "make_metric_pages.py", tmp_path]
    subprocess.run(command, check=True)
    made = {path.relative_to(tmp_path): path.read_text("utf-8") for path in tmp_path.rglob("*.md")}
    kept = {path: (ROOT / "docs" / path).read_text("utf-8") for path in made}
    assert made == kept, "run: python docs/make_metric_pages.py"
    assert {path.stem for path in (ROOT / "docs" / "metrics").glob("*.md")} == {
        page.name for page in metric_pages()
    }


def test_every_matcher_is_explained():
    text = (ROOT / "docs" / "scoring.md").read_text("utf-8")
    assert [name for name in KINDS if f"| `{name}` |" not in text] == []
