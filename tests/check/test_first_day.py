"""The first day: a baseline is saved, its version is committed afterwards, and a change is checked against it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.check.test_check import EXAMPLE, REFUND, checked, edit, git, run

pytestmark = pytest.mark.stories

LOST = "Handles cases."
SAVE = ("run", "suite.yaml", "--save-baseline", "main.jsonl")


def begin(folder: Path) -> Path:
    """A folder with the example's suite, and nothing of it committed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("suite.yaml", "tools.json", "goldens.jsonl"):
        shutil.copy(EXAMPLE / name, folder)
    edit(folder / "suite.yaml", "record: auto ", "record: none ")
    (folder / ".gitignore").write_text(".rightcall/\ncheck*.json\n")
    return folder


def commit(title: str) -> None:
    git("add", "-A")
    git("commit", "-qm", title)


def before_the_first_commit(folder: Path) -> None:
    git("init", "-q", "-b", "main")
    run(*SAVE)
    commit("shop")


def in_a_repository_with_other_commits(folder: Path) -> None:
    git("init", "-q", "-b", "main")
    git("commit", "-qm", "empty", "--allow-empty")
    run(*SAVE)
    commit("shop")


def with_uncommitted_changes(folder: Path) -> None:
    git("init", "-q", "-b", "main")
    commit("shop")
    edit(folder / "suite.yaml", "record: none ", "record: none  ")
    run(*SAVE)
    commit("layout")


DAYS = [before_the_first_commit, in_a_repository_with_other_commits, with_uncommitted_changes]


@pytest.mark.parametrize("place", ["", "services/shop"])
@pytest.mark.parametrize("day", DAYS)
def test_a_change_is_confirmed_against_the_version_that_was_committed_after_its_baseline(
    day, place, tmp_path, monkeypatch
):
    monkeypatch.chdir(begin(tmp_path / "shop" / place))
    if place:  # a folder of a repository
        monkeypatch.chdir(tmp_path / "shop")
        git("init", "-q", "-b", "main")
        monkeypatch.chdir(tmp_path / "shop" / place)
    day(Path.cwd())
    git("switch", "-qc", "change")
    edit(Path("tools.json"), REFUND, LOST)
    commit("change")
    code, result = checked("--baseline", "main.jsonl")
    assert (code, result["verdict"]) == (1, "WORSE"), result["reason"]
    assert (result["confirm"]["mode"], result["confirm"]["confirmed"]) == ("base", True), result["notes"]


def test_a_change_in_a_fresh_clone_is_confirmed_and_a_shallow_one_says_what_is_missing(tmp_path, monkeypatch):
    monkeypatch.chdir(begin(tmp_path / "shop"))
    before_the_first_commit(Path.cwd())
    git("switch", "-qc", "change")
    edit(Path("tools.json"), REFUND, LOST)
    commit("change")
    modes = {}
    for depth in ("1", "9"):
        clone = tmp_path / f"clone-{depth}"
        git("clone", "-q", "--depth", depth, f"file://{tmp_path / 'shop'}", str(clone))
        monkeypatch.chdir(clone)
        code, result = checked("--baseline", "main.jsonl")
        modes[depth] = (
            code,
            result["confirm"]["mode"],
            any("fetch-depth: 0" in note for note in result["notes"]),
        )
        monkeypatch.chdir(tmp_path / "shop")
    assert modes == {"1": (1, "candidate", True), "9": (1, "base", False)}


def test_outside_of_git_a_change_is_confirmed_by_a_second_draw(tmp_path, monkeypatch):
    monkeypatch.chdir(begin(tmp_path / "shop"))
    run(*SAVE)
    edit(Path("tools.json"), REFUND, LOST)
    code, result = checked("--baseline", "main.jsonl")
    assert (code, result["confirm"]["mode"]) == (1, "candidate")
    assert any("not in a git repository" in note for note in result["notes"])
