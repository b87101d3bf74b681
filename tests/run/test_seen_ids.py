"""Ids that a dataset uses twice, found in a few bytes an id."""

import tracemalloc

import pytest
from hypothesis import given, strategies as st

from rightcall.datasets.goldens import SeenIds


@given(st.lists(st.tuples(st.text(max_size=2), st.sampled_from(["a.jsonl", "b:c.jsonl", "golden 'x'"]))))
def test_the_first_use_of_an_id_is_named_whatever_came_between(rows):
    seen, first = SeenIds(), {}
    for line, (name, file) in enumerate(rows):
        where = f"{file}:{line}" if file.endswith("jsonl") else file
        assert seen.first(name, where) == first.get(name)
        first.setdefault(name, where)


def test_every_one_of_many_duplicates_is_found_where_it_was():
    seen = SeenIds()
    assert all(seen.first(f"g{i}", f"a.jsonl:{i + 1}") is None for i in range(5000))
    assert all(seen.first(f"g{i}", "a.jsonl:9999") == f"a.jsonl:{i + 1}" for i in range(5000))


@pytest.mark.stories
def test_a_hundred_thousand_ids_take_no_more_than_forty_bytes_each():
    tracemalloc.start()
    seen = SeenIds()
    for i in range(100_000):
        seen.first(f"category/name-{i}", f"a.jsonl:{i + 1}")
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 40 * 100_000
