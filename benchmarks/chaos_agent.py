"""The agent of `benchmarks.chaos`: it answers rightly, and at a given call it harms the store of its own run.

`CHAOS` in the environment says how: `{"way": "locked", "store": "results.db", "at": 57, "seconds": 0.4}`. The harm is
undone after `seconds`, or never when that is null. Without `CHAOS` it only answers.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sqlite3
import threading
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from rightcall.records import Golden, ToolCall

_calls = count(1)
_harm: dict[str, Any] = json.loads(os.environ.get("CHAOS", "{}"))
_kept: list[object] = []


async def answer(golden: Golden) -> list[ToolCall]:
    call = next(_calls)
    if call == 1 and _harm.get("way") == "replaced":
        back_up(_harm["store"])
    if call == _harm.get("at"):
        undo = WAYS[_harm["way"]](_harm["store"])
        if _harm["seconds"] is not None:
            threading.Timer(_harm["seconds"], undo).start()
    await asyncio.sleep(0.005)
    return [ToolCall("add", {"number": int(golden.id)})]


def locked(store: str) -> Callable[[], object]:
    """Another writer holds the lock."""
    other = sqlite3.connect(store, timeout=30, check_same_thread=False, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    _kept.append(other)
    return other.close


def disk_full(store: str) -> Callable[[], object]:
    """No file may grow: the system refuses the write, as it does on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, before)


def moved(store: str) -> Callable[[], object]:
    """The file is moved away, as when a mount goes."""
    files = [path for path in files_of(store) if path.exists()]
    for path in files:
        path.rename(path.with_name(f"away-{path.name}"))
    return lambda: bring_back(store)


def deleted(store: str) -> Callable[[], object]:
    """The file is deleted under the run."""
    for path in files_of(store):
        path.unlink(missing_ok=True)
    return lambda: None


def replaced(store: str) -> Callable[[], object]:
    """A backup from the beginning of the run is put in the file's place."""
    for path in files_of(store)[1:]:
        path.unlink(missing_ok=True)
    backup_of(store).replace(store)
    return lambda: None


def truncated(store: str) -> Callable[[], object]:
    """The file is cut in half."""
    os.truncate(store, Path(store).stat().st_size // 2)
    return lambda: None


def terminated(store: str) -> Callable[[], object]:
    """The server ends every connection of the run, again and again."""
    going = threading.Event()

    def end_connections() -> None:
        while not going.is_set():
            tell_server(store, END_OTHERS)
            time.sleep(0.01)

    threading.Thread(target=end_connections, daemon=True).start()
    return going.set


def refused(store: str) -> Callable[[], object]:
    """The database takes no connections."""
    name = urlsplit(store).path.lstrip("/")
    tell_server(admin_url(store), f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    tell_server(
        admin_url(store), f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    )
    return lambda: allow(store)


def read_only(store: str) -> Callable[[], object]:
    """The database takes no writes."""
    name = urlsplit(store).path.lstrip("/")
    tell_server(store, f"ALTER DATABASE {name} SET default_transaction_read_only = on", END_OTHERS)
    return lambda: allow(store)


def table_locked(store: str) -> Callable[[], object]:
    """Another transaction holds the table."""
    import psycopg

    other = psycopg.connect(store)
    other.execute("LOCK TABLE results IN ACCESS EXCLUSIVE MODE")
    _kept.append(other)
    return other.close


END_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
ON_SQLITE = {way.__name__: way for way in (locked, disk_full, moved, deleted, replaced, truncated)}
ON_POSTGRESQL = {way.__name__: way for way in (terminated, refused, read_only, table_locked)}
WAYS = ON_SQLITE | ON_POSTGRESQL
DESTROYED = ("deleted", "truncated")
"""After these there is nothing to resume."""


def files_of(store: str) -> list[Path]:
    return [Path(store), Path(f"{store}-wal"), Path(f"{store}-shm")]


def backup_of(store: str) -> Path:
    return Path(f"{store}.backup")


def back_up(store: str) -> None:
    source = sqlite3.connect(store)
    target = sqlite3.connect(backup_of(store))
    source.backup(target)
    source.close()
    target.close()


def bring_back(store: str) -> None:
    for path in files_of(store):
        away = path.with_name(f"away-{path.name}")
        if away.exists():
            away.rename(path)


def allow(store: str) -> None:
    """Make a database usable again."""
    name = urlsplit(store).path.lstrip("/")
    tell_server(
        admin_url(store),
        f"ALTER DATABASE {name} ALLOW_CONNECTIONS true",
        f"ALTER DATABASE {name} RESET default_transaction_read_only",
    )


def admin_url(store: str) -> str:
    """The same server, another database."""
    return urlunsplit(urlsplit(store)._replace(path="/postgres"))


def tell_server(url: str, *statements: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)
