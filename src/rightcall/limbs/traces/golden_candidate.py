"""From a trace to a golden for a person to review."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from rightcall.core import codec
from rightcall.core.digest import hex_digest
from rightcall.core.errors import InputError
from rightcall.datasets.goldens import load_goldens, save_goldens
from rightcall.limbs.traces.calls import canonical
from rightcall.limbs.traces.trace import Trace
from rightcall.records.golden import AnyGolden, Golden


def signature(trace: Trace) -> str:
    """Equal for traces with the same input and calls: reviewing one is enough."""
    words = " ".join(trace.input.casefold().split())
    return "\n".join((words, *(canonical(call) for call in trace.trajectory.calls)))


class CandidateSpool:
    """A golden for each different behaviour, with how often it was seen in `metadata.seen`, in a temporary file.

    A trace without an input gives none.
    """

    def __init__(self) -> None:
        self._file = sqlite3.connect("", isolation_level=None)  # an unnamed temporary file of SQLite
        self._file.execute("PRAGMA journal_mode = OFF")
        self._file.execute("CREATE TABLE candidate (key TEXT UNIQUE, seen INTEGER, golden BLOB)")
        self.count = 0

    def add(self, trace: Trace) -> None:
        if not trace.input:
            return
        key = hex_digest(signature(trace).encode("utf-8", "replace"))
        again = self._file.execute("UPDATE candidate SET seen = seen + 1 WHERE key = ?", (key,))
        if again.rowcount == 0:
            written = codec.encode(trace.golden())
            self._file.execute("INSERT INTO candidate VALUES (?, 1, ?)", (key, written))
            self.count += 1

    def __iter__(self) -> Iterator[Golden]:
        for seen, written in self._file.execute("SELECT seen, golden FROM candidate ORDER BY rowid"):
            golden = codec.decode(written, Golden, "a candidate")
            yield msgspec.structs.replace(golden, metadata=golden.metadata | {"seen": seen})


def add_goldens(path: Path, goldens: Sequence[Golden]) -> int:
    """Add goldens to a file; existing ids are replaced. Returns the new number of goldens."""
    old_goldens: list[AnyGolden] = list(load_goldens(path)) if path.exists() else []
    fresh = {golden.id: golden for golden in goldens}
    kept: list[AnyGolden] = [fresh.pop(golden.id, golden) for golden in old_goldens]
    kept += fresh.values()
    if any(not isinstance(golden, Golden) for golden in kept):
        raise InputError(str(path), "contains conversations", "add single-turn goldens to a separate file")
    save_goldens(kept, path)
    return len(kept)
