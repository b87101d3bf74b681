"""The version of a store: create it, or reject one of another version."""

from __future__ import annotations

from functools import cache

from sqlalchemy import Connection, Engine, column, create_mock_engine, insert, inspect, select, table, text
from sqlalchemy.engine.mock import MockConnection
from sqlalchemy.sql.ddl import BaseDDLElement

from rightcall.core.errors import InputError
from rightcall.store.sql import tables
from rightcall.store.sql.engine import read_transaction, write_transaction

VERSION = "1"
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
