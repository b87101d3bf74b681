"""Files that belong to a suite besides those it names: recordings, and the code of its agent."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from rightcall.providers import Recordings, RecordMode, RecordSettings
from rightcall.suite.suite import Suite
from rightcall.suite.suite_actions import imported_files, is_code


def with_record_mode(suite: Suite, mode: RecordMode | None) -> Suite:
    """The suite with another recording mode; unchanged without one."""
    if mode is None:
        return suite
    return msgspec.structs.replace(suite, record=msgspec.structs.replace(record_settings(suite), mode=mode))


def record_settings(suite: Suite) -> RecordSettings:
    """The `record:` setting of a suite, in either form."""
    return suite.record if isinstance(suite.record, RecordSettings) else RecordSettings(suite.record)


def recordings_folder(suite: Suite, folder: Path) -> Path:
    """Where the recordings of a suite are kept."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", suite.name).strip("-.") or "suite"
    return folder / record_settings(suite).folder / name


def suite_recordings(suite: Suite, folder: Path) -> Recordings | None:
    """The recordings of a suite; None when nothing is recorded or replayed."""
    settings = record_settings(suite)
    return None if settings.mode == "none" else Recordings(settings, recordings_folder(suite, folder))


def code_files(suite: Suite, folder: Path, model: str | None = None) -> dict[str, Path]:
    """Files of an agent that is code, by the name they are shown by: `agent.code` globs, or the callable's package."""
    name = model or suite.agent.model
    if suite.agent.code:
        paths = [path for glob in suite.agent.code for path in folder.glob(glob) if path.is_file()]
    elif is_code(name, folder):
        paths = [Path(file) for file in imported_files(name, folder)]
    else:
        return {}
    base = folder.resolve()
    return {
        whole.relative_to(base).as_posix()
        if (whole := path.resolve()).is_relative_to(base)
        else whole.name: whole
        for path in paths
    }
