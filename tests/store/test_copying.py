"""A copy on the other engine is the same store, and so is a copy of the copy."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from sqlalchemy import select

from rightcall.core.errors import ConfigError, InputError
from rightcall.records import Golden, Trajectory
from rightcall.store.base import Copied
from rightcall.store.sql import tables
from rightcall.store.sql.copy import copy_store
from rightcall.store.sql.export import export_lines
from rightcall.store.watch import KeptTrace, TraceRow
from tests.support.examples import examples

from .builders import a_result, a_run
from .test_writing import hostile, results

NUMBERED = {
    "set_key",
    "golden_set",
    "key",
    "id",
    "run_key",
    "result_id",
    "dataset_key",
    "scores",
}  # scores are under numbers of metrics


def contents(store) -> dict[str, list]:
    """Everything in the store but the numbers that engines give."""
    kept = {}
    with store.read_transaction() as connection:
        for table in tables.metadata.sorted_tables:
            if table.name in ("about", "metrics", "failed_metrics"):
                continue
            columns = [
                c for c in table.columns if c.name not in NUMBERED or (table.name, c.name) == ("runs", "id")
            ]
            rows = connection.execute(select(*columns))
            kept[table.name] = sorted(
                repr([bytes(v) if isinstance(v, memoryview) else v for v in r]) for r in rows
            )
        results = tables.results.c
        failed = tables.failed_metrics.c
        metrics = tables.metrics.c
        named = select(results.golden_id, results.trial, metrics.name).where(
            results.id == failed.result_id, metrics.key == failed.metric_key
        )
        kept["failed_metrics"] = sorted(map(repr, connection.execute(named)))
    kept["results"] += [
        list(export_lines(store.runs.results(run.id, trajectories=True))) for run in store.runs.page()
    ]
    return kept


def filled(store):
    writer = store.runs.begin(
        a_run("r-1", fingerprints={"tools": "abc"}), documents={"tools": b"[]"}, planned=3
    )
    writer.add_goldens([Golden("Weather in Hue?\x00", id="hue"), Golden("And here?", id="hanoi")])
    writer.add(
        [
            a_result("hue"),
            a_result("hanoi", passed=False),
            a_result("hue", 1, error="down", first_request="1:a"),
        ]
    )
    store.runs.finish("r-1", None, "FAIL", finished_at="2026-01-02T04:00:00.000000Z")
    store.runs.begin(a_run("r-2")).add([a_result("hue")])
    store.runs.tag("r-1", "kept")
    store.datasets.push("weather", [Golden(str(number), id=str(number)) for number in range(700)])
    store.datasets.push("weather", [Golden("draft", id="d")], finalized=False)
    return store


def test_everything_survives_the_way_there_and_back(store, elsewhere, stores):
    filled(store)
    assert copy_store(store, elsewhere) == Copied(2, 4, 2)
    back = stores.open()
    copy_store(elsewhere, back)
    assert contents(store) == contents(elsewhere) == contents(back)
    assert list(export_lines(back.runs.results("r-1", trajectories=True))) == list(
        export_lines(store.runs.results("r-1", trajectories=True))
    )
    assert (back.runs.get("r-1"), back.datasets.versions()) == (
        store.runs.get("r-1"),
        store.datasets.versions(),
    )


def test_copying_again_brings_nothing(store, elsewhere):
    copy_store(filled(store), elsewhere)
    before = contents(elsewhere)
    assert copy_store(store, elsewhere) == Copied(0, 0, 0)
    assert contents(elsewhere) == before


def test_a_run_that_went_on_is_completed(store, elsewhere):
    copy_store(filled(store), elsewhere)
    store.runs.resume("r-2").add([a_result("late")])
    store.runs.finish("r-2", None, "PASS")
    assert copy_store(store, elsewhere) == Copied(0, 1, 0)
    assert elsewhere.runs.get("r-2") == store.runs.get("r-2")


@settings(
    max_examples=examples(60, few=6),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    batch=st.lists(results, max_size=3, unique_by=lambda r: (r.golden_id, r.trial)),
    name=hostile,
)
def test_hostile_text_survives_a_copy(shared, elsewhere, batch, name):
    writer = shared.runs.begin(a_run(name=name))
    writer.add(batch)
    copy_store(shared, elsewhere)
    assert list(elsewhere.runs.results(writer.run_id, trajectories=True)) == sorted(
        batch, key=lambda r: (r.golden_id.replace("\x1a", "\x1a1").replace("\x00", "\x1a0"), r.trial)
    )
    assert elsewhere.runs.get(writer.run_id) == shared.runs.get(writer.run_id)


def test_a_store_is_not_copied_onto_itself(stores):
    url = stores.url()
    with pytest.raises(ConfigError, match="the stores are the same"):
        copy_store(stores.open(url), stores.open(url))


def test_versions_that_differ_are_refused_before_anything_is_copied(store, elsewhere):
    filled(store)
    elsewhere.datasets.push("weather", [Golden("other", id="o")])
    with pytest.raises(InputError, match="dataset weather: version 1 differs between"):
        copy_store(store, elsewhere)
    assert elsewhere.runs.page() == []


def test_text_that_needs_escaping_survives_the_copy_of_a_trace(store, elsewhere):
    row = TraceRow("t\x00\x1a", "agent\x00", "1", "", "2026-01-01T00:00:00Z", "in\x00put", 0, None, 0, False)
    store.traces.keep([KeptTrace(row, Trajectory())])
    copy_store(store, elsewhere)
    assert elsewhere.traces.page() == store.traces.page() == [row]
    assert elsewhere.traces.get("t\x00\x1a") == store.traces.get("t\x00\x1a")
