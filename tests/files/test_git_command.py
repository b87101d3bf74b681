"""Nothing that a repository says starts a program: its configuration, hooks, attributes and remotes are hostile."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

import rightcall
from rightcall.files.revision import (
    base_commit,
    commit_named,
    commits_between,
    git_dirty,
    is_ancestor,
    repository_root,
    source_of,
    unpack_commit,
)

PACKAGE = Path(rightcall.__file__).parent


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose files have a filter and a diff driver, and a program that leaves a mark."""
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / ".gitattributes").write_text("*.txt filter=x diff=x merge=x\n*.odd filter=a=b\n")
    for name in ("a.txt", "a.odd"):
        (folder / name).write_text("one\n")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    program = tmp_path / "evil"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path / 'ran'}\ncat\n")
    program.chmod(0o755)
    for name in ("a.txt", "a.odd"):
        (folder / name).write_text("two\n")
    return folder


def attack(folder: Path, *settings: str) -> None:
    evil = str(folder.parent / "evil")
    values = {"url": f"ext::{evil}", "required": "true"}
    for setting in settings:
        git(folder, "config", setting, values.get(setting.rpartition(".")[2], evil))


def hook(folder: Path, place: str = ".git/hooks") -> None:
    (folder / place).mkdir(parents=True, exist_ok=True)
    for name in ("post-index-change", "pre-commit", "fsmonitor-watchman", "reference-transaction"):
        (folder / place / name).write_text((folder.parent / "evil").read_text())
        (folder / place / name).chmod(0o755)


def hooks_path(folder: Path) -> None:
    hook(folder, "odd")
    git(folder, "config", "core.hooksPath", "odd")


def included(folder: Path) -> None:
    (folder / "more").write_text(f'[filter "x"]\nclean = {folder.parent / "evil"}\nrequired\n')
    git(folder, "config", "include.path", str(folder / "more"))


def worktree(folder: Path) -> None:
    git(folder, "config", "extensions.worktreeConfig", "true")
    git(folder, "config", "--worktree", "filter.x.smudge", str(folder.parent / "evil"))


def missing_object(folder: Path) -> None:
    """A partial clone whose missing commit would be fetched from a remote that is a program."""
    git(folder, "config", "extensions.partialClone", "far")
    git(folder, "config", "remote.far.promisor", "true")
    git(folder, "config", "protocol.ext.allow", "always")
    attack(folder, "remote.far.url")
    (folder / ".git" / "refs" / "heads" / "gone").write_text("0123456789abcdef0123456789abcdef01234567\n")


def named(*settings: str):
    return pytest.param(lambda folder: attack(folder, *settings), id=settings[0])


ATTACKS = [
    named("core.fsmonitor"),
    named("filter.x.clean"),
    named("filter.x.smudge"),
    named("filter.x.process", "filter.x.required"),
    named("filter.a=b.clean"),
    named("filter.a=b.smudge"),
    named("diff.external"),
    named("diff.x.textconv", "diff.x.command"),
    named("core.pager", "pager.status", "pager.config"),
    named("core.sshCommand", "core.askPass", "credential.helper"),
    named("tar.tar.command", "alias.status", "alias.archive"),
    named("gpg.program", "gpg.ssh.program"),
    hook,
    hooks_path,
    included,
    worktree,
    missing_object,
]
RUN_BY_PLAIN_GIT = {"core.fsmonitor", "filter.x.clean", "filter.x.smudge", "filter.a=b.clean"}


def read_everything(folder: Path, into: Path) -> None:
    source_of(folder)
    assert git_dirty(folder)
    assert repository_root(folder) == folder
    commit = commit_named(folder, "main")
    commits_between(folder, commit)
    commits_between(folder, "gone")
    is_ancestor(folder, commit, "gone")
    base_commit(folder, {"GITHUB_BASE_REF": "gone"})
    unpack_commit(folder, commit, into)


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_repository_starts_nothing(repository, tmp_path, attack):
    attack(repository)
    (tmp_path / "into").mkdir()
    (tmp_path / "ran").unlink(missing_ok=True)  # preparing some attacks runs them
    read_everything(repository, tmp_path / "into")
    assert not (tmp_path / "ran").exists()
    assert (tmp_path / "into" / "a.txt").read_text() == "one\n"


@pytest.mark.parametrize("setting", sorted(RUN_BY_PLAIN_GIT))
def test_the_attacks_work_on_plain_git(repository, tmp_path, setting):
    attack(repository, setting)
    (tmp_path / "ran").unlink(missing_ok=True)
    subprocess.run(["git", "status"], cwd=repository, check=False, capture_output=True)
    subprocess.run(["git", "archive", "HEAD"], cwd=repository, check=False, capture_output=True)
    assert (tmp_path / "ran").exists()


def test_filters_of_the_user_are_kept(repository, tmp_path, monkeypatch):
    """Git LFS is one: the user's own configuration names it."""
    (tmp_path / "global").write_text('[filter "x"]\nsmudge = tr a-z A-Z\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "global"))
    (tmp_path / "into").mkdir()
    unpack_commit(repository, commit_named(repository, "main"), tmp_path / "into")
    assert (tmp_path / "into" / "a.txt").read_text() == "ONE\n"


def test_a_head_that_names_another_file_tells_nothing(repository, tmp_path):
    (tmp_path / "private").write_text("the first line of a private file\n")
    (repository / ".git" / "HEAD").write_text("ref: ../../private\n")
    assert "private file" not in str(source_of(repository))


def test_reading_writes_nothing_into_the_repository(repository, tmp_path):
    (repository / "a.txt").write_text("one\n")  # the index would be refreshed
    before = (repository / ".git" / "index").read_bytes()
    git_dirty(repository)
    assert (repository / ".git" / "index").read_bytes() == before


def test_git_is_called_in_one_place():
    """Any other call would not be protected. `git` as the first word of a command, however it is started."""
    callers = set()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "git" in text else ():
            if not isinstance(node, ast.List | ast.Tuple | ast.Call):
                continue
            words = node.args if isinstance(node, ast.Call) else node.elts
            first = words[0] if words else None
            if isinstance(first, ast.Constant) and str(first.value).split()[:1] == ["git"]:
                callers.add(path.relative_to(PACKAGE).as_posix())
    assert callers == {"files/revision.py"}
