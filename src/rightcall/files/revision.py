"""Git without programs that a repository names: which commit and branch a folder is at."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from itertools import chain
from pathlib import Path
from typing import IO

from rightcall.core.errors import ConfigError

SECONDS = 30
FIXED = {
    "core.fsmonitor": "",
    "core.hooksPath": os.devnull,
    "core.pager": "cat",
    "core.editor": "true",
    "core.askPass": "",
    "core.sshCommand": "false",
    "core.alternateRefsCommand": "true",
    "core.gitProxy": "",
    "diff.external": "",
    "credential.helper": "",
    "gpg.program": "false",
    "log.showSignature": "false",
    "protocol.allow": "never",
    "safe.bareRepository": "explicit",
    "submodule.recurse": "false",
    "uploadpack.packObjectsHook": "",
}
"""Settings that hold for every command, whatever the repository says."""
ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "",  # a missing object of a partial clone is not fetched
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",  # reading a repository writes nothing into it
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}
_NAMES_PROGRAM = re.compile(
    r"filter\..*\.(clean|smudge|process|required)|diff\..*\.(textconv|command)|merge\..*\.driver|tar\..*\.command"
    r"|credential\..*\.helper|gpg\..*\.program|remote\..*\.(uploadpack|receivepack|vcs)|pager\..*|alias\..*",
    re.IGNORECASE | re.DOTALL,
)
"""Settings with a name in them, which is the repository's own choice."""
_OWN = ("local", "worktree")


def run_git(folder: Path, *words: str, output: IO[bytes] | None = None) -> tuple[int, str]:
    """The exit code of a git command and what it printed, which goes to `output` if given; -1 when it cannot be run."""
    return _run(folder, _environment(_program_settings(folder)), *words, output=output)


def _run(
    folder: Path, environment: Mapping[str, str], *words: str, output: IO[bytes] | None = None
) -> tuple[int, str]:
    fixed = list(chain.from_iterable(("-c", f"{name}={value}") for name, value in FIXED.items()))
    try:
        done = subprocess.run(  # noqa: S603  our own words, and names from git itself
            ["git", "--no-pager", *fixed, *words],  # noqa: S607
            cwd=folder,
            timeout=SECONDS,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE if output is None else output,
            stderr=subprocess.DEVNULL,
            check=False,
            env=dict(environment),
        )
    except (OSError, ValueError, subprocess.SubprocessError):
        return -1, ""
    return done.returncode, (done.stdout or b"").decode("utf-8", "surrogateescape").strip()


def _program_settings(folder: Path) -> list[str]:
    """Settings of the repository itself that name a program; reading them runs nothing."""
    code, listed = _run(folder, _environment(()), "config", "--list", "--show-scope", "--name-only", "-z")
    parts = listed.split("\0") if code == 0 else []
    pairs = zip(parts[::2], parts[1::2], strict=False)
    return [name for scope, name in pairs if scope in _OWN and _NAMES_PROGRAM.fullmatch(name)]


def _environment(settings: list[str] | tuple[()]) -> dict[str, str]:
    """The environment with these settings empty. Not as `-c NAME=`: a name may contain an equals sign."""
    kept = {name: value for name, value in os.environ.items() if name != "GIT_EXTERNAL_DIFF"}
    first = int(count) if (count := kept.get("GIT_CONFIG_COUNT", "0")).isdecimal() else 0
    added = {"GIT_CONFIG_COUNT": str(first + len(settings))}
    for number, name in enumerate(settings, first):
        value = "false" if name.lower().endswith(".required") else ""
        added |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return {**kept, **ENVIRONMENT, **added}


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
    words = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    code, output = run_git(folder, *words)
    return output if code == 0 else ""


def has_file(file: Path, commit: str) -> bool:
    """Whether a commit has a file of the working copy."""
    return run_git(file.parent, "cat-file", "-e", f"{commit}:./{file.name}")[0] == 0


def first_commit_since(file: Path, moment: str) -> str:
    """The first commit on the way to HEAD that was made at a moment or later and has a file; "" without one."""
    words = ("rev-list", "--reverse", "--first-parent", f"--since={moment}", "HEAD", "--")
    commits = run_git(file.parent, *words)[1].split()
    return next((commit for commit in commits if has_file(file, commit)), "")


def is_shallow(folder: Path) -> bool:
    """Whether a clone lacks older commits."""
    return run_git(folder, "rev-parse", "--is-shallow-repository")[1] == "true"


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
    loose = git / ref
    packed = git / "packed-refs"
    if loose.is_file():
        commit = loose.read_text("utf-8").strip()
        return commit if _COMMIT.fullmatch(commit) else ""  # a hostile HEAD can name any file
    if packed.is_file():
        for line in packed.read_text("utf-8").splitlines():
            commit, _, name = line.partition(" ")
            if name == ref:
                return commit
    return ""
