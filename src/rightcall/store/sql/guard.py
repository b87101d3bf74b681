"""Locks between those who refer to shared contents and those who clear them away.

SQLite needs none: it has one writer at a time. In PostgreSQL a golden could be cleared away as unused in the
moment between another process finding it there and referring to it.
"""

from __future__ import annotations

from sqlalchemy import Connection, text

_CONTENTS = 7_246_019
"""An advisory lock's number; any will do, but always this one."""


def refers_to_contents(connection: Connection) -> None:
    """Until this transaction ends, nothing is cleared away; others may refer to contents too."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock_shared(:n)"), {"n": _CONTENTS})


def alone_with_contents(connection: Connection) -> None:
    """Until this transaction ends, nobody refers to contents or clears them away."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:n)"), {"n": _CONTENTS})
