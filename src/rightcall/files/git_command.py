"""The one place that calls git, so that nothing a repository says can start a program.

A repository can come from anyone, and its own configuration can name programs that git starts: a file system monitor,
hooks, filters, pagers, helpers. `git status` in an unpacked archive would run them. The user's own configuration is
kept: only what `.git/config` and the files it includes name is switched off.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import IO

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
    fixed = [word for name, value in FIXED.items() for word in ("-c", f"{name}={value}")]
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
