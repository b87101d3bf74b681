"""Datasets are pushed and pulled by alias; a finalized version never changes."""

from __future__ import annotations

import pytest

from rightcall.core.errors import InputError
from rightcall.model import ConversationalGolden, Golden
from rightcall.model.golden import with_id
from rightcall.store.base import DatasetDiff

from .builders import a_run

TWO = [Golden("one", id="a"), Golden("two", id="b")]


def test_a_dataset_comes_back_in_its_order(store):
    goldens = [Golden(f"{number}\x00", id=f"g{number % 7}-{number}") for number in range(1200)]
    goldens.append(ConversationalGolden("She asks twice", id="talk"))
    pushed = store.push_dataset("weather", iter(goldens), author="Ann")
    assert (pushed.version, pushed.goldens, pushed.finalized, pushed.author) == (1, 1201, True, "Ann")
    assert list(store.pull_dataset("weather")) == goldens


def test_goldens_without_an_id_get_one(store):
    store.push_dataset("weather", [Golden("no id")])
    assert list(store.pull_dataset("weather")) == [with_id(Golden("no id"))]


def test_versions_count_up_and_stay(store):
    store.push_dataset("weather", TWO)
    assert store.push_dataset("weather", TWO[:1]).version == 2
    assert list(store.pull_dataset("weather", 1)) == TWO
    assert list(store.pull_dataset("weather")) == TWO[:1]


def test_pushing_the_same_again_makes_no_version(store):
    first = store.push_dataset("weather", TWO)
    assert store.push_dataset("weather", TWO) == first
    assert store.datasets() == [first]


def test_a_draft_is_replaced_until_it_is_finalized(store):
    store.push_dataset("weather", TWO[:1])
    store.push_dataset("weather", TWO, finalized=False)
    draft = store.push_dataset("weather", TWO[::-1], finalized=False)
    assert (draft.version, draft.finalized) == (2, False)
    assert list(store.pull_dataset("weather")) == TWO[:1]
    assert list(store.pull_dataset("weather", finalized=False)) == TWO[::-1]
    assert store.finalize_dataset("weather").finalized
    assert list(store.pull_dataset("weather")) == TWO[::-1]


def test_a_diff_names_what_changed(store):
    store.push_dataset("weather", TWO)
    store.push_dataset("weather", [Golden("two!", id="b"), Golden("three", id="c")])
    assert store.diff_datasets("weather", 1, 2) == DatasetDiff(("c",), ("a",), ("b",))


def test_what_is_not_there_is_an_error_that_helps(store):
    store.push_dataset("weather", TWO, finalized=False)
    with pytest.raises(InputError, match=r"dataset wether: not found in the store; did you mean 'weather'\?"):
        store.dataset("wether")
    with pytest.raises(InputError, match="has only a draft"):
        store.dataset("weather")
    with pytest.raises(InputError, match="has no version 7; the newest is 1"):
        store.dataset("weather", 7)


def test_two_goldens_with_one_id_are_refused_and_nothing_is_kept(store):
    with pytest.raises(InputError, match="duplicate golden id 'a'"):
        store.push_dataset("weather", [TWO[0], Golden("other", id="a")])
    assert store.datasets() == []


def test_a_deleted_run_leaves_the_goldens_of_datasets(store):
    store.push_dataset("weather", TWO)
    store.begin_run(a_run("r")).add_goldens(TWO)
    store.delete_run("r")
    assert list(store.pull_dataset("weather")) == TWO
    assert store.delete_dataset("weather") == 1
    assert store.datasets() == []
