"""Trust: nothing of a folder runs that is neither in the project of the working folder nor trusted by the user.

`--trust` adds the folder of a suite, with all below it, to the user's configuration.
"""

from __future__ import annotations

from pathlib import Path

from rightcall.agents.agent import is_address
from rightcall.core.codec import decode, encode
from rightcall.core.errors import ConfigError, InputError
from rightcall.core.operating_system import settings_folder
from rightcall.files.atomic import write_file
from rightcall.files.checked_read import require_file
from rightcall.records.record import Record
from rightcall.run.suite import Suite, suite_models
from rightcall.run.suite_actions import is_code

FORMAT = "rightcall/trust/1"
MARKS = (".git", ".hg", "pyproject.toml")
"""Files that mark a project folder."""


class TrustFile(Record, frozen=True):
    """The folders that a user trusts."""

    folders: tuple[str, ...] = ()
    format: str = FORMAT


def require_trust(file: Path, *, trust: bool = False) -> None:
    """Raise `ConfigError` unless the folder of a suite is trusted; `trust` trusts it from now on."""
    if is_trusted(file):
        return
    folder = file.resolve().parent
    if not trust:
        raise ConfigError(
            f"{file}: its folder is outside the project {project_of(Path.cwd())} and not trusted; it can start "
            f"programs: review {folder}, then pass --trust"
        )
    trust_folder(folder)


def is_trusted(path: Path) -> bool:
    """Whether a file or folder is in the project of the working folder, or in a folder that the user trusts."""
    return in_project(path) or is_listed(path)


def is_listed(path: Path) -> bool:
    """Whether the user's configuration has a folder that a file or folder is in."""
    return any(path.resolve().is_relative_to(folder) for folder in _read(trust_file()).folders)


def trust_folder(folder: Path) -> None:
    """Add a folder to the user's configuration."""
    folders = (*_read(trust_file()).folders, str(folder.resolve()))
    _write(trust_file(), TrustFile(tuple(dict.fromkeys(folders))))


def agent_of_run(suite: Suite, folder: Path, agent: str) -> str:
    """The agent of a stored run, to be run again. A store cannot name code or a program that its suite does not.

    Code is stored as its suite names it, `shop:agent`. A model is stored as `provider:model`: if `models` has a name
    for it, that name is returned, because it has the server.
    """
    named = suite_models(suite, folder).endpoints
    names = [name for name, endpoint in named.items() if endpoint.model == agent]
    if suite.agent.model in names:
        return suite.agent.model
    if len(names) == 1 and agent != suite.agent.model:
        return names[0]
    if agent != suite.agent.model and (is_code(agent, folder) or is_address(agent)):
        raise ConfigError(
            f"the run's agent is '{agent}', the suite's is '{suite.agent.model}'; use the suite of that run"
        )
    return agent


def in_project(path: Path) -> bool:
    """Whether a suite or its folder belongs to the project of the working folder.

    In a home folder or at the root only what is directly in it does: downloads are in its subfolders.
    """
    project = project_of(Path.cwd())
    folder = path.resolve()
    if not path.is_dir():
        folder = folder.parent
    if project in (Path.home(), Path(project.anchor)):
        return folder == project
    return folder.is_relative_to(project)


def project_of(folder: Path) -> Path:
    """The project that a folder belongs to: the nearest folder upwards that looks like one, or the folder itself.

    A home folder is not a project, even if it is a git repository: downloads are in it.
    """
    folder = folder.resolve()
    for parent in (folder, *folder.parents):
        if parent in (Path.home(), Path(parent.anchor)):
            break
        if any((parent / mark).exists() for mark in MARKS):
            return parent
    return folder


def trust_file() -> Path:
    """The file with the folders that the user trusts."""
    return settings_folder() / "rightcall" / "trusted-folders.json"


def _read(path: Path) -> TrustFile:
    if not path.exists():
        return TrustFile()
    try:
        return decode(require_file(path).read_bytes(), TrustFile, str(path))
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from None


def _write(path: Path, trust: TrustFile) -> None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.exists():
            path.touch(0o600)
    except OSError as error:
        raise InputError(str(path), f"cannot be written: {error.strerror}") from None
    write_file(path, encode(trust) + b"\n")
