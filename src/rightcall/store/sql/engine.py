"""Connections, transactions, and readable messages for database errors.

SQLite runs with a write-ahead log (readers and the one writer do not wait for each other), waits up to
`PATIENCE` seconds for another writer, and with `synchronous=NORMAL`: a commit is in the operating system's
hands when the call returns, so `kill -9` of this process loses nothing that was stored. A power cut or a
kernel panic can lose the last commits before the log was flushed, and never corrupts the file; `FULL` would
close that gap for a disk flush at every batch, and what it protects can be had again by `--resume`.

SQLite silently keeps writing to a file that was deleted or replaced: what it stores then is lost. So `DatabaseFile`
checks, with `stat` only, because opening and closing the file would drop the locks that SQLite holds on it
(https://www.sqlite.org/howtocorrupt.html, section 2.2).
"""

from __future__ import annotations

import logging
import sqlite3
import struct
import time
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
from sqlalchemy import URL, Connection, Engine, create_engine, event, exc

from rightcall.core.errors import MissingExtraError, RightCallError, StoreError
from rightcall.store.base import Address

PATIENCE = 60
"""Seconds a writer waits for others before giving up."""

WRITES = {"rightcall_writes": True}

_ON_A_NETWORK = {"connect_timeout": 10, "keepalives_idle": 30, "tcp_user_timeout": PATIENCE * 1000}
"""Without these a dead connection blocks its reader for hours."""

_PASSING = ("OperationalError", "InternalError", "InterfaceError", "TimeoutError")
"""Classes of errors (PEP 249, SQLAlchemy) that concern the engine's state rather than the statement."""

_LASTING = ("not a database", "malformed", "already exists", "password", "does not exist")
"""Error messages for which a retry cannot help."""


_HINTS = {
    (
        "locked",
        "lock timeout",
    ): f"another process kept writing for {PATIENCE} seconds; try again when it has finished",
    ("disk is full", "no space", "disk full"): (
        "free some space (`rightcall runs delete --older 30d` removes old runs) and resume the run"
    ),
    ("not a database",): "the file is not a store; choose another with --store",
    ("already exists",): "use a separate database or schema for the store",
    ("readonly", "unable to open", "permission"): "check the permissions of the file and its folder",
    (
        "connect",
        "password",
    ): "check that the server is running and that user, password and database are correct",
}
"""What to do about a message with one of these words; the first that fits."""

_NEVER_WRITTEN = (UnicodeDecodeError, msgspec.MsgspecError, zlib.error, struct.error)
"""What reading a value raises that RightCall cannot have written: no text, no record, broken compression."""
_NOT_EXPECTED = (ArithmeticError, LookupError, TypeError, ValueError)
"""The same of a value that has another type or range, but also of a mistake in our code: only where values are read."""
_READERS = ("record_bytes", "rows")
"""Modules of this folder that turn stored values into objects, and do nothing else."""

CACHE = 16_000
SMALL_CACHE = 2_000
"""KiB of a database file that each connection keeps in memory. Pages read the same rows again; a receiver of spans
writes each once, and with large caches its memory would grow for half an hour."""


_SILENT = logging.NullHandler()
"""The pool logs, with a traceback, what interrupts it while it closes a connection, and raises it as well."""


def make_engine(address: Address, *, cache: int = CACHE) -> Engine:
    """An engine for the address; connects to nothing yet."""
    logging.getLogger("sqlalchemy.pool").addHandler(_SILENT)
    if address.file is not None:
        url = URL.create("sqlite", database=str(address.file.absolute()))  # code under test may chdir
        engine = create_engine(url, connect_args={"timeout": PATIENCE, "check_same_thread": False})
        event.listen(engine, "connect", lambda connection, _: _prepare_sqlite(connection, cache))
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        return create_engine(address.url, pool_pre_ping=True, connect_args=_ON_A_NETWORK)
    except ImportError:
        raise MissingExtraError("a store in PostgreSQL", "psycopg", "postgres") from None


@contextmanager
def read_transaction(engine: Engine, name: str) -> Iterator[Connection]:
    """One consistent view, for as short as possible: a long one keeps SQLite's log from shrinking."""
    with _plain_errors(name), engine.connect() as connection, connection.begin():
        try:
            yield connection
        except (*_NEVER_WRITTEN, *_NOT_EXPECTED) as error:
            if not _is_damage(error):
                raise
            raise _damage_error(name, error) from error


@contextmanager
def write_transaction(engine: Engine, name: str) -> Iterator[Connection]:
    """A transaction that will write: all of it is stored when the block ends, or none of it."""
    with (
        _plain_errors(name),
        engine.connect().execution_options(**WRITES) as connection,
        connection.begin(),
    ):
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{PATIENCE}s'")
        yield connection


def _prepare_sqlite(connection: sqlite3.Connection, cache: int) -> None:
    connection.isolation_level = None  # this module issues BEGIN itself, and IMMEDIATE for writes
    connection.execute("PRAGMA auto_vacuum=INCREMENTAL")  # only effective before the first table
    _switch_to_log(connection)
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute(f"PRAGMA cache_size=-{cache}")


def _switch_to_log(connection: sqlite3.Connection) -> None:
    """SQLite does not wait for its lock here when several processes create a store at the same time."""
    give_up = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > give_up:
                raise
            time.sleep(0.01)


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("rightcall_writes", False)
    # A transaction that reads first and writes later may conflict with another writer: IMMEDIATE waits now.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


@contextmanager
def _plain_errors(name: str) -> Iterator[None]:
    try:
        yield
    except RightCallError:
        raise
    except (exc.DBAPIError, exc.TimeoutError) as error:
        raise store_error(name, error) from error
    except UnicodeDecodeError as error:  # SQLite's message about a damaged schema contains the damage
        raise _damage_error(name, error) from error
    except Exception as error:
        if not isinstance(error, sqlite3.Error) and not type(error).__module__.startswith("psycopg"):
            raise
        raise store_error(name, error) from error


def _is_damage(error: Exception) -> bool:
    """Whether a stored value caused this, rather than a mistake in the code that reads it."""
    if isinstance(error, _NEVER_WRITTEN):
        return True
    innermost = error.__traceback__
    while innermost is not None and innermost.tb_next is not None:
        innermost = innermost.tb_next
    module = "" if innermost is None else innermost.tb_frame.f_globals.get("__name__", "")
    folder, _, reader = module.rpartition(".")
    return not module.startswith("rightcall.") or (folder == __package__ and reader in _READERS)


def _damage_error(name: str, error: Exception) -> StoreError:
    hint = "restore a copy of it, or run the suites again"
    problem = f"{type(error).__name__}: {error}"
    return StoreError(f"store {name}: it is damaged, a value cannot be read ({problem}); {hint}")


def store_error(name: str, error: Exception) -> StoreError:
    """The database error in one line, with a hint."""
    cause = getattr(error, "orig", None) or error
    message = " ".join(str(cause).split())[:300]
    low = message.lower()
    hint = next((f"; {hint}" for words, hint in _HINTS.items() if any(word in low for word in words)), "")
    passing = any(kind.__name__ in _PASSING for kind in type(cause).__mro__)
    retryable = passing and not any(word in low for word in _LASTING)
    return StoreError(f"store {name}: {message}{hint}", retryable=retryable)


class DatabaseFile:
    """The file behind a store. `require` raises a `StoreError` when it was deleted, replaced or truncated."""

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self._shown = path
        status = path.stat()
        self._identity = (status.st_dev, status.st_ino)
        self._size = status.st_size

    def require(self) -> None:
        try:
            status = self._path.stat()
        except OSError as error:  # a mount that hangs or a folder that is moved may come back
            raise self._file_error(f"the file no longer exists ({error.strerror})", retryable=True) from None
        if (status.st_dev, status.st_ino) != self._identity:
            raise self._file_error("the file was replaced while it was open")
        if status.st_size < self._size and not (status.st_size and _is_whole(self._path)):
            raise self._file_error("the file was truncated while it was open")
        self._size = status.st_size

    def _file_error(self, problem: str, *, retryable: bool = False) -> StoreError:
        return StoreError(f"store {self._shown}: {problem}", retryable=retryable)


def _is_whole(path: Path) -> bool:
    """Whether a file that became shorter is a valid database: pruning old runs shortens it too."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)) as connection:
            answer: tuple[str] = connection.execute("PRAGMA quick_check(1)").fetchone()
            return answer == ("ok",)
    except sqlite3.Error:
        return False
