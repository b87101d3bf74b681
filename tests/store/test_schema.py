"""An older store is migrated with a backup, a newer one is refused, and the migrations make the tables we use."""

from __future__ import annotations

import sqlite3
import warnings
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Boolean, MetaData, insert, text, update

from rightcall.core.errors import InputError
from rightcall.model import Golden, Usage
from rightcall.store.address import open_store
from rightcall.store.base import Address, ResultFilter
from rightcall.store.sql import tables
from rightcall.store.sql.copy import copy_store
from rightcall.store.sql.engine import make_engine, write_transaction
from rightcall.store.sql.export import export_lines
from rightcall.store.sql.schema import HEAD, VERSION_TABLE, upgrade

from .builders import a_result

DATA = Path(__file__).parent / "data"
OLD = DATA / "store-0001.sql"


@pytest.fixture
def old(tmp_path):
    """A store as version 0001 wrote it."""
    file = tmp_path / "old.db"
    with sqlite3.connect(file) as connection:
        connection.executescript(OLD.read_text())
    connection.close()
    return file


def by_migrations(stores):
    """A new store that was made by every migration, one after the other."""
    url = stores.url(empty=True)
    with stores.open(url).write_transaction() as connection:
        tables.metadata.drop_all(connection)
        connection.execute(text("DROP TABLE rightcall_version"))
        upgrade(connection, HEAD)
    return stores.open(url)


def test_the_migrations_make_the_tables_we_use(stores):
    with by_migrations(stores).read_transaction() as connection, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # SQLite cannot reflect every index
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "version_table": VERSION_TABLE}
        )
        assert compare_metadata(context, tables.metadata) == []


SCHEMA = {
    "sqlite": [
        "SELECT m.name, c.cid, c.name, c.type, c.[notnull], c.pk FROM sqlite_master m, pragma_table_info(m.name) c",
        "SELECT m.name, i.name, i.[unique], c.name FROM sqlite_master m, pragma_index_list(m.name) i, "
        "pragma_index_info(i.name) c WHERE m.type = 'table'",
        "SELECT name FROM sqlite_master WHERE sql LIKE '%WITHOUT ROWID%'",
    ],
    "postgresql": [
        "SELECT c.relname, a.attnum, a.attname, a.atttypid, a.attnotnull, a.attstorage, a.attcollation "
        "FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = 'public' AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind = 'r'",
        "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'",
    ],
}


def test_a_new_store_is_what_the_migrations_would_have_made(stores):
    found = []
    for store in (stores.open(stores.url(empty=True)), by_migrations(stores)):
        with store.read_transaction() as connection:
            rows = [connection.execute(text(query)).all() for query in SCHEMA[stores.engine]]
        found.append([sorted(map(repr, some)) for some in rows])
    assert found[0] == found[1]


def test_head_is_the_newest_migration():
    import rightcall.store.migrations as migrations

    assert ScriptDirectory(str(Path(migrations.__file__).parent)).get_current_head() == HEAD


def test_an_old_store_is_migrated_with_everything_in_it(old):
    with open_store(old) as store:
        assert store.migrated_from == "0001"
        run, case = store.runs.get("old-run"), store.runs.case("old-run", "hanoi")
        assert (run.results, run.passed, run.usage, run.planned) == (2, 1, Usage(10, 2, 0.5), 2)
        assert case.golden == Golden("Weather in Hanoi?", id="hanoi")
        assert case.results[0].codes[0].actual == "Hue"
        assert (
            store.runs.results_of("old-run", [("hue", 0)], trajectories=True)["hue", 0].trajectory.output
            == "sunny " * 60
        )
        store.runs.tag("old-run", "from version 1")
    with open_store(old) as again:
        assert again.migrated_from == HEAD
        assert again.runs.get("old-run").tags == ("from version 1",)


def test_a_backup_of_the_old_store_is_kept_next_to_it(old):
    open_store(old).close()
    backup = sqlite3.connect(old.with_name("old.db.v0001.bak"))
    assert backup.execute("SELECT version_num FROM rightcall_version").fetchall() == [("0001",)]
    assert backup.execute("SELECT count(*) FROM results").fetchall() == [(2,)]
    backup.close()


def test_an_old_store_is_migrated_on_every_engine(stores):
    url = stores.url(empty=True)
    store = stores.open(url)  # for its normalized address
    with store.write_transaction() as connection:
        tables.metadata.drop_all(connection)
        connection.execute(text("DROP TABLE rightcall_version"))
        upgrade(connection, "0001")
        connection.execute(insert(tables.documents).values(kind="tools", fingerprint="abc", content=b"x"))
    migrated = stores.open(url)
    assert migrated.migrated_from == "0001"
    with migrated.read_transaction() as connection:
        assert connection.execute(text("SELECT kind FROM documents")).scalars().all() == ["tools"]
    assert migrated.datasets.versions() == []


def with_a_row_a_score(stores):
    """A store as version 0003 wrote it, with one row a score."""
    url = stores.url(empty=True)
    source = sqlite3.connect(":memory:")
    source.executescript((DATA / "store-0003.sql").read_text())
    with stores.open(url).write_transaction() as connection:
        tables.metadata.drop_all(connection)
        connection.execute(text("DROP TABLE rightcall_version"))
        upgrade(connection, "0003")
        found = MetaData()
        found.reflect(connection)
        for table in found.sorted_tables:
            names = [column.name for column in table.columns]
            rows = source.execute(f"SELECT {', '.join(names)} FROM {table.name}").fetchall()
            if rows and table.name != VERSION_TABLE:
                flags = [isinstance(column.type, Boolean) for column in table.columns]
                values = [
                    [bool(v) if flag else v for v, flag in zip(row, flags, strict=True)] for row in rows
                ]
                connection.execute(insert(table), [dict(zip(names, row, strict=True)) for row in values])
        if stores.engine == "postgresql":
            for table, number in (("results", "id"), ("runs", "key"), ("metrics", "key")):
                connection.execute(
                    text(f"SELECT setval(pg_get_serial_sequence('{table}', '{number}'), 1000)")
                )
    source.close()
    return url


def test_scores_of_an_old_store_are_packed_and_read_as_they_were(stores):
    store = stores.open(with_a_row_a_score(stores))
    assert store.migrated_from == "0003"
    assert (
        b"".join(export_lines(store.runs.results("old-run", trajectories=True)))
        == (DATA / "store-0003.jsonl").read_bytes()
    )
    assert [r.trial for r in store.runs.results("old-run", ResultFilter(failed_metric="call_f1"))] == [1]
    assert store.runs.count("old-run", ResultFilter(failed_metric="judge")) == 1
    assert store.runs.count("old-run", ResultFilter(failed_metric="latency")) == 0
    assert store.runs.resume("old-run").add([a_result("new")]) == {("new", 0)}


def test_a_migrated_store_copies_to_the_other_engine(stores, elsewhere):
    store = stores.open(with_a_row_a_score(stores))
    elsewhere.metric_keys(["latency", "something else"])  # so that numbers differ
    copy_store(store, elsewhere)
    assert list(export_lines(elsewhere.runs.results("old-run", trajectories=True))) == list(
        export_lines(store.runs.results("old-run", trajectories=True))
    )
    failed = ResultFilter(failed_metric="call_f1")
    assert [r.trial for r in elsewhere.runs.results("old-run", failed)] == [1]


def test_a_newer_store_is_refused_in_a_sentence(stores):
    url = stores.url(empty=True)
    with stores.open(url).write_transaction() as connection:
        connection.execute(text("UPDATE rightcall_version SET version_num = '9999'"))
        connection.execute(update(tables.about).values(value="99.1"))
    with pytest.raises(InputError, match=r"version 9999 \(written by RightCall 99.1\).*upgrade RightCall"):
        open_store(url)


def test_a_migration_that_fails_leaves_the_store_as_it_was(old):
    engine = make_engine(Address(old))
    with pytest.raises(RuntimeError), write_transaction(engine, "old") as connection:
        upgrade(connection, HEAD)
        raise RuntimeError
    with write_transaction(engine, "old") as connection:
        assert connection.execute(text("SELECT version_num FROM rightcall_version")).scalar() == "0001"
        assert connection.execute(text("SELECT name FROM sqlite_master WHERE name = 'notes'")).all() == []
    engine.dispose()
