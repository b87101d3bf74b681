"""Shared by all parts of the store: connections, clock, metric numbers, bulk inserts, locks on shared contents."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Self, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Select,
    Table,
    column,
    create_mock_engine,
    insert,
    inspect,
    select,
    table,
    text,
)
from sqlalchemy.engine.mock import MockConnection
from sqlalchemy.sql.ddl import BaseDDLElement

from rightcall.core.errors import InputError, StoreError
from rightcall.core.text import utc_text
from rightcall.store.base import Address
from rightcall.store.sql import tables
from rightcall.store.sql.engine import (
    CACHE,
    SMALL_CACHE,
    DatabaseFile,
    make_engine,
    read_transaction,
    write_transaction,
)
from rightcall.store.sql.record_bytes import escape_text


def utc_now() -> datetime:
    return datetime.now(UTC)


def time_text(time: datetime) -> str:
    """A time in the store's format: UTC, ISO 8601, sortable as text."""
    return utc_text(time, "microseconds")


class Core:
    """The base of an open store."""

    def __init__(
        self, address: Address, *, clock: Callable[[], datetime] = utc_now, small_cache: bool = False
    ) -> None:
        self.name = address.shown
        self.file = address.file
        self.url = address.url
        self.clock = clock
        if self.file is not None:
            _make_folder(self.file.parent)
            _make_private(self.file)
        self.engine: Engine = make_engine(address, cache=SMALL_CACHE if small_cache else CACHE)
        self._metric_keys: dict[str, int] = {}
        self._metric_names: dict[int, str] = {}
        self._database: DatabaseFile | None = None
        try:
            require_schema(self.engine, self.name)
            if self.file is not None:
                self._database = DatabaseFile(self.file)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Release the connections; an unclosed store loses nothing."""
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def now(self) -> str:
        return time_text(self.clock())

    @contextmanager
    def read_transaction(self) -> Iterator[Connection]:
        """One consistent view, for as short as possible."""
        self._require_file()
        with read_transaction(self.engine, self.name) as connection:
            yield connection

    @contextmanager
    def write_transaction(self) -> Iterator[Connection]:
        """A transaction that will write: all of it is stored when the block ends, or none of it."""
        self._require_file()
        try:
            with write_transaction(self.engine, self.name) as connection:
                yield connection
        except StoreError:
            if self.file is None:
                self.engine.dispose()  # pooled connections may be to a server that is gone or read-only now
            raise
        self._require_file()  # if the file was deleted meanwhile, the transaction is lost

    def _require_file(self) -> None:
        if self._database is not None:
            self._database.require()

    def metric_keys(self, names: Iterable[str]) -> Mapping[str, int]:
        """The number of each metric, assigning one to new metrics. Numbers are never reused."""
        new = sorted({name for name in names if name not in self._metric_keys})
        if new:
            statement = text("INSERT INTO metrics (name) VALUES (:name) ON CONFLICT DO NOTHING")
            with self.write_transaction() as connection:
                for name in new:
                    connection.execute(statement, {"name": escape_text(name)})
            self._read_metrics()
        return self._metric_keys

    def metric_names(self, keys: Iterable[int]) -> Mapping[int, str]:
        if any(key not in self._metric_names for key in keys):
            self._read_metrics()
        return self._metric_names

    def _read_metrics(self) -> None:
        with self.read_transaction() as connection:
            rows = connection.execute(select(tables.metrics.c.name, tables.metrics.c.key))
            self._metric_keys = {row.name: row.key for row in rows}
        self._metric_names = {key: name for name, key in self._metric_keys.items()}


class StorePart:
    """The base of a part of a store: its methods read and write through the store's connections."""

    __slots__ = ("_store",)

    def __init__(self, store: Core) -> None:
        self._store = store


T = TypeVar("T")


def stream_rows(
    store: Core, read_page: Callable[[Connection, T | None], Sequence[T]], size: int
) -> Iterator[T]:
    """Rows, read in pages of `size`, each in a short transaction: a run in progress is not blocked.

    `read_page` gets the last row of the page before, None for the first.
    """
    last: T | None = None
    while True:
        with store.read_transaction() as connection:
            rows = read_page(connection, last)
        yield from rows
        if len(rows) < size:
            return
        last = rows[-1]


SIZES = (1, 20, 400)


def portions(names: Sequence[T]) -> Iterator[list[T]]:
    """Names for `IN (…)`, in lists of a few fixed lengths: the last is padded with names it already has.

    Each length is another statement, and SQLite caches the 128 latest prepared ones: a process that runs for days with
    lists of any length would hold megabytes of them.
    """
    for start in range(0, len(names), SIZES[-1]):
        some = list(names[start : start + SIZES[-1]])
        size = next(size for size in SIZES if size >= len(some))
        yield some + some[-1:] * (size - len(some))


def select_in(
    connection: Connection, query: Select[Any], column: ColumnElement[Any], values: Sequence[Any]
) -> Iterator[Any]:
    """The rows of a query whose column has one of these values, however many they are."""
    for some in portions(values):
        yield from connection.execute(query.where(column.in_(some)))


def insert_rows(connection: Connection, table: Table, rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows known to be new; each row has the table's columns in order.

    Directly through the driver: SQLAlchemy's own `execute` with a list of dicts costs several times as much as the rows
    themselves (`benchmarks/store_throughput.py` prints both).
    """
    if not rows:
        return
    with closing(connection.connection.cursor()) as cursor:
        if connection.dialect.name == "postgresql":
            with cursor.copy(f"COPY {table.name} ({_columns(table)}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            cursor.executemany(_insert_statement(table, "?"), rows)


def insert_missing(connection: Connection, table: Table, rows: Sequence[tuple[Any, ...]]) -> int:
    """Insert rows whose key does not exist yet; returns how many."""
    if not rows:
        return 0
    mark = "%s" if connection.dialect.name == "postgresql" else "?"
    with closing(connection.connection.cursor()) as cursor:
        cursor.executemany(_insert_statement(table, mark) + " ON CONFLICT DO NOTHING", rows)
        return int(cursor.rowcount)


@cache
def _insert_statement(table: Table, mark: str) -> str:
    marks = ", ".join([mark] * len(table.columns))
    return f"INSERT INTO {table.name} ({_columns(table)}) VALUES ({marks})"  # noqa: S608 (names are ours)


@cache
def _columns(table: Table) -> str:
    return ", ".join(column.name for column in table.columns)


IGNORED = """# Results stay on this machine; a baseline may be committed.
*
!*.baseline.jsonl.gz
"""


def _make_folder(folder: Path) -> None:
    try:
        if not folder.exists():
            folder.parent.mkdir(parents=True, exist_ok=True)
            folder.mkdir(mode=0o700, exist_ok=True)
            if folder.name == ".rightcall":
                (folder / ".gitignore").write_text(IGNORED, encoding="utf-8")
    except OSError as error:
        raise InputError(str(folder), f"cannot create the store's folder ({error.strerror})") from None


def _make_private(file: Path) -> None:
    """Create the file, if new, readable only by its owner; SQLite gives its log the same permissions.

    If it cannot be created, SQLite reports the error.
    """
    with contextlib.suppress(OSError):
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


_CONTENTS = 7_246_019
"""An advisory lock's number; arbitrary but fixed."""


def refers_to_contents(connection: Connection) -> None:
    """Until this transaction ends, nothing is removed; others may reference contents too."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock_shared(:n)"), {"n": _CONTENTS})


def alone_with_contents(connection: Connection) -> None:
    """Until this transaction ends, no other transaction references or removes contents."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:n)"), {"n": _CONTENTS})


VERSION = "3"
"""Rises with every change of the tables; a store of another version is refused."""

VERSION_TABLE = "rightcall_version"
"""The database may belong to an application with tables of versions too."""

_ONE_AT_A_TIME = 7_246_018
"""The advisory lock under which PostgreSQL stores are made; arbitrary but fixed."""


def require_schema(engine: Engine, name: str) -> None:
    """Create the tables of a new store; `InputError` for a store of another version."""
    with read_transaction(engine, name) as connection:
        version = version_of(connection)
    if version is None:
        with write_transaction(engine, name) as connection:
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:n)"), {"n": _ONE_AT_A_TIME})
            if version_of(connection) is None:  # another process may have made them
                make(connection)
    elif version != VERSION:
        _refuse(engine, name, version)


def version_of(connection: Connection) -> str | None:
    """The store's version; None when there is nothing in the database yet."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    version = connection.execute(select(column("version_num")).select_from(table(VERSION_TABLE))).scalar()
    return None if version is None else str(version)


def make(connection: Connection) -> None:
    """The tables of a new store, and which RightCall made it."""
    from importlib.metadata import version

    for statement in _definitions(connection.dialect.name):
        connection.exec_driver_sql(statement)
    if connection.dialect.name == "postgresql":  # these are compressed already
        for name in ("trajectories", "traces", "received"):
            connection.execute(text(f"ALTER TABLE {name} ALTER COLUMN content SET STORAGE EXTERNAL"))
    connection.execute(text(f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL PRIMARY KEY)"))
    connection.execute(insert(table(VERSION_TABLE, column("version_num"))).values(version_num=VERSION))
    connection.execute(insert(tables.about).values(name="written_by", value=version("rightcall")))


@cache
def _definitions(dialect: str) -> tuple[str, ...]:
    """Statements that create the tables and indexes; to work them out takes longer than to execute them."""
    statements: list[str] = []

    def note(element: BaseDDLElement, *_: object, **__: object) -> None:
        statements.append(str(element.compile(dialect=engine.dialect)))

    engine: MockConnection = create_mock_engine(f"{dialect}://", note)
    tables.metadata.create_all(engine, checkfirst=False)
    return tuple(statements)


def _refuse(engine: Engine, name: str, version: str) -> None:
    signature = select(tables.about.c.value).where(tables.about.c.name == "written_by")
    with read_transaction(engine, name) as connection:
        by = connection.execute(signature).scalar() or "unknown"
    problem = (
        f"this store has version {version} (written by RightCall {by}), and this RightCall reads {VERSION}"
    )
    hint = "choose another store with --store; `rightcall runs export` of the RightCall that wrote it saves its runs"
    raise InputError(name, problem, hint)
