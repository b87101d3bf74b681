"""Keeps what happened: runs with every result, goldens, tool definitions, tags, notes, versions of datasets.

    base         the records the store gives back, and the filters it takes
    address      where a store is: a file, a URL, or the default
    opening      open_store
    sql/         SQLite and PostgreSQL through SQLAlchemy Core, one file per subject
    migrations/  one file per change of the schema, run when an older store is opened

The store is synchronous. An async caller hands whole batches to a thread:
`await asyncio.to_thread(writer.add, batch)`. Stores and writers may be shared between threads: every call
takes a connection of its own.

To keep something new: add its table to `sql/tables.py`, a migration that makes it, a file in `sql/` that
reads and writes it, and a line in `sql/copying.py`, so that it survives a copy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rightcall.store.base import (
    Change,
    ComparedCase,
    Copied,
    DatasetDiff,
    DatasetVersion,
    Key,
    Note,
    Outcome,
    ResultFilter,
    Retention,
    RunFilter,
    StoredCase,
    StoredRun,
    SuiteOverview,
    changes,
)
from rightcall.store.opener import open_store

if TYPE_CHECKING:
    from rightcall.store.sql.run_writer import RunWriter
    from rightcall.store.sql.store import Store

__all__ = [
    "Change",
    "ComparedCase",
    "Copied",
    "DatasetDiff",
    "DatasetVersion",
    "Key",
    "Note",
    "Outcome",
    "ResultFilter",
    "Retention",
    "RunFilter",
    "RunWriter",
    "Store",
    "StoredCase",
    "StoredRun",
    "SuiteOverview",
    "changes",
    "open_store",
]


def __getattr__(name: str) -> Any:
    """The classes that need SQLAlchemy come when they are asked for: importing it takes a quarter second."""
    if name == "Store":
        from rightcall.store.sql.store import Store

        return Store
    if name == "RunWriter":
        from rightcall.store.sql.run_writer import RunWriter

        return RunWriter
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
