"""Two runs golden by golden, lists of what there is, and the way from one result to the next."""

from __future__ import annotations

import pytest

from rightcall.store.base import ComparedCase, ResultFilter
from tests.store.builders import a_result, a_run


def write(store, outcomes, **fields):
    """A run with these results: `{"golden": "pf!"}` is one that passed, failed and broke."""
    writer = store.runs.begin(a_run(**fields))
    writer.add(
        [
            a_result(golden, trial, passed=mark == "p", error="down" if mark == "!" else "")
            for golden, marks in outcomes.items()
            for trial, mark in enumerate(marks)
        ]
    )
    return writer.run_id


def test_each_golden_is_fixed_broken_or_as_it_was(shared):
    before = write(shared, {"a": "f", "b": "p", "c": "p", "d": "f", "e": "p", "g": "!"})
    after = write(shared, {"a": "p", "b": "f", "c": "p", "d": "f", "f": "p", "g": "p"})
    words = {case.golden_id: case.change for case in shared.runs.compare(before, after).page()}
    assert words == {
        "a": "fixed",
        "b": "broken",
        "c": "passing",
        "d": "failing",
        "e": "removed",
        "f": "added",
        "g": "unjudged",
    }
    assert shared.runs.compare(before, after).counts() == dict.fromkeys(words.values(), 1)


def test_a_golden_passes_when_at_least_half_of_its_judged_trials_did(shared):
    before = write(shared, {"a": "pff", "b": "pf!"})
    after = write(shared, {"a": "pp!", "b": "fpf"})
    assert shared.runs.compare(before, after).page() == [
        ComparedCase("a", "fixed", 1, 3, 2, 2),
        ComparedCase("b", "broken", 1, 2, 1, 3),
    ]


def test_pages_of_one_change_follow_each_other(shared):
    goldens = [f"g{n:02}" for n in range(7)]
    before = write(shared, dict.fromkeys(goldens, "f"))
    after = write(shared, dict.fromkeys(goldens, "p"))
    first = shared.runs.compare(before, after).page("fixed", limit=4)
    rest = shared.runs.compare(before, after).page("fixed", limit=4, beyond=first[-1].golden_id)
    assert [case.golden_id for case in first + rest] == goldens
    assert shared.runs.compare(before, after).page("broken") == []


def test_a_run_compared_with_itself_is_unchanged(shared):
    run = write(shared, {"a": "p", "b": "f"})
    assert shared.runs.compare(run, run).counts() == {"passing": 1, "failing": 1}


def test_suites_agents_and_groups_are_listed(store):
    write(store, {}, name="one", agent="x", group="g", started_at="2026-01-01T00:00:00Z")
    write(store, {}, name="two", agent="y", started_at="2026-01-03T00:00:00Z")
    write(store, {}, name="one", agent="x", started_at="2026-01-02T00:00:00Z")
    assert [(suite.name, suite.runs) for suite in store.runs.overview().suites] == [("two", 1), ("one", 2)]
    assert store.runs.overview().suites[1].last_started_at == "2026-01-02T00:00:00Z"
    assert (store.runs.overview().agents, store.runs.overview().groups) == (["x", "y"], ["g"])


def test_neighbours_are_those_of_the_filtered_list(shared):
    run = write(shared, {"a": "p", "b": "pf", "c": "p", "d": "f"})
    failed = ResultFilter(outcome="failed")
    assert shared.runs.neighbours(run, failed, "b") == (None, "d")
    assert shared.runs.neighbours(run, failed, "c") == ("b", "d")
    assert shared.runs.neighbours(run, ResultFilter(), "d") == ("b", "a")
    assert shared.runs.neighbours(run, ResultFilter(), "c") == ("a", None)


@pytest.mark.parametrize("limit", [1, 2, 3, 100])
@pytest.mark.parametrize("which", [ResultFilter(), ResultFilter(outcome="passed"), ResultFilter(text="b")])
@pytest.mark.parametrize("dangerous", [[], ["bb", "d", "f"]])
def test_every_golden_is_listed_once_and_walking_the_list_gives_the_same_order(
    shared, which, limit, dangerous
):
    run = write(shared, {"a": "p", "b": "pf", "bb": "!p", "c": "!", "d": "ff", "e": "f!", "f": "pp"})
    pages = []
    after = None
    while page := shared.runs.goldens_page(run, which, limit=limit, after=after, dangerous=dangerous):
        pages += page
        after = page[-1]
    ids = [each.golden_id for each in pages]
    rank = {"danger": -1, "failed": 0, "error": 1, "passed": 2}
    assert len(set(ids)) == len(ids)
    assert pages == sorted(pages, key=lambda each: (rank[each.part], each.golden_id))
    wanted = {result.golden_id for result in shared.runs.results(run, which)}
    assert set(ids) == wanted
    assert [golden.golden_id for golden in pages if golden.part == "danger"] == sorted(
        {*dangerous} & set(ids)
    )
    walked = [shared.runs.neighbours(run, which, golden_id, dangerous) for golden_id in ids]
    assert walked == list(zip([None, *ids[:-1]], [*ids[1:], None], strict=True))
