"""Mutants as a file of trajectories: `rightcall score` reads it, and other checks can."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import msgspec

from rightcall.core.codec import describe_value
from rightcall.core.errors import InputError
from rightcall.datasets.trajectories import trajectory_line
from rightcall.files.atomic import atomic_write
from rightcall.model.golden import AnyGolden
from rightcall.model.trajectory import RecordedTrajectory
from rightcall.run.rehearsal.trial import Judgement
from rightcall.wings.audit.audit import AuditListener
from rightcall.wings.audit.mutant import Mutant

NOTED = [name for name in Mutant.__struct_fields__ if name not in ("golden_id", "trajectory", "origin")]


class MutantLines(AuditListener):
    """Writes mutants as lines, numbered by `trial` within a golden."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._encoder = msgspec.json.Encoder(enc_hook=describe_value)
        self._trials: Counter[str] = Counter()

    def on_mutant(self, golden: AnyGolden, mutant: Mutant, judgement: Judgement, why: str) -> None:
        trial = self._trials[golden.id]
        self._trials[golden.id] += 1
        line = trajectory_line(RecordedTrajectory(golden.id, mutant.trajectory, trial))
        note = {name: getattr(mutant, name) for name in NOTED} | {"verdict": judgement}
        content = self._encoder.encode(msgspec.structs.replace(line, mutant=note))
        self._file.write(content + b"\n")


@contextmanager
def write_mutants(path: str | Path | None) -> Iterator[list[AuditListener]]:
    """A listener that writes every mutant to a .jsonl file, all of it or nothing; none without a path."""
    if path is None:
        yield []
        return
    if Path(path).suffix != ".jsonl":
        raise InputError(str(path), "mutants are written as .jsonl")
    with atomic_write(path) as file:
        yield [MutantLines(file)]
