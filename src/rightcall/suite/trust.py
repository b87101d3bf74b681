"""Trust: a suite from outside the project runs nothing until the user passes `--trust`.

A suite inside the current project needs no trust: its code runs there anyway. Trust in another suite is stored by
fingerprint in a file of the user, so a changed suite needs it again.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from rightcall.errors import ConfigError, InputError
from rightcall.files import existing_file, write_file
from rightcall.model.codec import decode, encode
from rightcall.model.record import Record
from rightcall.suite.suite import Suite
from rightcall.suite.suite_actions import Action, actions, fingerprint

FORMAT = "rightcall/trust/1"
MARKS = (".git", ".hg", "pyproject.toml")
"""Files that mark a project folder."""


class Trusted(Record, frozen=True):
    """A trusted suite: its location and the time. It is looked up by fingerprint."""

    path: str
    at: str


class TrustFile(Record, frozen=True):
    """Fingerprints of trusted suites."""

    suites: dict[str, Trusted] = {}
    format: str = FORMAT


def require_trust(suite: Suite, file: Path, *, model: str | None = None, trust: bool = False) -> None:
    """Raise `ConfigError` with what the suite would start, unless it is trusted; `trust` trusts it from now on.

    `model` replaces the suite's and counts as trusted, because the user typed it.
    """
    named = suite.agent.model if model is None else "keyword:"
    found = actions(suite, file.parent, named)
    project = project_of(Path.cwd())
    if not found or file.resolve().is_relative_to(project):
        return
    name = fingerprint(file, found)
    known = _read(trust_file())
    if name in known.suites:
        return
    if not trust:
        raise ConfigError(*_refusal(file, project, found))
    now = datetime.now(UTC).isoformat(timespec="seconds")
    suites = {**known.suites, name: Trusted(str(file.resolve()), now)}
    _write(trust_file(), TrustFile(suites))


def project_of(folder: Path) -> Path:
    """The project that a folder belongs to: the nearest folder upwards that looks like one, or the folder itself.

    A home folder is not a project, even if it is a git repository: downloads are in it.
    """
    folder = folder.resolve()
    for one in (folder, *folder.parents):
        if one in (Path.home(), Path(one.anchor)):
            break
        if any((one / mark).exists() for mark in MARKS):
            return one
    return folder


def trust_file() -> Path:
    """The file that stores trust."""
    base = os.environ.get("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "rightcall" / "trusted.json"


def _refusal(file: Path, project: Path, found: list[Action]) -> list[str]:
    return [
        f"{file}: this suite is outside the project {project}; running it would",
        *(f"  {action.words}" for action in found),
        "a suite is code: review it, then pass --trust (`--dry-run` starts nothing)",
    ]


def _read(path: Path) -> TrustFile:
    if not path.exists():
        return TrustFile()
    try:
        return decode(existing_file(path).read_bytes(), TrustFile, str(path))
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from None


def _write(path: Path, known: TrustFile) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            path.touch(0o600)
    except OSError as error:
        raise InputError(str(path), f"cannot be written: {error.strerror}") from None
    write_file(path, encode(known) + b"\n")
