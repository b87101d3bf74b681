"""A row without an id gets the same id whichever way it comes in: as data, in a file, in code."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings, strategies as st

import rightcall as rc
from rightcall.datasets.goldens import load_goldens, save_goldens
from rightcall.laminar import evaluate, goldens_of

names = st.text("abcÄ🙂", min_size=1, max_size=5)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=2),
    max_leaves=4,
)


def some(**fields):
    return st.fixed_dictionaries({}, optional=fields)


targets = st.fixed_dictionaries(
    {
        "data": st.builds(
            lambda prompt, rest: {"prompt": prompt, **rest},
            st.text(max_size=8),
            some(systemPrompt=st.text(max_size=5), tools=st.lists(names, max_size=2), config=some(temperature=st.floats(0, 1))),
        ),
        "target": some(
            expectedTools=st.lists(names, max_size=2), forbiddenTools=st.lists(names, max_size=2),
            category=st.sampled_from(["golden", "secondary", "negative"]),
        ),
    },
    optional={"metadata": some(description=st.text(max_size=5), level=values)},
)  # fmt: skip
arbitrary = st.fixed_dictionaries(
    {"data": values}, optional={"target": values, "metadata": some(description=names, data=values)}
)
rows = st.builds(
    lambda text, rest: {"input": text, **rest},
    st.text(min_size=1, max_size=8),
    some(
        expected_calls=st.lists(st.builds(lambda tool, args: {"tool": tool, "args": args}, names, st.dictionaries(names, values, max_size=2)), min_size=1, max_size=2),
        tags=st.lists(names, min_size=1, max_size=2), category=st.just("secondary"), metadata=st.dictionaries(names, values, min_size=1, max_size=2),
    ),
).filter(lambda row: len(row) > 1 and row.keys() != {"input", "metadata"})  # fmt: skip


def ids(goldens):
    return [golden.id for golden in goldens]


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_a_target_has_one_id_as_data_and_in_every_file(suffix, tmp_path_factory):
    folder = tmp_path_factory.mktemp("targets")

    @settings(max_examples=40)
    @given(targets)
    def law(item):
        path = folder / f"items.{suffix}"
        path.write_text(json.dumps([item] if suffix == "json" else item), "utf-8")
        as_data = ids(goldens_of([item]))
        from_file = ids(goldens_of(path))
        assert as_data == from_file == ids(load_goldens(path))

    law()


@settings(max_examples=40)
@given(arbitrary, arbitrary)
def test_any_data_has_one_id_and_other_data_another(tmp_path_factory, item, other):
    path = tmp_path_factory.mktemp("data") / "items.jsonl"
    path.write_text(json.dumps(item), "utf-8")
    assert ids(goldens_of([item])) == ids(goldens_of(path))
    if json.dumps(item, sort_keys=True) != json.dumps(other, sort_keys=True) and same_metadata(item, other):
        assert ids(goldens_of([item])) != ids(goldens_of([other]))


def same_metadata(item, other):
    """Whether the two differ in data or target, and not only in what those hide of the metadata."""
    return json.dumps([item["data"], item.get("target")]) != json.dumps([other["data"], other.get("target")])


@settings(max_examples=40)
@given(rows)
def test_a_row_has_one_id_in_a_file_and_when_saved_again(tmp_path_factory, row):
    folder = tmp_path_factory.mktemp("rows")
    path = folder / "rows.jsonl"
    path.write_text(json.dumps(row), "utf-8")
    goldens = list(load_goldens(path))
    save_goldens(goldens, folder / "again.json")
    assert ids(load_goldens(folder / "again.json")) == ids(goldens)


def test_a_run_on_data_and_a_run_on_the_file_are_compared_golden_by_golden(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    items = [
        {
            "data": {"prompt": f"Read {n}"},
            "target": {"expectedTools": ["read"]},
            "metadata": {"description": f"#{n}"},
        }
        for n in range(3)
    ]
    (tmp_path / "items.jsonl").write_text("\n".join(map(json.dumps, items)))
    by_data = evaluate(data=items, executor=lambda data: {"toolNames": ["read"]}, store="s.db")
    by_file = rc.evaluate(lambda golden: [rc.ToolCall("read")], "items.jsonl", store="s.db")
    assert [r.golden_id for r in by_data.results] == [r.golden_id for r in by_file.results]
