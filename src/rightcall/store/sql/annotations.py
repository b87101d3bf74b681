"""Tags on runs and cases, notes on cases: what people add to results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, delete, insert, select

from rightcall.core.errors import InputError
from rightcall.store.base import Note
from rightcall.store.sql import tables
from rightcall.store.sql.core import StorePart, insert_missing
from rightcall.store.sql.record_bytes import escape_text
from rightcall.store.sql.run_lookup import find

LONGEST_TAG = 100
LONGEST_NOTE = 20_000


class RunAnnotations(StorePart):
    __slots__ = ()

    def tag(self, run: str, *tags: str, golden_id: str | None = None, remove: bool = False) -> None:
        """Add tags to a run, or to one golden of it; existing ones stay. With `remove`, remove them."""
        table = tables.run_tags if golden_id is None else tables.case_tags
        with self._store.write_transaction() as connection:
            if remove:
                key = find(connection, run).key
                place = [table.c.run_key == key, table.c.tag.in_(tags)]
                if golden_id is not None:
                    place.append(table.c.golden_id == golden_id)
                connection.execute(delete(table).where(*place))
            elif golden_id is None:
                key = find(connection, run).key
                insert_missing(connection, table, [(key, escape_text(tag)) for tag in _check_tags(tags)])
            else:
                key = _case_key(connection, run, golden_id)
                rows = [(key, escape_text(golden_id), escape_text(tag)) for tag in _check_tags(tags)]
                insert_missing(connection, table, rows)

    def add_note(self, run: str, golden_id: str, text: str, *, author: str = "") -> Note:
        if not text.strip() or len(text) > LONGEST_NOTE:
            problem = f"must have between 1 and {LONGEST_NOTE:,} characters, got {len(text):,}"
            raise InputError("note", problem)
        at = self._store.now()
        with self._store.write_transaction() as connection:
            key = _case_key(connection, run, golden_id)
            note = insert(tables.notes).values(
                run_key=key, golden_id=golden_id, text=text, author=author, created_at=at
            )
            number = connection.execute(note.returning(tables.notes.c.key)).scalar_one()
        return Note(number, text, author, at)

    def delete_note(self, number: int) -> None:
        """Delete a note; a missing one is not an error."""
        with self._store.write_transaction() as connection:
            connection.execute(delete(tables.notes).where(tables.notes.c.key == number))


def tags_of_cases(
    connection: Connection, run_key: int, golden_ids: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """The tags of some of a run's cases, by golden id."""
    t = tables.case_tags.c
    query = select(t.golden_id, t.tag).where(t.run_key == run_key, t.golden_id.in_(golden_ids))
    tags_by_golden: dict[str, tuple[str, ...]] = defaultdict(tuple)
    for golden_id, tag in connection.execute(query.order_by(t.golden_id, t.tag)):
        tags_by_golden[golden_id] += (tag,)
    return tags_by_golden


def notes_of_case(connection: Connection, run_key: int, golden_id: str) -> tuple[Note, ...]:
    """The notes on a case, oldest first."""
    n = tables.notes.c
    query = select(n.key, n.text, n.author, n.created_at).where(
        n.run_key == run_key, n.golden_id == golden_id
    )
    return tuple(Note(*row) for row in connection.execute(query.order_by(n.created_at, n.key)))


def _case_key(connection: Connection, run: str, golden_id: str) -> int:
    """The run's key, when the golden is in the run."""
    row = find(connection, run)
    results, cases = tables.results.c, tables.cases.c
    for query in (
        select(results.trial).where(results.run_key == row.key, results.golden_id == golden_id),
        select(cases.fingerprint).where(cases.set_key == row.golden_set, cases.golden_id == golden_id),
    ):
        if connection.execute(query.limit(1)).first() is not None:
            return int(row.key)
    raise InputError(f"run {row.id}", f"has no golden '{golden_id}'")


def _check_tags(tags: Iterable[str]) -> list[str]:
    for tag in tags:
        if not tag.strip() or len(tag) > LONGEST_TAG:
            raise InputError(f"tag '{tag[:30]}'", f"must have between 1 and {LONGEST_TAG} characters")
    return sorted(set(tags))
