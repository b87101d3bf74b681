"""Which commit and branch of a git repository a folder is at."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from rightcall.core.errors import ConfigError
from rightcall.files.git_command import run_git

_CI_BRANCH = ("GITHUB_REF_NAME", "CI_COMMIT_BRANCH", "BITBUCKET_BRANCH", "BUILD_SOURCEBRANCHNAME")
"""Where CI servers, which check out a commit without its branch, say the branch of a push."""
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_NO_RECORDINGS = ":(top,exclude,glob)**/recordings/**"


def source_of(folder: Path, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Where the code that runs now comes from: `git_branch`, `git_commit`, and `git_dirty` when it was edited since.

    On a CI server that checked out a commit alone, the branch is what the server says; a pull request has none.
    """
    facts = git_revision(folder)
    environment = os.environ if environment is None else environment
    pull_request = environment.get("GITHUB_EVENT_NAME", "").startswith("pull_request")
    if "git_commit" in facts and "git_branch" not in facts and not pull_request:
        branch = next((environment[name] for name in _CI_BRANCH if environment.get(name)), "")
        facts |= {"git_branch": branch} if branch else {}
    if facts and git_dirty(folder):
        facts["git_dirty"] = "true"
    return facts


def git_dirty(folder: Path) -> bool:
    """Whether files that git knows differ from the commit; False when git cannot say.

    Recordings are left out: a run that records changes them itself.
    """
    options = ("--porcelain", "--untracked-files=no", "--ignore-submodules=dirty")
    return bool(run_git(folder, "status", *options, "--", ":/", _NO_RECORDINGS)[1])


def commits_between(folder: Path, old: str, new: str = "HEAD") -> int | None:
    """How many commits `new` is ahead of `old`; None when git cannot say, as in a shallow clone.

    Commits of recordings alone are left out: a run is recorded before its recordings are committed.
    """
    code, output = run_git(
        folder, "rev-list", "--count", "--end-of-options", f"{old}..{new}", "--", ":/", _NO_RECORDINGS
    )
    return int(output) if code == 0 and output.isdecimal() else None


def base_commit(folder: Path, environment: Mapping[str, str] | None = None, branch: str = "") -> str:
    """The commit where this work left a branch, by default the one it is to be merged into; "" when unknown."""
    environment = os.environ if environment is None else environment
    target = (
        branch
        or environment.get("GITHUB_BASE_REF")
        or environment.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME")
        or "main"
    )
    for name in (f"refs/remotes/origin/{target}", f"refs/heads/{target}"):
        code, output = run_git(folder, "merge-base", "HEAD", name)
        if code == 0:
            return output
    return environment.get("CI_MERGE_REQUEST_DIFF_BASE_SHA", "")


def is_ancestor(folder: Path, old: str, new: str) -> bool | None:
    """Whether a commit is another one or came before it; None when git cannot say, as in a shallow clone."""
    code, _ = run_git(folder, "merge-base", "--is-ancestor", "--end-of-options", old, new)
    return {0: True, 1: False}.get(code)


def repository_root(folder: Path) -> Path | None:
    """The folder of the repository that a folder is in; None outside git."""
    code, output = run_git(folder, "rev-parse", "--show-toplevel")
    return Path(output) if code == 0 and output else None


def commit_named(folder: Path, ref: str) -> str:
    """The commit of a branch, tag or part of a hash; "" when there is none."""
    code, output = run_git(
        folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}"
    )
    return output if code == 0 else ""


def unpack_commit(root: Path, commit: str, into: Path) -> None:
    """Write the files of a commit into a folder; neither the working copy nor git is touched."""
    import tarfile
    import tempfile

    with tempfile.TemporaryFile() as packed:
        code, _ = run_git(root, "archive", "--format=tar", commit, output=packed)
        packed.seek(0)
        try:
            if code != 0:
                raise ConfigError(f"git cannot unpack commit {commit[:10]} of {root}")
            with tarfile.open(fileobj=packed) as archive:
                archive.extractall(into, filter="data")
        except (tarfile.TarError, OSError) as error:
            raise ConfigError(f"commit {commit[:10]} of {root} cannot be unpacked: {error}") from None


def git_revision(folder: Path) -> dict[str, str]:
    """`git_branch` and `git_commit` of the folder's repository; what cannot be read is omitted."""
    try:
        return _read(folder.resolve())
    except (OSError, UnicodeDecodeError):
        return {}


def _read(folder: Path) -> dict[str, str]:
    dot_git = next((path for up in (folder, *folder.parents) if (path := up / ".git").exists()), None)
    if dot_git is None:
        return {}
    git = dot_git
    if dot_git.is_file():  # a worktree or a submodule: the file points to its git folder
        git = dot_git.parent / dot_git.read_text("utf-8").removeprefix("gitdir:").strip()
    head = (git / "HEAD").read_text("utf-8").strip()
    if not head.startswith("ref:"):
        return {"git_commit": head} if _COMMIT.fullmatch(head) else {}
    ref = head.removeprefix("ref:").strip()
    common = git / "commondir"
    shared = git / common.read_text("utf-8").strip() if common.exists() else git
    commit = _commit(git, ref) or _commit(shared, ref)
    return {"git_branch": ref.removeprefix("refs/heads/")} | ({"git_commit": commit} if commit else {})


def _commit(git: Path, ref: str) -> str:
    loose, packed = git / ref, git / "packed-refs"
    if loose.is_file():
        commit = loose.read_text("utf-8").strip()
        return commit if _COMMIT.fullmatch(commit) else ""  # a hostile HEAD can name any file
    if packed.is_file():
        for line in packed.read_text("utf-8").splitlines():
            commit, _, name = line.partition(" ")
            if name == ref:
                return commit
    return ""
