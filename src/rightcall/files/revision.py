"""The git commit and branch of a folder, read from the repository's files without starting a process."""

from __future__ import annotations

from pathlib import Path


def git_revision(folder: Path) -> dict[str, str]:
    """`git_branch` and `git_commit` of the folder's repository; what cannot be read is omitted."""
    try:
        return _read(folder.resolve())
    except (OSError, UnicodeDecodeError):
        return {}


def _read(folder: Path) -> dict[str, str]:
    dot_git = next((found for up in (folder, *folder.parents) if (found := up / ".git").exists()), None)
    if dot_git is None:
        return {}
    git = dot_git
    if dot_git.is_file():  # a worktree or a submodule: the file points to its git folder
        git = dot_git.parent / dot_git.read_text("utf-8").removeprefix("gitdir:").strip()
    head = (git / "HEAD").read_text("utf-8").strip()
    if not head.startswith("ref:"):
        return {"git_commit": head}
    ref = head.removeprefix("ref:").strip()
    common = git / "commondir"
    shared = git / common.read_text("utf-8").strip() if common.exists() else git
    commit = _commit(git, ref) or _commit(shared, ref)
    return {"git_branch": ref.removeprefix("refs/heads/")} | ({"git_commit": commit} if commit else {})


def _commit(git: Path, ref: str) -> str:
    loose, packed = git / ref, git / "packed-refs"
    if loose.is_file():
        return loose.read_text("utf-8").strip()
    if packed.is_file():
        for line in packed.read_text("utf-8").splitlines():
            commit, _, name = line.partition(" ")
            if name == ref:
                return commit
    return ""
