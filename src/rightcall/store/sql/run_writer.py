"""Writes results to the store in batches."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, delete, func, select, text, update

from rightcall.errors import InputError
from rightcall.model import AnyGolden, CaseResult, Golden
from rightcall.store.sql import tables
from rightcall.store.sql.bulk import Row, insert_missing, insert_rows
from rightcall.store.sql.core import Core
from rightcall.store.sql.guard import refers_to_contents
from rightcall.store.sql.record_bytes import canonical, compressed
from rightcall.store.sql.rows import ResultRows, check_golden_id, to_rows
from rightcall.store.sql.text import held

GOLDENS_AT_ONCE = 500
PREVIEW = 500
"""Characters of a golden's input that can be searched and listed without unpacking it."""


class RunWriter:
    """Writes one run's results. May be shared by threads, and other processes may write the same run.

    Holds no connection and needs no closing: once `add` returns, its results are stored.
    """

    def __init__(self, store: Core, run_key: int, run_id: str) -> None:
        self._store, self._run_key, self.run_id = store, run_key, run_id

    def add_goldens(self, goldens: Iterable[AnyGolden]) -> None:
        """Store the goldens of the run, so that a case can be shown with its expectations.

        Passes them through; a golden with the same content is stored once for all runs.
        """
        stream = iter(goldens)
        while batch := list(itertools.islice(stream, GOLDENS_AT_ONCE)):
            rows = [golden_row(golden) for golden in batch]
            cases = [
                (self._run_key, held(golden.id), row[0]) for golden, row in zip(batch, rows, strict=True)
            ]
            with self._store.writing() as connection:
                keep_goldens(connection, rows)
                insert_missing(connection, tables.cases, sorted(cases))

    def add(self, results: Sequence[CaseResult]) -> int:
        """Store a batch and return how many results were new; all are on disk when this returns.

        A result whose golden and trial already exist is not replaced: a resumed run cannot duplicate one.
        """
        if not results:
            return 0
        names = {name for result in results for name in result.metrics}
        keys = self._store.metric_keys(names)
        # The expensive part runs before the transaction, which keeps locks short.
        rows = [to_rows(result, keys) for result in results]
        with self._store.writing() as connection:
            return insert_results(connection, self._run_key, self.run_id, rows, self._store.now())

    def drop_errors(self) -> int:
        """Delete errors, so that a resumed run tries them again."""
        with self._store.writing() as connection:
            return _drop_errors(connection, self._run_key)


def insert_results(
    connection: Connection, run_key: int, run_id: str, rows: Sequence[ResultRows], now: str
) -> int:
    """Insert the new rows, with their related rows, and update the counters of the run."""
    # Two writers of the same results take their locks in the same order, or PostgreSQL finds a deadlock.
    ordered = sorted(rows, key=lambda row: (row.golden_id, row.trial))
    numbered = list(zip(_numbers(connection, len(ordered)), ordered, strict=True))
    inserted = insert_missing(
        connection,
        tables.results,
        [(number, run_key, r.golden_id, r.trial, r.outcome, *r.rest) for number, r in numbered],
    )
    if inserted < len(numbered):
        stored = _stored_numbers(connection, [number for number, _ in numbered])
        numbered = [(number, r) for number, r in numbered if number in stored]
    insert_rows(connection, tables.scores, [(n, *score) for n, r in numbered for score in r.scores])
    insert_rows(
        connection, tables.codes, [_code_row(n, run_key, code) for n, r in numbered for code in r.codes]
    )
    insert_rows(
        connection, tables.trajectories, [(n, r.trajectory) for n, r in numbered if r.trajectory is not None]
    )
    _count(connection, run_key, run_id, [r for _, r in numbered], now)
    return len(numbered)


def keep_goldens(connection: Connection, rows: Sequence[Row]) -> None:
    """Store new goldens; the caller references them in the same transaction.

    Sorted, so that two writers do not deadlock.
    """
    refers_to_contents(connection)
    insert_missing(connection, tables.goldens, sorted(rows))


def golden_row(golden: AnyGolden) -> Row:
    """The row of a golden; its fingerprint identifies the content."""
    check_golden_id(golden.id)
    said = golden.input if isinstance(golden, Golden) else golden.scenario
    return (
        hashlib.sha256(canonical(golden)).hexdigest()[:32],
        held(said[:PREVIEW]),
        compressed(golden),
    )


def _code_row(number: int, run_key: int, code: Row) -> Row:
    position, *rest = code
    return (number, position, run_key, *rest)


def _numbers(connection: Connection, count: int) -> list[int]:
    """Free numbers for results. SQLite has one writer, which is this one; PostgreSQL uses a sequence."""
    if connection.dialect.name == "postgresql":
        statement = text(
            "SELECT nextval(pg_get_serial_sequence('results', 'id')) FROM generate_series(1, :count)"
        )
        return list(connection.execute(statement, {"count": count}).scalars())
    first = (connection.execute(select(func.max(tables.results.c.id))).scalar() or 0) + 1
    return list(range(first, first + count))


def _stored_numbers(connection: Connection, numbers: list[int]) -> set[int]:
    return {
        number
        for start in range(0, len(numbers), 500)
        for number in connection.execute(
            select(tables.results.c.id).where(tables.results.c.id.in_(numbers[start : start + 500]))
        ).scalars()
    }


def _count(connection: Connection, run_key: int, run_id: str, stored: list[ResultRows], now: str) -> None:
    """Add the batch to its run's counters; last, because other writers of the run wait from here."""
    runs = tables.runs.c
    costs = [row.usage.cost_usd for row in stored if row.usage.cost_usd is not None]
    changed = connection.execute(
        update(tables.runs)
        .where(runs.key == run_key, runs.id == run_id, runs.finished_at.is_(None))
        .values(
            results=runs.results + len(stored),
            passed=runs.passed + sum(row.outcome == tables.PASSED for row in stored),
            errors=runs.errors + sum(row.outcome == tables.ERROR for row in stored),
            input_tokens=runs.input_tokens + sum(row.usage.input_tokens for row in stored),
            output_tokens=runs.output_tokens + sum(row.usage.output_tokens for row in stored),
            cost_usd=func.coalesce(runs.cost_usd, 0.0) + sum(costs) if costs else runs.cost_usd,
            updated_at=now,
        )
    )
    if changed.rowcount == 0:
        raise InputError(f"run {run_id}", "was finished or deleted while being written")


def _drop_errors(connection: Connection, run_key: int) -> int:
    results = tables.results.c
    numbers = select(results.id).where(results.run_key == run_key, results.outcome == tables.ERROR)
    for table in (tables.scores, tables.codes, tables.trajectories):
        connection.execute(delete(table).where(table.c.result_id.in_(numbers)))
    dropped = connection.execute(
        delete(tables.results).where(results.run_key == run_key, results.outcome == tables.ERROR)
    ).rowcount
    runs = tables.runs.c
    connection.execute(
        update(tables.runs).where(runs.key == run_key).values(results=runs.results - dropped, errors=0)
    )
    return dropped
