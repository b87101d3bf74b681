"""Files for contributors say what is true: hooks run what `make check` runs, forms are valid, versions are declared."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.support.published_schemas import problems, vendor_schema

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
