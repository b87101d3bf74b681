"""The location of idempotency keys: memory, a SQLite file or PostgreSQL.

The keys of a run are next to its results, so that a killed run can be resumed. Results in a SQLite file have
their keys in a file next to it (`rightcall.db`, `rightcall.keys.db`): a commit of one never waits for the other.
Results in PostgreSQL have them in a table of the same database.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from rightcall.core.codec import encode
from rightcall.core.errors import MissingExtraError
from rightcall.recording.canonical import scrub_value
from rightcall.tools.idempotency.guard import Idempotency, StoredReply
from rightcall.tools.idempotency.store import CREATE, IdempotencyStore
from rightcall.tools.runtime.context import SystemClock

RUN_KEYS_S = 365 * 24 * 3600.0
"""How long the keys of a run are remembered. They contain its id, so nothing else can collide with them."""


def key_store(
    file: Path | None, url: str = "", scrub: Callable[[str], str] | None = None
) -> IdempotencyStore:
    """The keys that belong to results in a file or at a PostgreSQL URL. Nothing is opened before it is needed.

    With `scrub`, stored answers of tools are free of secrets, as stored results are.
    """
    if file is not None:
        store = sqlite_store(file.with_name(f"{file.stem}.keys{file.suffix or '.db'}"), later=True)
    else:
        store = postgres_store(url.replace("postgresql+psycopg://", "postgresql://", 1), later=True)
    store.clean = partial(_scrub_reply, scrub) if scrub else None
    return store


def run_keys(file: Path | None, url: str = "", scrub: Callable[[str], str] | None = None) -> Idempotency:
    """The keys of a run, remembered for as long as anyone may resume it."""
    return Idempotency(key_store(file, url, scrub), ttl_s=RUN_KEYS_S, clock=SystemClock())


def sqlite_store(
    path: str | Path = ":memory:", *, busy_s: float = 5.0, later: bool = False
) -> IdempotencyStore:
    """Keys in a SQLite file, or in memory for as long as the store lives.

    A committed key survives the death of the process. `later` opens the file when it is first needed.
    """
    import sqlite3

    in_memory = str(path) == ":memory:"

    def connect() -> Any:
        if later:  # a file that only its owner can read: it contains tool results
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(str(path), timeout=busy_s, isolation_level=None, check_same_thread=False)
        if not in_memory:
            _make_wal(connection, busy_s)
            connection.execute("PRAGMA wal_autocheckpoint = 10000")
        connection.execute("PRAGMA synchronous = NORMAL")
        return connection

    store = IdempotencyStore(connect=connect, errors=(sqlite3.Error, OSError), options="WITHOUT ROWID")
    store.private = in_memory
    if not (in_memory or later):
        store.open(str(path))
    return store


def postgres_store(url: str, *, later: bool = False) -> IdempotencyStore:
    """Keys in PostgreSQL, at an address such as `postgresql://user@host/database`."""
    try:
        import psycopg  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise MissingExtraError("an idempotency store in PostgreSQL", "psycopg", "postgres") from None

    def connect() -> Any:
        connection = psycopg.connect(url, autocommit=True)
        # Processes that create the table at the same moment would conflict.
        connection.execute(f"SELECT pg_advisory_xact_lock(7462); {CREATE.format(blob='BYTEA', options='')}")
        return connection

    store = IdempotencyStore(
        connect=connect, errors=(psycopg.Error,), placeholder="%s", remote=True, create=False
    )
    if not later:
        store.open("")
    return store


def _make_wal(connection: Any, busy_s: float) -> None:
    """Turn the write-ahead log on. Of two processes that do so at once SQLite refuses one without waiting."""
    import sqlite3

    until = time.monotonic() + busy_s
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.01)


def _scrub_reply(scrub: Callable[[str], str], result: bytes) -> bytes:
    """A stored reply without secrets; what the reply is made of stays as it is."""
    text = result.decode()
    if scrub(text) == text:
        return result
    reply = msgspec.json.decode(result, type=StoredReply)
    error = reply.error
    if error is not None:
        error = msgspec.structs.replace(error, detail=scrub(error.detail), hint=scrub(error.hint))
    return encode(StoredReply(reply.outcome, scrub_value(reply.output, scrub), error))
