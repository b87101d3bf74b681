"""Runs of the same goldens share one copy of them, invisibly."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from sqlalchemy import func, select

from rightcall.records import Golden
from rightcall.store.base import ResultFilter
from rightcall.store.sql import tables
from rightcall.store.sql.copy import copy_store
from tests.support.examples import examples

from .builders import a_result, a_run

SOME = [Golden("Weather in Hue?", id="hue"), Golden("Weather in Hanoi?", id="hanoi")]


def rows(store, table) -> int:
    with store.read_transaction() as connection:
        return connection.execute(select(func.count()).select_from(table)).scalar_one()


def read(store, run) -> list[Golden]:
    return list(store.runs.goldens(run))


def unread():
    raise AssertionError("goldens that are stored are not read again")
    yield


def test_goldens_that_are_stored_are_neither_read_nor_written_again(store):
    first = store.runs.begin(a_run())
    second = store.runs.begin(a_run())
    first.add_goldens(SOME, "fingerprint")
    second.add_goldens(unread(), "fingerprint")
    assert read(store, second.run_id) == read(store, first.run_id) == sorted(SOME, key=lambda g: g.id)
    assert (rows(store, tables.cases), rows(store, tables.golden_sets)) == (2, 1)
    second.add([a_result("hue")])
    assert store.runs.case(second.run_id, "hue").golden == SOME[0]
    assert store.runs.previews(second.run_id, ["hanoi"]) == {"hanoi": "Weather in Hanoi?"}
    assert store.runs.count(second.run_id, ResultFilter(text="in Hue")) == 1


def test_an_interrupted_set_is_completed_and_not_shared_before(store):
    def broken():
        yield SOME[0]
        raise RuntimeError("killed")

    first = store.runs.begin(a_run())
    second = store.runs.begin(a_run())
    with pytest.raises(RuntimeError):
        first.add_goldens(broken(), "fingerprint")
    second.add_goldens(SOME, "fingerprint")
    assert len(read(store, second.run_id)) == 2
    store.runs.resume(first.run_id).add_goldens(unread(), "fingerprint")
    assert len(read(store, first.run_id)) == 2
    assert (rows(store, tables.cases), rows(store, tables.golden_sets)) == (2, 1)


def test_a_golden_added_to_a_shared_set_is_in_one_run_only(store):
    first = store.runs.begin(a_run())
    second = store.runs.begin(a_run())
    for writer in (first, second):
        writer.add_goldens(SOME, "fingerprint")
    second.add_goldens([Golden("And Huế?", id="extra")])
    assert [g.id for g in read(store, first.run_id)] == ["hanoi", "hue"]
    assert [g.id for g in read(store, second.run_id)] == ["extra", "hanoi", "hue"]
    third = store.runs.begin(a_run())
    third.add_goldens(unread(), "fingerprint")
    assert len(read(store, third.run_id)) == 2


steps = st.lists(
    st.tuples(st.sampled_from(["begin", "begin", "extra", "delete"]), st.integers(0, 2), st.booleans()),
    max_size=10,
)


@settings(
    max_examples=examples(60, few=8),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(steps=steps)
def test_whatever_is_begun_added_and_deleted_every_run_keeps_its_goldens_and_nothing_is_left(stores, steps):
    store = stores.open()
    expected = {}
    for number, (step, which, named) in enumerate(steps):
        chosen = sorted(expected)[which % len(expected)] if expected else ""
        goldens = [Golden(f"question {i}", id=f"g-{i}") for i in range(which + 1)]
        if step == "begin":
            writer = store.runs.begin(a_run(f"r-{number}"))
            writer.add_goldens(goldens, f"set-{which}" if named else "")
            expected[writer.run_id] = {g.id for g in goldens}
        elif step == "extra" and chosen:
            store.runs.join(chosen).add_goldens([Golden("more", id=f"extra-{number}")])
            expected[chosen].add(f"extra-{number}")
        elif step == "delete" and chosen:
            store.runs.delete(chosen)
            del expected[chosen]
    assert {run: {g.id for g in read(store, run)} for run in expected} == expected
    for run in expected:
        store.runs.delete(run)
    assert [rows(store, table) for table in (tables.cases, tables.goldens, tables.golden_sets)] == [0, 0, 0]


def test_a_copy_shares_what_was_shared(store, elsewhere):
    for number in range(3):
        writer = store.runs.begin(a_run(f"r-{number}"))
        writer.add_goldens(SOME, "fingerprint")
        writer.add([a_result("hue")])
    copy_store(store, elsewhere)
    assert [read(elsewhere, f"r-{n}") for n in range(3)] == [read(store, f"r-{n}") for n in range(3)]
    assert (rows(elsewhere, tables.cases), rows(elsewhere, tables.golden_sets)) == (2, 1)
