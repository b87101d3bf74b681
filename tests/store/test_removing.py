"""What is deleted is gone with all that only it needed; what is shared stays."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select

from rightcall.core.errors import InputError
from rightcall.records import Golden
from rightcall.store.address import open_store
from rightcall.store.sql import tables

from .builders import a_result, a_run


def rows(store) -> dict[str, int]:
    """How many rows each table has, those that have any."""
    with store.read_transaction() as connection:
        counts = {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in tables.metadata.sorted_tables
            if table.name not in ("about", "metrics")
        }
    return {name: count for name, count in counts.items() if count}


def a_full_run(store, run_id, tools="abc"):
    run = a_run(run_id, fingerprints={"tools": tools})
    writer = store.runs.begin(run, documents={"tools": tools.encode()})
    writer.add_goldens([Golden("shared", id="hue"), Golden(run_id, id="own")])
    writer.add([a_result("hue", passed=False), a_result("own")])
    store.runs.tag(run_id, "t")


def test_deleting_the_only_run_leaves_nothing(store):
    a_full_run(store, "r-1")
    assert [run.results for run in store.runs.delete("r-1")] == [2]
    assert rows(store) == {}


def test_what_another_run_needs_stays(store):
    a_full_run(store, "r-1")
    before = rows(store)
    a_full_run(store, "r-2", tools="other")
    store.runs.delete("r-2")
    assert rows(store) == before
    assert next(store.runs.goldens("r-1", ["hue"]), None) == Golden("shared", id="hue")
    assert store.runs.document("tools", "abc") == b"abc"


def test_a_writer_whose_run_was_deleted_gets_an_error_and_leaves_nothing(store):
    writer = store.runs.begin(a_run("r-1"))
    store.runs.delete("r-1")
    with pytest.raises(InputError, match="was finished or deleted"):
        writer.add([a_result()])
    assert rows(store) == {}


@pytest.fixture
def ten_days(store):
    """A run a day of two suites, seen from the tenth day; the first is tagged, the second was never finished."""
    store.clock = lambda: datetime(2026, 1, 1, tzinfo=UTC)
    for day in range(1, 11):
        name = "odd" if day % 2 else "even"
        store.runs.begin(a_run(f"r-{day:02}", name=name, started_at=f"2026-01-{day:02}T00:00:00.000000Z"))
        if day != 2:
            store.runs.finish(f"r-{day:02}", None)
    store.runs.tag("r-01", "baseline")
    store.clock = lambda: datetime(2026, 1, 10, tzinfo=UTC)
    return store


def ids(runs) -> list[str]:
    return [run.id for run in runs]


def test_the_young_and_the_tagged_are_no_old_runs(ten_days):
    assert ids(ten_days.runs.old_runs(timedelta(days=6.5))) == ["r-02", "r-03"]
    assert ids(ten_days.runs.delete("r-02", "r-03")) == ["r-02", "r-03"]
    assert ids(ten_days.runs.old_runs(timedelta(days=6.5))) == []


def test_a_run_that_may_be_in_progress_is_no_old_run(ten_days):
    ten_days.clock = lambda: datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert "r-02" not in ids(ten_days.runs.old_runs(timedelta(days=-1)))


def test_sqlite_gives_the_space_back(tmp_path):
    store = open_store(tmp_path / "store.db")
    noise = [a_result(f"g-{number}", error="x" * 2000) for number in range(1000)]
    store.runs.begin(a_run("big")).add(noise)
    store.close()
    before = store.file.stat().st_size
    store.runs.delete("big")
    store.close()
    assert store.file.stat().st_size < before / 3
