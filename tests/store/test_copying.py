"""A copy on the other engine is the same store, and so is a copy of the copy."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from rightcall.core.errors import ConfigError, InputError
from rightcall.records import Golden
from rightcall.store.base import Copied
from rightcall.store.sql.copy import copy_store
from rightcall.store.sql.results import export_lines
from tests.support.examples import examples

from .builders import a_result, a_run
from .test_writing import hostile, results


def contents(store) -> dict[str, object]:
    """What a user can read of the runs and datasets."""
    runs = store.runs.page()
    versions = store.datasets.versions()
    return {
        "runs": [msgspec.structs.replace(run, updated_at="") for run in runs],
        "results": [list(export_lines(store.runs.results(run.id, trajectories=True))) for run in runs],
        "goldens": [list(store.runs.goldens(run.id)) for run in runs],
        "documents": [store.runs.document("tools", "abc")],
        "versions": versions,
        "datasets": [list(store.datasets.pull(v.alias, v.version, finalized=False)) for v in versions],
    }


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
    assert elsewhere.runs.get(writer.run_id).run == shared.runs.get(writer.run_id).run


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
