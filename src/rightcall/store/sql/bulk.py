"""Bulk inserts, directly through the driver.

SQLAlchemy's own `execute` with a list of dicts costs several times as much as the rows themselves
(`benchmarks/store_throughput.py` prints both).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from sqlalchemy import Connection, Table

Row = tuple[Any, ...]


def insert_rows(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows known to be new; each row has the table's columns in order."""
    if not rows:
        return
    cursor = connection.connection.cursor()
    try:
        if connection.dialect.name == "postgresql":
            with cursor.copy(_copy_statement(table)) as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            cursor.executemany(_insert_statement(table, "?"), rows)
    finally:
        cursor.close()


def insert_missing(connection: Connection, table: Table, rows: Sequence[Row]) -> int:
    """Insert rows whose key does not exist yet; returns how many."""
    if not rows:
        return 0
    cursor = connection.connection.cursor()
    try:
        mark = "%s" if connection.dialect.name == "postgresql" else "?"
        cursor.executemany(_insert_statement(table, mark) + " ON CONFLICT DO NOTHING", rows)
        return int(cursor.rowcount)
    finally:
        cursor.close()


@cache
def _insert_statement(table: Table, mark: str) -> str:
    marks = ", ".join([mark] * len(table.columns))
    return f"INSERT INTO {table.name} ({_columns(table)}) VALUES ({marks})"  # noqa: S608 (names are ours)


@cache
def _copy_statement(table: Table) -> str:
    return f"COPY {table.name} ({_columns(table)}) FROM STDIN"


def _columns(table: Table) -> str:
    return ", ".join(column.name for column in table.columns)


SIZES = (1, 20, 400)


def portions(names: Sequence[str]) -> Iterator[list[str]]:
    """Names for `IN (…)`, in lists of few different lengths: the last is filled up with names that it has already.

    Each length is another statement, and SQLite keeps the 128 latest prepared: a process that runs for days and asks
    for any number of names would hold megabytes of them.
    """
    for start in range(0, len(names), SIZES[-1]):
        some = list(names[start : start + SIZES[-1]])
        size = next(size for size in SIZES if size >= len(some))
        yield some + some[-1:] * (size - len(some))
