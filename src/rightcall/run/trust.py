"""Trust: a suite from outside the project runs nothing until the user passes `--trust`.

A suite inside the current project needs no trust: its code runs there anyway. Trust in another suite is stored by
fingerprint in a file of the user, so a changed suite needs it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from rightcall.agents.agent import is_address
from rightcall.core.codec import decode, encode
from rightcall.core.errors import ConfigError, InputError
from rightcall.core.operating_system import settings_folder
from rightcall.files.atomic import write_file
from rightcall.files.checked_read import require_file
from rightcall.model.record import Record
from rightcall.run.suite import Suite, suite_models
from rightcall.run.suite_actions import Action, actions_of_suite_alone, fingerprint, is_code

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

    `model` replaces the suite's and counts as trusted, because the user typed it, unless its code is next to the suite.
    """
    if in_project(file):
        return
    actions = actions_of_suite_alone(suite, file.parent, model)
    opening = f"{file}: this suite is outside the project {project_of(Path.cwd())}; running it would"
    closing = "a suite is code: review it, then pass --trust (`--dry-run` starts nothing)"
    require_approval(actions, fingerprint(file, actions), file, opening=opening, closing=closing, trust=trust)


def require_approval(
    actions: Sequence[Action], key: str, file: Path, *, opening: str, closing: str, trust: bool
) -> None:
    """Raise `ConfigError` with a list of actions, unless they were approved under this key; `trust` approves them."""
    if not actions:
        return
    approved = _read(trust_file())
    if key in approved.suites:
        return
    if not trust:
        raise ConfigError(opening, *(f"  {action.words}" for action in actions), closing)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    suites = {**approved.suites, key: Trusted(str(file.resolve()), now)}
    _write(trust_file(), TrustFile(suites))


def may_search(suite: Suite, folder: Path, model: str | None = None) -> bool:
    """Whether modules may be looked for next to the suite.

    Outside the project only for one that imports, which its trust covers: any file there could pass for an optional
    package, and any `.dist-info` for a plugin.
    """
    return in_project(folder) or any(
        action.kind == "import" for action in actions_of_suite_alone(suite, folder, model)
    )


def agent_of_run(suite: Suite, folder: Path, agent: str) -> str:
    """The agent of a stored run, to be run again. A store cannot name code or a program that its suite does not.

    Code is stored as its suite names it, `shop:agent`; runs of earlier versions have a short name, `agent`, which only
    the suite can resolve. A model is stored as `provider:model`: if `models` has a name for it, that name is returned,
    because it has the server.
    """
    if ":" not in agent and is_code(suite.agent.model, folder):
        return suite.agent.model
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
    project, folder = project_of(Path.cwd()), path.resolve()
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
    """The file that stores trust."""
    return settings_folder() / "rightcall" / "trusted.json"


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
