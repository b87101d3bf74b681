"""Goldens by id, on disk: for trajectories in a different order than the goldens."""

from __future__ import annotations

import contextlib
import sqlite3
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import msgspec

from rightcall.core.codec import encode
from rightcall.model.golden import AnyGolden, ConversationalGolden, Golden
from rightcall.model.golden_id import conversation_recorded_as

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
        self._connection, self._counts = connection, counts
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
