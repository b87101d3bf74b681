"""The branch and commit a folder is at, as git itself says."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rightcall.files.revision import git_revision


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    (folder / "deep" / "down").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "feature/x")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


@pytest.mark.parametrize("packed", [False, True])
def test_branch_and_commit_are_those_git_says(repository, packed):
    if packed:
        git(repository, "pack-refs", "--all")
    wanted = {"git_branch": "feature/x", "git_commit": git(repository, "rev-parse", "HEAD")}
    assert git_revision(repository) == git_revision(repository / "deep" / "down") == wanted


def test_a_worktree_has_its_own_branch(repository, tmp_path):
    git(repository, "worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"))
    assert git_revision(tmp_path / "tree") == {
        "git_branch": "other",
        "git_commit": git(repository, "rev-parse", "HEAD"),
    }


def test_a_detached_head_has_a_commit_and_no_branch(repository):
    git(repository, "checkout", "-q", "--detach")
    assert git_revision(repository) == {"git_commit": git(repository, "rev-parse", "HEAD")}


def test_a_branch_without_a_commit_is_a_branch(tmp_path):
    git(tmp_path, "init", "-q", "-b", "main")
    assert git_revision(tmp_path) == {"git_branch": "main"}


@pytest.mark.parametrize("content", [b"", b"gitdir: /nowhere", b"\xff\xfe\x00"])
def test_a_broken_repository_says_nothing(tmp_path, content):
    (tmp_path / ".git").write_bytes(content)
    assert git_revision(tmp_path) == {}
