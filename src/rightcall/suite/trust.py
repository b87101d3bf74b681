"""Suites from elsewhere run nothing until their user has looked at them and said `--trust`.

A suite inside the working folder's project runs as it is: whoever works there runs its code anyway. Trust in another
is kept by its fingerprint, in a file of the user's own, so that a change of the suite asks again.
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
"""What a project's folder holds."""


class Trusted(Record, frozen=True):
    """A suite that was trusted: where it was and when. The fingerprint it is kept by decides."""

    path: str
    at: str


class TrustFile(Record, frozen=True):
    """Fingerprints of trusted suites."""

    suites: dict[str, Trusted] = {}
    format: str = FORMAT


def require_trust(suite: Suite, file: Path, *, model: str | None = None, trust: bool = False) -> None:
    """Raise `ConfigError` with what the suite would start, unless it may; `trust` lets it, now and later.

    `model` is what was typed instead of the suite's, and trusted as such.
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

    A home folder is no project, even when it is kept in git: everything that was downloaded lies in it.
    """
    folder = folder.resolve()
    for one in (folder, *folder.parents):
        if one in (Path.home(), Path(one.anchor)):
            break
        if any((one / mark).exists() for mark in MARKS):
            return one
    return folder


def trust_file() -> Path:
    """Where trust is kept."""
    base = os.environ.get("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "rightcall" / "trusted.json"


def _refusal(file: Path, project: Path, found: list[Action]) -> list[str]:
    return [
        f"{file}: this suite is outside the project {project}, and running it would",
        *(f"  {action.words}" for action in found),
        "a suite is code: look at it, then add --trust (`--dry-run` starts nothing)",
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
