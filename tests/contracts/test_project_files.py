"""Files for contributors say what is true: hooks run what `make check` runs, forms are valid, versions are declared."""

from __future__ import annotations

import re
import tomllib
from itertools import combinations
from pathlib import Path

import pytest
import yaml
from _pytest.mark.expression import Expression

from tests.support.published_schemas import problems, vendor_schema
from tests.support.pythons import ROOMS, supported

ROOT = Path(__file__).parents[2]


def read_yaml(name: str) -> dict:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def test_hooks_before_a_commit_are_the_linters_of_make_check_from_this_environment():
    (repository,) = read_yaml(".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    linters = re.findall(
        r"^\t\$\(BIN\)/(ruff \w+|mypy|lint-imports)", (ROOT / "Makefile").read_text("utf-8"), re.M
    )
    hooks = [re.match(r"\.venv/bin/((?:ruff )?[\w-]+)", hook["entry"]) for hook in repository["hooks"]]
    assert [hook and hook.group(1) for hook in hooks] == list(dict.fromkeys(linters))


@pytest.mark.parametrize(
    ("file", "schema"),
    [
        ("bug.yml", "github-issue-forms"),
        ("feature.yml", "github-issue-forms"),
        ("config.yml", "github-issue-config"),
    ],
)
def test_forms_of_issues_are_valid_by_the_schemas_of_their_server(file, schema):
    assert problems(read_yaml(f".github/ISSUE_TEMPLATE/{file}"), vendor_schema(schema)) == []


def test_a_pull_request_is_asked_what_it_removed_or_reused():
    assert "removed or reused" in (ROOT / ".github" / "PULL_REQUEST_TEMPLATE.md").read_text("utf-8")


@pytest.mark.parametrize(
    "marks", [set(marks) for n in range(3) for marks in combinations(("stories", "nightly"), n)]
)
@pytest.mark.parametrize("ray", [set(), {"ray"}], ids=["", "ray"])
def test_each_test_is_run_by_one_target(marks, ray):
    """What `.ci/run` runs in full, and long searches: which marks a test has decides between them, and none is left out."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = {
        words: Expression.compile(expression)
        for words, expression in re.findall(r'^(.* -m pytest.*) -m "?([^"\n]+)"?$', makefile, re.M)
    }
    found = [
        words for words, chosen in targets.items() if chosen.evaluate(lambda name, **_: name in marks | ray)
    ]
    assert len(found) == 1, found


def test_declared_versions_begin_with_the_oldest_that_is_required_and_have_no_gap():
    required = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["requires-python"]
    numbers = [int(version.removeprefix("3.")) for version in supported()]
    assert numbers == [*range(numbers[0], numbers[-1] + 1)]
    assert required == f">=3.{numbers[0]}"


def test_rooms_whose_tests_run_on_every_version_exist():
    assert [room for room in ROOMS if not (ROOT / "tests" / room).is_dir()] == []


def test_environments_that_make_creates_are_ignored_by_git():
    environments = set(re.findall(r"\.venv[\w-]*", (ROOT / "Makefile").read_text("utf-8")))
    assert {f"{folder}/" for folder in environments} <= set((ROOT / ".gitignore").read_text("utf-8").split())
