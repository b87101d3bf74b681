"""The goldens of a run: written once, and shared by every later run of the same ones."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, ScalarSelect, delete, insert, select, update

from rightcall.core.digest import hex_digest
from rightcall.records.golden import AnyGolden, canonical_golden, request_of
from rightcall.store.sql import tables
from rightcall.store.sql.core import Core, insert_missing, refers_to_contents
from rightcall.store.sql.record_bytes import canonical, compress_json, escape_text
from rightcall.store.sql.rows import Row, check_golden_id

GOLDENS_AT_ONCE = 500
PREVIEW = 500
"""Characters of a golden's input that can be searched and listed without unpacking it."""

runs = tables.runs.c
sets = tables.golden_sets.c
cases = tables.cases.c


def add_goldens(store: Core, run_key: int, goldens: Iterable[AnyGolden], fingerprint: str) -> None:
    """Store the goldens of a run; if a complete set has this fingerprint, none of them is read."""
    with store.write_transaction() as connection:
        refers_to_contents(connection)
        if fingerprint and use_shared_set(connection, run_key, fingerprint):
            return
        key = own_set(connection, run_key)
    stream = iter(goldens)
    while batch := list(itertools.islice(stream, GOLDENS_AT_ONCE)):
        rows = [golden_row(golden) for golden in batch]
        members = [(key, escape_text(golden.id), row[0]) for golden, row in zip(batch, rows, strict=True)]
        with store.write_transaction() as connection:
            keep_goldens(connection, rows)
            insert_missing(connection, tables.cases, sorted(members))
    if fingerprint:
        with store.write_transaction() as connection:
            name_set(connection, key, fingerprint)


def of_run(run_key: int) -> ColumnElement[bool]:
    """The SQL condition that selects the `cases` of a run."""
    return cases.set_key == set_of(run_key)


def set_of(run_key: int) -> ScalarSelect[Any]:
    return select(runs.golden_set).where(runs.key == run_key).scalar_subquery()


def use_shared_set(connection: Connection, run_key: int, fingerprint: str) -> bool:
    """Give the run the complete set of this fingerprint, if there is one."""
    query = select(sets.key).where(sets.fingerprint == fingerprint).order_by(sets.key).limit(1)
    key = connection.execute(query).scalar()
    if key is None:
        return False
    before = connection.execute(select(runs.golden_set).where(runs.key == run_key)).scalar()
    if before != key:
        connection.execute(update(tables.runs).where(runs.key == run_key).values(golden_set=key))
        if before is not None:
            _drop_set(connection, before)
    return True


def own_set(connection: Connection, run_key: int) -> int:
    """The number of a set that no other run uses; goldens that the run shared are copied into it."""
    row = connection.execute(select(runs.golden_set).where(runs.key == run_key).with_for_update()).first()
    before = None if row is None else row.golden_set
    if before is not None:
        others = select(runs.key).where(runs.golden_set == before, runs.key != run_key).limit(1)
        named = connection.execute(select(sets.fingerprint).where(sets.key == before)).scalar()
        if named is None and connection.execute(others).first() is None:
            return int(before)
    key = int(connection.execute(insert(tables.golden_sets).returning(sets.key)).scalar_one())
    connection.execute(update(tables.runs).where(runs.key == run_key).values(golden_set=key))
    if before is not None:
        old = connection.execute(select(cases.golden_id, cases.fingerprint).where(cases.set_key == before))
        insert_missing(
            connection, tables.cases, [(key, escape_text(row.golden_id), row.fingerprint) for row in old]
        )
        _drop_set(connection, before)
    return key


def name_set(connection: Connection, key: int, fingerprint: str) -> None:
    """Mark a set as complete; from now on it is shared and never changes."""
    connection.execute(update(tables.golden_sets).where(sets.key == key).values(fingerprint=fingerprint))


def drop_goldens(connection: Connection, key: int | None) -> None:
    """Delete a set that no run uses any more, and goldens that only it had; requires `alone_with_contents`."""
    if key is None or _has_run(connection, key):
        return
    goldens = tables.goldens.c
    items = tables.dataset_items.c
    elsewhere = select(1).where(cases.fingerprint == goldens.fingerprint, cases.set_key != key).exists()
    in_dataset = select(1).where(items.fingerprint == goldens.fingerprint).exists()
    own = select(cases.fingerprint).where(cases.set_key == key)
    connection.execute(delete(tables.goldens).where(goldens.fingerprint.in_(own), ~elsewhere, ~in_dataset))
    _drop_set(connection, key)


def _drop_set(connection: Connection, key: int) -> None:
    """Delete a set that no run uses any more; its goldens are in another one."""
    if not _has_run(connection, key):
        connection.execute(delete(tables.cases).where(cases.set_key == key))
        connection.execute(delete(tables.golden_sets).where(sets.key == key))


def _has_run(connection: Connection, key: int) -> bool:
    return connection.execute(select(runs.key).where(runs.golden_set == key).limit(1)).first() is not None


def keep_goldens(connection: Connection, rows: Sequence[Row]) -> None:
    """Store new goldens; the caller references them in the same transaction.

    Sorted, so that two writers do not deadlock.
    """
    refers_to_contents(connection)
    insert_missing(connection, tables.goldens, sorted(rows))


def golden_row(golden: AnyGolden) -> Row:
    """The row of a golden; its fingerprint identifies the content."""
    check_golden_id(golden.id)
    content = canonical(canonical_golden(golden))
    return hex_digest(content, 32), escape_text(request_of(golden)[:PREVIEW]), compress_json(content)
