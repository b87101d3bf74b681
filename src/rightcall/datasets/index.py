"""Goldens by id, on disk: for trajectories that come in another order than the goldens."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from rightcall.model.codec import encode
from rightcall.model.golden import AnyGolden, ConversationalGolden, Golden

CACHE_KIB = 16_384
SUGGESTED_FROM = 5_000


class GoldenIndex:
    """A temporary database that lives in no named file and is gone when it is closed."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._decode: dict[int, Callable[[bytes], AnyGolden]] = {
            0: msgspec.json.Decoder(Golden).decode,
            1: msgspec.json.Decoder(ConversationalGolden).decode,
        }

    @classmethod
    @contextlib.contextmanager
    def of(cls, goldens: Iterable[AnyGolden], counts: Sequence[int]) -> Iterator[GoldenIndex | None]:
        """An index of all goldens, or None if an id occurs twice.

        `counts` says how many trajectories the first goldens had already.
        """
        with contextlib.closing(sqlite3.connect("", isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
            connection.execute("BEGIN")
            connection.execute("CREATE TABLE golden (id TEXT, data BLOB, count INTEGER, kind INTEGER)")
            rows = (
                (
                    golden.id,
                    encode(golden),
                    counts[place] if place < len(counts) else 0,
                    type(golden) is not Golden,
                )
                for place, golden in enumerate(goldens)
            )
            connection.executemany("INSERT INTO golden VALUES (?, ?, ?, ?)", rows)
            try:
                connection.execute("CREATE UNIQUE INDEX by_id ON golden (id)")
            except sqlite3.IntegrityError:
                yield None
            else:
                yield cls(connection)

    def take(self, golden_id: str) -> tuple[AnyGolden, int] | None:
        """The golden and how often it was taken before."""
        execute = self._connection.execute
        row = execute("SELECT rowid, data, count, kind FROM golden WHERE id = ?", (golden_id,)).fetchone()
        if row is None:
            return None
        execute("UPDATE golden SET count = count + 1 WHERE rowid = ?", (row[0],))
        return self._decode[row[3]](row[1]), row[2]

    def missing(self, named: int) -> tuple[list[str], int]:
        """The first ids that were never taken, and how many there are."""
        execute = self._connection.execute
        first = execute("SELECT id FROM golden WHERE count = 0 ORDER BY rowid LIMIT ?", (named,)).fetchall()
        count: int = execute("SELECT count(*) FROM golden WHERE count = 0").fetchone()[0]
        return [row[0] for row in first], count

    def some_ids(self) -> list[str]:
        """Ids to suggest from."""
        found = self._connection.execute("SELECT id FROM golden LIMIT ?", (SUGGESTED_FROM,))
        return [row[0] for row in found]
