"""Locks between writers that reference shared contents and cleanup that removes them.

SQLite needs none: it has one writer at a time. In PostgreSQL a golden could be removed as unused between
another process finding it and referencing it.
"""

from __future__ import annotations

from sqlalchemy import Connection, text

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
