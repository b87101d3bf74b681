"""Deletes runs, with everything that only they needed."""

from __future__ import annotations

from datetime import timedelta
from itertools import chain
from typing import Any

from sqlalchemy import Connection, delete, select

from rightcall.store.base import StoredRun
from rightcall.store.sql import tables
from rightcall.store.sql.core import StorePart, alone_with_contents, time_text
from rightcall.store.sql.golden_sets import drop_goldens
from rightcall.store.sql.record_bytes import decode_record
from rightcall.store.sql.run_lookup import find, to_run

STILL_WRITTEN = timedelta(hours=24)
"""An unfinished run written to this recently may still be running, or be resumed."""

_OF_A_RESULT = (tables.failed_metrics, tables.codes, tables.trajectories)
_OF_A_RUN = (tables.results, tables.run_tags)


class Removal(StorePart):
    __slots__ = ()

    def delete(self, *runs: str) -> list[StoredRun]:
        """Delete runs, one transaction each, and what only they needed; returns their records."""
        gone = []
        for run in runs:
            with self._store.write_transaction() as connection:
                alone_with_contents(connection)
                row = find(connection, run)
                _delete(connection, row.key)
            gone.append(to_run(row))
        with self._store.write_transaction() as connection:
            alone_with_contents(connection)
            _drop_unused_documents(connection)
        self._give_space_back()
        return gone

    def old_runs(self, older: timedelta) -> list[StoredRun]:
        """Runs that started longer ago, oldest first; not those with a tag, or that are being written."""
        now = self._store.clock()
        r = tables.runs.c
        too_old = time_text(now - older)
        at_work = time_text(now - STILL_WRITTEN)
        with self._store.read_transaction() as connection:
            tagged = set(connection.execute(select(tables.run_tags.c.run_key).distinct()).scalars())
            rows = connection.execute(
                select(tables.runs).where(r.started_at < too_old).order_by(r.started_at, r.key)
            )
            return [
                to_run(row)
                for row in rows
                if row.key not in tagged and (row.finished_at is not None or row.updated_at < at_work)
            ]

    def _give_space_back(self) -> None:
        """SQLite keeps the pages of deleted rows until it is told to release them."""
        if self._store.file is None:
            return
        connection = self._store.engine.raw_connection()
        try:
            # Each step of this pragma frees one page, and `execute` takes one step: a script takes them all.
            driver: Any = connection.driver_connection
            driver.executescript("PRAGMA incremental_vacuum")
        finally:
            connection.close()


def _delete(connection: Connection, run_key: int) -> None:
    # The run's row first: a process that is writing the run is waited for, or finds its run gone and rolls
    # back its batch, so that no result is left without a run.
    gone = delete(tables.runs).where(tables.runs.c.key == run_key).returning(tables.runs.c.golden_set)
    golden_set = connection.execute(gone).scalar()
    numbers = select(tables.results.c.id).where(tables.results.c.run_key == run_key)
    for table in _OF_A_RESULT:
        connection.execute(delete(table).where(table.c.result_id.in_(numbers)))
    drop_goldens(connection, golden_set)
    for table in _OF_A_RUN:
        connection.execute(delete(table).where(table.c.run_key == run_key))


def _drop_unused_documents(connection: Connection) -> None:
    used = set(
        chain.from_iterable(
            decode_record(fingerprints, dict[str, str]).items()
            for fingerprints in connection.execute(select(tables.runs.c.fingerprints)).scalars()
        )
    )
    d = tables.documents.c
    for kind, fingerprint in connection.execute(select(d.kind, d.fingerprint)).all():
        if (kind, fingerprint) not in used:
            connection.execute(delete(tables.documents).where(d.kind == kind, d.fingerprint == fingerprint))
