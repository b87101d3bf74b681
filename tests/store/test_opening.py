"""A store is opened by path or URL; nothing is made by looking."""

from __future__ import annotations

import subprocess
import sys

import pytest

from rightcall.core.errors import ConfigError, InfrastructureError, InputError, MissingExtraError
from rightcall.store.address import open_store, store_address


def test_the_default_store_is_made_when_it_is_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RIGHTCALL_STORE", raising=False)
    open_store().close()
    assert (tmp_path / ".rightcall" / "rightcall.db").exists()


def test_reading_a_missing_store_says_how_to_create_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RIGHTCALL_STORE", raising=False)
    with pytest.raises(InputError, match="no store found; the first `rightcall run` creates it"):
        open_store(must_exist=True)
    assert list(tmp_path.iterdir()) == []


def test_the_environment_names_another_store(tmp_path, monkeypatch):
    monkeypatch.setenv("RIGHTCALL_STORE", str(tmp_path / "team.db"))
    with open_store() as store:
        assert store.name == str(tmp_path / "team.db")


def test_importing_makes_no_file_and_needs_no_database(tmp_path):
    code = "import sys, rightcall.store, rightcall.cli.runs; sys.exit('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False).returncode == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", ["mysql://host/db", "sqlite://", "sqlite:///:memory:", ":memory:"])
def test_an_address_that_cannot_be_a_store_is_refused(address, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"use a file \(results\.db\)"):
        open_store(address)
    assert list(tmp_path.iterdir()) == []


def test_urls_of_postgresql_are_taken_in_every_spelling():
    for scheme in ("postgres", "postgresql", "postgresql+psycopg"):
        assert store_address(f"{scheme}://ann@host/db").url == "postgresql+psycopg://ann@host/db"


def test_a_password_is_never_shown():
    address = store_address("postgresql://ann:s3cret@host:5433/db")
    assert address.shown == "postgresql+psycopg://ann:***@host:5433/db"


def test_a_server_that_does_not_answer_is_an_infrastructure_error():
    with pytest.raises(InfrastructureError, match="check that the server is running") as caught:
        open_store("postgresql://ann:s3cret@127.0.0.1:1/db")
    assert "s3cret" not in str(caught.value)


def test_a_file_that_is_something_else_is_left_alone(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("this is no database, and it is long enough to be sure of it" * 20)
    with pytest.raises(InfrastructureError, match="file is not a database; the file is not a store"):
        open_store(file)
    assert file.read_text().startswith("this is no database")


def test_a_path_may_hold_what_means_something_in_a_url(tmp_path):
    file = tmp_path / "a?b#c%41" / "store.db"
    open_store(file).close()
    assert file.exists()


def test_postgresql_without_its_driver_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r'pip install "rightcall\[postgres\]"'):
        open_store("postgresql://ann@host/db")


def test_a_folder_is_not_a_store(tmp_path):
    with pytest.raises(InputError, match="is a folder; a store is a file"):
        open_store(tmp_path)


def test_an_open_store_is_not_an_address(tmp_path):
    with open_store(tmp_path / "s.db") as store, pytest.raises(ConfigError, match=r"use `store\.name`"):
        open_store(store)


def test_a_signal_while_a_connection_closes_prints_no_traceback(tmp_path):
    """As SIGTERM does at any moment: the exception ends the command, and its sentence is all that is printed."""
    program = (
        "from rightcall.store.address import open_store\n"
        "from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite as dialect\n"
        f"store = open_store({str(tmp_path / 's.db')!r})\n"
        "store.__enter__()\n"
        "def interrupted(self, connection):\n"
        "    raise KeyboardInterrupt\n"
        "dialect.do_close = interrupted\n"
        "try:\n"
        "    store.engine.dispose()\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout, "Traceback" in done.stderr) == ("interrupted\n", False), done.stderr
