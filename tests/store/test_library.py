"""Datasets are pushed and pulled by alias; a finalized version never changes."""

from __future__ import annotations

import pytest

from rightcall.core.errors import InputError
from rightcall.records import ConversationalGolden, Golden
from rightcall.records.golden import with_id
from rightcall.store.base import DatasetDiff

from .builders import a_run

TWO = [Golden("one", id="a"), Golden("two", id="b")]


def test_a_dataset_comes_back_in_its_order(store):
    goldens = [Golden(f"{number}\x00", id=f"g{number % 7}-{number}") for number in range(1200)]
    goldens.append(ConversationalGolden("She asks twice", id="talk"))
    pushed = store.datasets.push("weather", iter(goldens), author="Ann")
    assert (pushed.version, pushed.goldens, pushed.finalized, pushed.author) == (1, 1201, True, "Ann")
    assert list(store.datasets.pull("weather")) == goldens


def test_goldens_without_an_id_get_one(store):
    store.datasets.push("weather", [Golden("no id")])
    assert list(store.datasets.pull("weather")) == [with_id(Golden("no id"))]


def test_versions_count_up_and_stay(store):
    store.datasets.push("weather", TWO)
    assert store.datasets.push("weather", TWO[:1]).version == 2
    assert list(store.datasets.pull("weather", 1)) == TWO
    assert list(store.datasets.pull("weather")) == TWO[:1]


def test_pushing_the_same_again_makes_no_version(store):
    first = store.datasets.push("weather", TWO)
    assert store.datasets.push("weather", TWO) == first
    assert store.datasets.versions() == [first]


def test_a_draft_is_replaced_until_it_is_finalized(store):
    store.datasets.push("weather", TWO[:1])
    store.datasets.push("weather", TWO, finalized=False)
    draft = store.datasets.push("weather", TWO[::-1], finalized=False)
    assert (draft.version, draft.finalized) == (2, False)
    assert list(store.datasets.pull("weather")) == TWO[:1]
    assert list(store.datasets.pull("weather", finalized=False)) == TWO[::-1]
    final = store.datasets.finalize_accepted("weather", lambda _: True, lambda _: False)
    assert final.finalized and list(store.datasets.pull("weather")) == TWO[::-1]


def test_a_diff_names_what_changed(store):
    store.datasets.push("weather", TWO)
    store.datasets.push("weather", [Golden("two!", id="b"), Golden("three", id="c")])
    assert store.datasets.diff("weather", 1, 2) == DatasetDiff(("c",), ("a",), ("b",))


def test_what_is_not_there_is_an_error_that_helps(store):
    store.datasets.push("weather", TWO, finalized=False)
    with pytest.raises(InputError, match=r"dataset wether: not found in the store; did you mean 'weather'\?"):
        store.datasets.get("wether")
    with pytest.raises(InputError, match="has only a draft"):
        store.datasets.get("weather")
    with pytest.raises(InputError, match="has no version 7; the newest is 1"):
        store.datasets.get("weather", 7)


def test_two_goldens_with_one_id_are_refused_and_nothing_is_kept(store):
    with pytest.raises(InputError, match="duplicate golden id 'a'"):
        store.datasets.push("weather", [TWO[0], Golden("other", id="a")])
    assert store.datasets.versions() == []


def test_a_deleted_run_leaves_the_goldens_of_datasets(store):
    store.datasets.push("weather", TWO)
    store.runs.begin(a_run("r")).add_goldens(TWO)
    store.runs.delete("r")
    assert list(store.datasets.pull("weather")) == TWO
    assert store.datasets.delete("weather") == 1
    assert store.datasets.versions() == []
