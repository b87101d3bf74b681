"""Goldens by id, on disk: for trajectories in a different order than the goldens."""

from __future__ import annotations

import contextlib
import sqlite3
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import msgspec

from rightcall.model.codec import encode
from rightcall.model.golden import AnyGolden, ConversationalGolden, Golden
from rightcall.model.play import played_as

CACHE_KIB = 16_384
SUGGESTED_FROM = 5_000


class GoldenIndex:
    """A temporary database in an unnamed file that disappears when closed."""

    def __init__(self, connection: sqlite3.Connection, counts: array[int]) -> None:
        self._connection, self._counts = connection, counts
        self._played: Counter[str] = (
            Counter()
        )  # of conversations with simulated users, of which there are few
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
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
            connection.execute("BEGIN")
            connection.execute("CREATE TABLE golden (id TEXT, data BLOB, kind INTEGER)")
            rows = ((golden.id, encode(golden), type(golden) is not Golden) for golden in goldens)
            inserted = connection.executemany("INSERT INTO golden VALUES (?, ?, ?)", rows).rowcount
            counts.extend(array("I", [0]) * (inserted - len(counts)))
            try:
                connection.execute("CREATE UNIQUE INDEX by_id ON golden (id)")
            except sqlite3.IntegrityError:
                yield None
            else:
                yield cls(connection, counts)

    def take(self, golden_id: str) -> tuple[AnyGolden, int] | None:
        """The golden and how often it was taken before; `refund@unsure` is `refund` played by a simulated user."""
        if (found := self._found(golden_id)) is not None:
            return found[1], self._counted(found[0])
        for end in reversed([at for at, letter in enumerate(golden_id) if letter == "@"]):
            scenario = self._found(golden_id[:end])
            if scenario is not None and (conversation := played_as(scenario[1], golden_id)):
                self._counted(scenario[0])
                self._played[golden_id] += 1
                return conversation, self._played[golden_id] - 1
        return None

    def _found(self, golden_id: str) -> tuple[int, AnyGolden] | None:
        """A golden with its place in the file."""
        found = self._connection.execute("SELECT rowid, data, kind FROM golden WHERE id = ?", (golden_id,))
        row = found.fetchone()
        return None if row is None else (row[0], self._decode[row[2]](row[1]))

    def _counted(self, place: int) -> int:
        """Count a golden as taken; how often it was before."""
        count = self._counts[place - 1]
        self._counts[place - 1] = count + 1
        return count

    def missing(self, named: int) -> tuple[list[str], int]:
        """The first ids that were never taken, and how many there are."""
        places = islice((place for place, count in enumerate(self._counts, 1) if not count), named)
        find = "SELECT id FROM golden WHERE rowid = ?"
        first = [self._connection.execute(find, (place,)).fetchone()[0] for place in places]
        return first, self._counts.count(0)

    def some_ids(self) -> list[str]:
        """Ids to suggest from."""
        found = self._connection.execute("SELECT id FROM golden LIMIT ?", (SUGGESTED_FROM,))
        return [row[0] for row in found]
