"""`rightcall score` on traces: what was recorded for each golden, as a file of trajectories."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from rightcall.cli.output import tell
from rightcall.core.errors import InputError
from rightcall.core.text import counted

if TYPE_CHECKING:
    from rightcall.wings.traces.trace import Trace


def as_trajectories(goldens: Path, recorded: Path) -> Path:
    """The path itself when it holds trajectories; for traces a temporary file with those that belong to a golden."""
    if recorded.suffix == ".parquet" or _begins_with_golden(recorded):
        return recorded
    from rightcall.wings.traces.reader import is_trace_export

    if not is_trace_export(recorded):
        return recorded
    from rightcall.datasets.trajectories import save_trajectories
    from rightcall.model.trajectory import RecordedTrajectory
    from rightcall.wings.traces.reader import load_traces

    by_trace, ids = _known(goldens)
    found, left = [], 0
    for trace in load_traces(recorded):
        golden_id = _golden_of(trace, by_trace, ids)
        if golden_id:
            found.append(RecordedTrajectory(golden_id, trace.trajectory, trace.trial))
        else:
            left += 1
    if left:
        tell(f"{counted(left, 'trace')} without a golden skipped", err=True)
    path = _temporary_folder() / f"{recorded.stem}.trajectories.jsonl"
    save_trajectories(found, path)
    return path


def read_standard_input(*files: Path) -> tuple[Path, ...]:
    """The files, with a copy of standard input in place of `-`: a file is read more than once."""
    if [str(file) for file in files].count("-") > 1:
        raise click.UsageError("only one file can be read from standard input")
    return tuple(_copied(sys.stdin.buffer) if str(file) == "-" else file for file in files)


@contextmanager
def named_as_given(*copies: tuple[Path, Path]) -> Iterator[None]:
    """Errors that name the files as the user did: `-` is standard input, not a temporary file."""
    try:
        yield
    except InputError as error:
        where, problem = error.where, error.problem
        for given, copy in copies:
            if given != copy:
                where, problem = (text.replace(str(copy), "standard input") for text in (where, problem))
        raise InputError(where, problem, error.hint) from None


def _copied(stream: BinaryIO) -> Path:
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


def _known(goldens: Path) -> tuple[dict[str, str], set[str]]:
    from rightcall.datasets.goldens import load_goldens

    by_trace: dict[str, str] = {}
    ids: set[str] = set()
    for golden in load_goldens(goldens):
        ids.add(golden.id)
        origin = golden.metadata.get("trace")
        if isinstance(origin, dict) and isinstance(trace_id := origin.get("trace_id"), str):
            by_trace[trace_id] = golden.id
    return by_trace, ids


def _golden_of(trace: Trace, by_trace: dict[str, str], ids: set[str]) -> str:
    return trace.golden_id if trace.golden_id in ids else by_trace.get(trace.trace_id, "")
