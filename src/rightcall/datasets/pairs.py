"""Goldens with what was recorded for them, joined by id in memory that does not grow with the files.

Files in the same order are read in lock-step. From the first trajectory whose golden is not the next one,
goldens are looked up in a temporary index on disk, so shuffled files and files trial by trial work too.
"""

from __future__ import annotations

import contextlib
import sqlite3
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

import msgspec

from rightcall.core.codec import encode
from rightcall.core.errors import InputError, suggestion
from rightcall.datasets.goldens import load_goldens, numbered_goldens
from rightcall.datasets.trajectories import numbered_trajectories
from rightcall.files.checked_read import require_file
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden
from rightcall.records.golden_id import conversation_recorded_as
from rightcall.records.safety import MARK
from rightcall.records.trajectory import RecordedTrajectory, Trajectory

Pair = tuple[AnyGolden, int, Trajectory]
NO_MORE = (0, None)
NAMED = 3
ATTEMPT_HINT = (
    "it is an attempt of an attack: add to the goldens what `rightcall attacks make SUITE -o FILE` writes"
)
BUCKETS = 256
LAST_BUCKET = BUCKETS - 1


def pair(
    goldens_path: str | Path,
    trajectories_path: str | Path,
    *,
    partial: bool = False,
    left_out: Callable[[int], None] | None = None,
) -> Iterator[Pair]:
    """Each recorded trajectory with its golden and trial number, in the order of the trajectories.

    Trials without a number count up per golden. An unknown golden id is an error at its line; problems that
    only show over the whole files (a duplicate id or trial, goldens without a trajectory) are reported at the
    end. With `partial`, goldens without a trajectory are allowed, and `left_out` is called at the end with
    their number.
    """
    files = require_file(goldens_path), require_file(trajectories_path)
    return _Pairing(*files, partial, left_out or (lambda count: None)).pairs()


class _Pairing:
    def __init__(
        self, goldens: Path, trajectories: Path, partial: bool, left_out: Callable[[int], None]
    ) -> None:
        self._goldens = goldens
        self._trajectories = trajectories
        self._partial = partial
        self._left_out = left_out
        self._ids = Repeats()
        self._trials = Repeats()
        self._numbered = self._unnumbered = False
        self._met = 0  # goldens that have had a trajectory, in the order of the file
        self._counts = array("I")  # how many each had; shorter than that while the rest had one

    def pairs(self) -> Iterator[Pair]:
        goldens = numbered_goldens(self._goldens)
        recorded = numbered_trajectories(self._trajectories)
        add_id = self._ids.add
        current: AnyGolden | None = None
        count = 0
        for line, recording in recorded:
            if current is not None and recording.golden_id == current.id:
                count += 1
                self._fill_counts()[-1] = count + 1
            else:
                _, current = next(goldens, NO_MORE)
                if current is None or current.id != recording.golden_id:
                    yield from self._look_up_pairs(chain([(line, recording)], recorded))
                    break
                count = 0
                add_id(hash(recording.golden_id))
                self._met += 1
            if recording.trial is None:
                self._unnumbered = True
                yield current, count, recording.trajectory
            else:
                yield current, self._trial(recording, count), recording.trajectory
        else:
            self._refuse_missing_after(golden for _, golden in goldens)
        if self._trials.any() or (self._numbered and self._unnumbered):
            _refuse_duplicate_trial(self._trajectories)

    def _fill_counts(self) -> array[int]:
        """How many trajectories each golden had. Most files have one for each, and need no list."""
        self._counts.extend(array("I", [1]) * (self._met - len(self._counts)))
        return self._counts

    def _trial(self, recording: RecordedTrajectory, count: int) -> int:
        """The trial's number. Automatic numbers cannot repeat, so only explicit ones are remembered."""
        if recording.trial is None:
            self._unnumbered = True
            return count
        self._numbered = True
        self._trials.add(hash((recording.golden_id, recording.trial)))
        return recording.trial

    def _look_up_pairs(self, recorded: Iterator[tuple[int, RecordedTrajectory]]) -> Iterator[Pair]:
        with GoldenIndex.of(load_goldens(self._goldens), self._fill_counts()) as index:
            if index is None:
                raise _duplicate_golden(self._goldens)
            for line, recording in recorded:
                match = index.take(recording.golden_id)
                if match is None:
                    problem = f"golden_id '{recording.golden_id}' is not in {self._goldens}"
                    near = suggestion(recording.golden_id, index.some_ids()) or "are these the right files?"
                    hint = ATTEMPT_HINT if MARK in recording.golden_id else near
                    raise InputError(f"{self._trajectories}:{line}", problem, hint)
                golden, count = match
                yield golden, self._trial(recording, count), recording.trajectory
            self._refuse_missing(*index.missing(NAMED))

    def _refuse_missing_after(self, rest: Iterator[AnyGolden]) -> None:
        """Lock-step to the end: the goldens not reached have no trajectory."""
        first: list[str] = []
        count = 0
        for golden in rest:
            self._ids.add(hash(golden.id))
            count += 1
            if len(first) < NAMED:
                first.append(golden.id)
        if self._ids.any():
            raise _duplicate_golden(self._goldens)
        self._refuse_missing(first, count)

    def _refuse_missing(self, first: list[str], count: int) -> None:
        if count and self._partial:
            self._left_out(count)
        elif count:
            names = ", ".join(f"'{name}'" for name in first) + (", …" if count > len(first) else "")
            subject = "1 golden has" if count == 1 else f"{count:,} goldens have"
            problem = f"{subject} no trajectory in {self._trajectories}: {names}"
            raise InputError(str(self._goldens), problem, "record them too, or pass --partial")


class Repeats:
    """Whether any of many hashes occurs twice, at eight bytes each."""

    def __init__(self) -> None:
        self._buckets = [array("q") for _ in range(BUCKETS)]

    def add(self, key: int) -> None:
        self._buckets[key & LAST_BUCKET].append(key)

    def any(self) -> bool:
        return any(len(set(bucket)) < len(bucket) for bucket in self._buckets)


def _duplicate_golden(path: Path) -> InputError:
    """Memory for finding the two lines is spent only once there is an error."""
    lines: dict[str, int] = {}
    for line, golden in numbered_goldens(path):
        if golden.id in lines:
            problem = f"duplicate id '{golden.id}', first used on line {lines[golden.id]}"
            return InputError(f"{path}:{line}", problem, "give each golden its own id")
        lines[golden.id] = line
    return InputError(str(path), "the file changed while it was read", "try again")


def _refuse_duplicate_trial(path: Path) -> None:
    """Raise for the first duplicate trial, found by remembering all of them."""
    lines: dict[tuple[str, int], int] = {}
    counts: dict[str, int] = {}
    for line, recording in numbered_trajectories(path):
        count = counts.get(recording.golden_id, 0)
        counts[recording.golden_id] = count + 1
        key = (recording.golden_id, count if recording.trial is None else recording.trial)
        if key in lines:
            problem = f"duplicate trial {key[1]} of golden '{key[0]}', first used on line {lines[key]}"
            raise InputError(f"{path}:{line}", problem, "number the trials of a golden differently")
        lines[key] = line


CACHE_KIB = 16_384
SUGGESTED_FROM = 5_000


def _fill_index(connection: sqlite3.Connection, goldens: Iterable[AnyGolden]) -> int:
    """Put goldens into a new database; returns how many, or -1 if an id occurs twice."""
    connection.execute("PRAGMA journal_mode = OFF")
    connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
    connection.execute("BEGIN")
    connection.execute("CREATE TABLE golden (id TEXT, data BLOB, kind INTEGER)")
    rows = ((golden.id, encode(golden), type(golden) is not Golden) for golden in goldens)
    inserted = connection.executemany("INSERT INTO golden VALUES (?, ?, ?)", rows).rowcount
    try:
        connection.execute("CREATE UNIQUE INDEX by_id ON golden (id)")
    except sqlite3.IntegrityError:
        return -1
    return inserted


class GoldenIndex:
    """A temporary database of goldens, in an unnamed file."""

    def __init__(self, connection: sqlite3.Connection, counts: array[int]) -> None:
        self._connection = connection
        self._counts = counts
        self._played = Counter[str]()  # of conversations with simulated users, of which there are few
        self._decode: dict[int, Callable[[bytes], AnyGolden]] = {
            0: msgspec.json.Decoder(Golden).decode,
            1: msgspec.json.Decoder(ConversationalGolden).decode,
        }

    @classmethod
    @contextlib.contextmanager
    def of(cls, goldens: Iterable[AnyGolden], counts: array[int]) -> Iterator[GoldenIndex | None]:
        """An index of all goldens, or None if an id occurs twice.

        `counts` holds how many trajectories the first goldens already had; counting continues from there.
        """
        with contextlib.closing(sqlite3.connect("", isolation_level=None)) as connection:
            inserted = _fill_index(connection, goldens)
            counts.extend(array("I", [0]) * (inserted - len(counts)))
            yield cls(connection, counts) if inserted >= 0 else None

    def take(self, golden_id: str) -> tuple[AnyGolden, int] | None:
        """The golden and how often it was taken before; `refund@unsure` is `refund` played by a simulated user."""
        match = self._match(golden_id)
        if match is None:
            return None
        place, golden, name = match
        count = self._counts[place - 1]
        self._counts[place - 1] = count + 1
        if name != golden_id:
            count = self._played[golden_id]
            self._played[golden_id] += 1
        return golden, count

    def _match(self, golden_id: str) -> tuple[int, AnyGolden, str] | None:
        """The place in the file, the golden, and its id there: the longest that a conversation's id begins with."""
        if (entry := self._look_up(golden_id)) is not None:
            return *entry, golden_id
        for at in reversed(range(len(golden_id))):
            scenario = self._look_up(golden_id[:at]) if golden_id[at] == "@" else None
            if scenario is not None and (conversation := conversation_recorded_as(scenario[1], golden_id)):
                return scenario[0], conversation, golden_id[:at]
        return None

    def _look_up(self, golden_id: str) -> tuple[int, AnyGolden] | None:
        """A golden with its place in the file."""
        cursor = self._connection.execute("SELECT rowid, data, kind FROM golden WHERE id = ?", (golden_id,))
        row = cursor.fetchone()
        return None if row is None else (row[0], self._decode[row[2]](row[1]))

    def missing(self, named: int) -> tuple[list[str], int]:
        """The first ids that were never taken, and how many there are."""
        places = islice((place for place, count in enumerate(self._counts, 1) if not count), named)
        find = "SELECT id FROM golden WHERE rowid = ?"
        first = [self._connection.execute(find, (place,)).fetchone()[0] for place in places]
        return first, self._counts.count(0)

    def some_ids(self) -> list[str]:
        rows = self._connection.execute("SELECT id FROM golden LIMIT ?", (SUGGESTED_FROM,))
        return [row[0] for row in rows]
