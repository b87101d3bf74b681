"""Unchecked results in a store: counted apart, on every engine and after a migration."""

from __future__ import annotations

from rightcall.records import Failure
from rightcall.store.base import ResultFilter
from rightcall.store.sql.copy import copy_store

from .builders import a_result, a_run

CODES = (Failure("unknown_tool", "gone"),)
RESULTS = [
    a_result("a"),
    a_result("b", passed=False),
    a_result("p", passed=False, codes=CODES, checked=False),
    a_result("q", passed=False, codes=CODES, checked=False, error="down"),
]


def told(store, run):
    found = store.runs.get(run)
    return (
        found.results,
        found.passed,
        found.judged,
        found.errors,
        found.unchecked,
        store.runs.failures(run).code_counts(),
    )


def test_unchecked_results_are_counted_apart(stores):
    store = stores.open()
    store.runs.begin(a_run("r"), planned=4).add(RESULTS)
    assert told(store, "r") == (4, 1, 2, 0, 2, {"wrong_value": 1})
    assert store.runs.count("r", ResultFilter(outcome="unchecked")) == 2
    assert store.runs.count("r", ResultFilter(code="unknown_tool")) == 0
    assert store.runs.count("r", ResultFilter(outcome="unchecked", code="unknown_tool")) == 2
    assert [(count.golden_id, count.judged) for count in store.runs.failures("r").trial_counts()] == [
        ("a", 1),
        ("b", 1),
    ]
    assert [result.checked for result in store.runs.results("r")] == [True, True, False, False]


def test_an_unchecked_result_without_an_answer_is_tried_again_and_counted_once(stores):
    store = stores.open()
    store.runs.begin(a_run("r"), planned=4).add(RESULTS)
    resumed = store.runs.resume("r")
    assert resumed.drop_errors() == 1 and told(store, "r")[:5] == (3, 1, 2, 0, 1)
    assert resumed.add([a_result("q", passed=False, checked=False)]) == {("q", 0)}
    assert told(store, "r")[:5] == (4, 1, 2, 0, 2)


def test_they_are_copied_to_the_other_engine(stores, elsewhere):
    store = stores.open()
    store.runs.begin(a_run("r"), planned=4).add(RESULTS)
    copy_store(store, elsewhere)
    assert told(elsewhere, "r") == told(store, "r")
