"""`rightcall score` on traces: what was recorded for each golden, as a file of trajectories."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from rightcall.cli.output import tell
from rightcall.core.errors import InputError
from rightcall.core.text import pluralize


def as_trajectories(goldens: Path, recorded: Path) -> Path:
    """The path itself when it holds trajectories; for traces a temporary file with those that belong to a golden."""
    if recorded.suffix == ".parquet" or _begins_with_golden(recorded):
        return recorded
    from rightcall.core.seam import find

    read_traces = find("services", "traced_goldens")
    trajectories = read_traces(goldens, recorded) if read_traces is not None else None
    if trajectories is None:
        return recorded
    from rightcall.datasets.trajectories import save_trajectories

    rows, left_out = trajectories
    if left_out:
        tell(f"{pluralize(left_out, 'trace')} without a golden skipped", err=True)
    path = _temporary_folder() / f"{recorded.stem}.trajectories.jsonl"
    save_trajectories(rows, path)
    return path


def read_standard_input(*files: Path) -> tuple[Path, ...]:
    """The files, with a copy of standard input in place of `-`: a file is read more than once."""
    if [str(file) for file in files].count("-") > 1:
        raise click.UsageError("only one file can be read from standard input")
    return tuple(_copy(sys.stdin.buffer) if str(file) == "-" else file for file in files)


@contextmanager
def names_of_user(*copies: tuple[Path, Path]) -> Iterator[None]:
    """Errors that name the files as the user did: `-` is standard input, not a temporary file."""
    try:
        yield
    except InputError as error:
        where, problem = error.where, error.problem
        for path, copy in copies:
            if path != copy:
                where, problem = (text.replace(str(copy), "standard input") for text in (where, problem))
        raise InputError(where, problem, error.hint) from None


def _copy(stream: BinaryIO) -> Path:
    path = _temporary_folder() / "stdin.jsonl"
    with path.open("wb") as file:
        shutil.copyfileobj(stream, file)
    return path


def _temporary_folder() -> Path:
    import atexit

    folder = tempfile.TemporaryDirectory(prefix="rightcall-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _begins_with_golden(recorded: Path) -> bool:
    """Whether the first record names its golden: then it is a trajectory, and no reader of traces need be loaded."""
    try:
        with recorded.open("rb") as file:
            return b'"golden_id"' in file.read(300)
    except OSError:
        return False
