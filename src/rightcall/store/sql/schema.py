"""The version of a store: create it, migrate it, or reject it."""

from __future__ import annotations

import sqlite3
import warnings
from functools import cache
from pathlib import Path

from sqlalchemy import (
    Connection,
    Engine,
    column,
    create_mock_engine,
    delete,
    insert,
    inspect,
    select,
    table,
    text,
)
from sqlalchemy.engine.mock import MockConnection
from sqlalchemy.sql.ddl import BaseDDLElement

from rightcall.core.errors import InputError
from rightcall.store.sql import tables
from rightcall.store.sql.engine import read_transaction, write_transaction

HEAD = "0009"
"""The newest migration; kept here because looking it up imports Alembic, which takes a fifth of a second."""

_OLDER = {f"{number:04}" for number in range(1, int(HEAD))}

VERSION_TABLE = "rightcall_version"
"""Not Alembic's usual name: the database may belong to an application that uses Alembic too."""

_ONE_AT_A_TIME = 7_246_018
"""The advisory lock under which PostgreSQL stores are migrated; arbitrary but fixed."""


def bring_to_head(engine: Engine, name: str, file: Path | None) -> str | None:
    """Create or migrate the store if needed; returns the version it had, None when new."""
    with read_transaction(engine, name) as connection:
        before = version_of(connection)
    if before == HEAD:
        return before
    _refuse_newer(engine, name, before)
    with write_transaction(engine, name) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:n)"), {"n": _ONE_AT_A_TIME})
        if version_of(connection) != HEAD:  # another process may have migrated it
            if before is not None and file is not None:
                backup(file, file.with_name(f"{file.name}.v{before}.bak"))
            if version_of(connection) is None:
                make(connection)
            else:
                upgrade(connection, HEAD)
            _sign(connection)
    return before


def version_of(connection: Connection) -> str | None:
    """The store's version; None when there is nothing in the database yet."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    version = connection.execute(select(column("version_num")).select_from(table(VERSION_TABLE))).scalar()
    return None if version is None else str(version)


def make(connection: Connection) -> None:
    """The tables of a new store, as the migrations would leave them: importing those takes longer than a small run."""
    for statement in _definitions(connection.dialect.name):
        connection.exec_driver_sql(statement)
    if connection.dialect.name == "postgresql":  # these are compressed already
        for name in ("trajectories", "traces", "received"):
            connection.execute(text(f"ALTER TABLE {name} ALTER COLUMN content SET STORAGE EXTERNAL"))
    connection.execute(
        text(
            f"CREATE TABLE {VERSION_TABLE} (version_num VARCHAR(32) NOT NULL, "
            f"CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num))"
        )
    )
    connection.execute(insert(table(VERSION_TABLE, column("version_num"))).values(version_num=HEAD))


@cache
def _definitions(dialect: str) -> tuple[str, ...]:
    """Statements that create the tables and indexes; to work them out takes longer than to execute them."""
    statements: list[str] = []

    def note(element: BaseDDLElement, *_: object, **__: object) -> None:
        statements.append(str(element.compile(dialect=engine.dialect)))

    engine: MockConnection = create_mock_engine(f"{dialect}://", note)
    tables.metadata.create_all(engine, checkfirst=False)
    return tuple(statements)


def upgrade(connection: Connection, version: str) -> None:
    """Run the migrations up to a version inside the caller's transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "rightcall.store:migrations")
    config.attributes["connection"] = connection
    config.attributes["version_table"] = VERSION_TABLE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # hide Alembic's own deprecation warnings
        command.upgrade(config, version)


def backup(file: Path, target: Path) -> None:
    """A copy of a SQLite store that may be in use, including its log."""
    target.touch(0o600)
    source, copy = sqlite3.connect(file), sqlite3.connect(target)
    try:
        source.backup(copy)
    finally:
        source.close()
        copy.close()


def _sign(connection: Connection) -> None:
    """Which RightCall migrated the store, for the error message of older versions."""
    from importlib.metadata import version

    connection.execute(delete(tables.about).where(tables.about.c.name == "written_by"))
    connection.execute(insert(tables.about).values(name="written_by", value=version("rightcall")))


def _refuse_newer(engine: Engine, name: str, version: str | None) -> None:
    if version is None or version in _OLDER:
        return
    signature = select(tables.about.c.value).where(tables.about.c.name == "written_by")
    with read_transaction(engine, name) as connection:
        by = connection.execute(signature).scalar() or "unknown"
    problem = (
        f"this store has version {version} (written by RightCall {by}), "
        f"but this RightCall supports versions up to {HEAD}"
    )
    raise InputError(name, problem, "upgrade RightCall, or choose another store with --store")
