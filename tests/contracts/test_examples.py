"""Every script in examples/seeds runs and holds what it says: its assertions are the numbers of the page."""

from __future__ import annotations

import ast
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

SEEDS = Path(__file__).parents[2] / "examples" / "seeds"
HELPERS = ("weather", "llm_app", "file_tools", "model_server")
"""Modules that the scripts of a folder share."""

SCRIPTS = [
    path
    for path in sorted(SEEDS.rglob("*.py"))
    if path.stem not in HELPERS and not path.stem.startswith("test_")
]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_script_runs_and_its_assertions_hold(script, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(script.parent))
    before = set(sys.modules)
    try:
        runpy.run_path(str(script), run_name="__main__")
    finally:
        for name in set(sys.modules) - before:
            if name in HELPERS:
                del sys.modules[name]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_script_asserts_what_it_shows(script):
    tree = ast.parse(script.read_text("utf-8"))
    assert any(isinstance(node, ast.Assert) for node in ast.walk(tree)) and ast.get_docstring(tree)


EXTENDS = {
    "judging/refund_judge.py": ["rightcall.metrics.judged.rubric"],
}
"""Examples that extend a part of RightCall; `plugin` is a package of such parts."""


def imported_modules(tree: ast.AST) -> set[str]:
    froms = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    plain = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return {name for name in froms | plain if name.split(".")[0] == "rightcall"}


def test_examples_import_public_names_only():
    examples = SEEDS.parent
    private = {}
    for path in sorted(examples.rglob("*.py")):
        place = path.relative_to(examples).as_posix()
        modules = imported_modules(ast.parse(path.read_text("utf-8")))
        hidden = {name for name in modules if name.split(".")[1:2] not in ([], ["deepeval"], ["laminar"])}
        if hidden and not place.startswith("plugin/"):
            private[place] = sorted(hidden)
    assert private == EXTENDS


@pytest.mark.stories
def test_the_scripts_with_tests_are_run_by_rightcall_test(tmp_path):
    command = [
        sys.executable,
        "-m",
        "rightcall.cli.main",
        "test",
        str(SEEDS / "datasets" / "test_llm_app.py"),
    ]
    done = subprocess.run(
        [*command, "-p", "no:cacheprovider"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.stories
@pytest.mark.parametrize("folder", ["tool_evaluation", "datasets", "tools", "single_turn"])
def test_a_page_of_two_programs_shows_what_they_print(folder):
    pages = runpy.run_path(str(SEEDS.parents[1] / "docs" / "make_article_pages.py"))
    written = (SEEDS / folder / "README.md").read_text("utf-8")
    assert written == pages["page"](folder), "run python docs/make_article_pages.py"


def test_the_list_of_examples_names_every_script():
    page = (SEEDS / "README.md").read_text("utf-8")
    for path in [*SCRIPTS, *SEEDS.rglob("test_*.py")]:
        assert f"]({path.relative_to(SEEDS)})" in page, f"examples/seeds/README.md does not name {path.name}"
