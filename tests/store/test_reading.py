"""Runs and results are found by what a user types, in pages, in an order that never varies."""

from __future__ import annotations

import pytest

from rightcall.core.errors import InputError
from rightcall.records import Golden, Score
from rightcall.store.base import ResultFilter, RunFilter

from .builders import a_result, a_run


@pytest.fixture
def five(store):
    """Five runs on five days."""
    for day in range(1, 6):
        store.runs.begin(
            a_run(
                f"r-{day}{day}%x",
                started_at=f"2026-01-0{day}T00:00:00.000000Z",
                name="weather" if day < 4 else "files",
                group="nightly" if day % 2 else "",
                agent=f"model-{day}",
            )
        )
    return store


def test_a_run_is_found_by_id_beginning_or_as_last(five):
    assert five.runs.get("r-22%x").id == "r-22%x"
    assert five.runs.get("r-3").id == "r-33%x"
    assert five.runs.get("last").id == "r-55%x"


def test_an_ambiguous_or_unknown_run_is_a_helpful_error(five):
    with pytest.raises(InputError, match=r"several runs match: r-55%x, r-44%x.*use more of the id"):
        five.runs.get("r-")
    with pytest.raises(InputError, match=r"no run matches 'r-11%z'; did you mean 'r-11%x'\?"):
        five.runs.get("r-11%z")
    with pytest.raises(InputError, match="see `rightcall runs list`"):
        five.runs.get("")


def test_an_empty_store_says_how_to_fill_it(store):
    with pytest.raises(InputError, match="no runs in the store yet; start one with `rightcall run SUITE`"):
        store.runs.get("last")
    assert store.runs.page() == []


def test_runs_come_newest_first_in_pages(five):
    first = [run.id for run in five.runs.page(limit=2)]
    second = [run.id for run in five.runs.page(limit=3, after=first[-1])]
    assert first + second == [f"r-{day}{day}%x" for day in (5, 4, 3, 2, 1)]


@pytest.mark.parametrize(
    ("which", "days"),
    [
        (RunFilter(name="files"), "54"),
        (RunFilter(group="nightly"), "531"),
        (RunFilter(agent="model-2"), "2"),
        (RunFilter(text="MODEL-3"), "3"),
        (RunFilter(text="1%"), "1"),
        (RunFilter(tag="kept"), "4"),
        (RunFilter(state="finished"), "1"),
        (RunFilter(state="unfinished", name="weather"), "32"),
        (RunFilter(since="2026-01-02", until="2026-01-04"), "32"),
    ],
)
def test_runs_can_be_narrowed(five, which, days):
    five.runs.tag("r-44%x", "kept")
    five.runs.finish("r-11%x", None)
    assert [run.id for run in five.runs.page(which)] == [f"r-{day}{day}%x" for day in days]


@pytest.fixture(scope="module")
def mixed(shared):
    """A run whose results finished in no order."""
    writer = shared.runs.begin(a_run("mixed"))
    writer.add_goldens([Golden(f"Weather in {city}?", id=city) for city in ("hue", "hanoi", "Zürich", "a%b")])
    writer.add([a_result("hue", 1), a_result("a%b", category="negative")])
    writer.add([a_result("hue", 0, passed=False), a_result("Zürich", error="timeout")])
    slow = {"overall": Score(1.0, True), "latency": Score(0.0, False, "slow")}
    writer.add([a_result("hanoi", metrics=slow)])
    return shared


def test_results_come_by_golden_and_trial_by_code_point(mixed):
    expected = [("Zürich", 0), ("a%b", 0), ("hanoi", 0), ("hue", 0), ("hue", 1)]
    assert [(r.golden_id, r.trial) for r in mixed.runs.results("mixed")] == expected
    assert list(mixed.runs.result_keys("mixed")) == expected


def test_results_come_in_pages(mixed):
    first = list(mixed.runs.results("mixed", limit=3))
    rest = list(mixed.runs.results("mixed", limit=3, after=(first[-1].golden_id, first[-1].trial)))
    assert [*first, *rest] == list(mixed.runs.results("mixed"))


@pytest.mark.parametrize(
    ("which", "goldens"),
    [
        (ResultFilter(outcome="failed"), ["hue"]),
        (ResultFilter(outcome="error"), ["Zürich"]),
        (ResultFilter(outcome="passed"), ["a%b", "hanoi", "hue"]),
        (ResultFilter(category="negative"), ["a%b"]),
        (ResultFilter(code="wrong_value"), ["hue"]),
        (ResultFilter(tool="get_weather"), ["hue"]),
        (ResultFilter(tool="other"), []),
        (ResultFilter(failed_metric="latency"), ["hanoi"]),
        (ResultFilter(text="in hano"), ["hanoi"]),
        (ResultFilter(text="%"), ["a%b"]),
        (ResultFilter(golden_id="hue"), ["hue", "hue"]),
    ],
)
def test_results_can_be_narrowed(mixed, which, goldens):
    assert [r.golden_id for r in mixed.runs.results("mixed", which)] == goldens
    assert mixed.runs.count("mixed", which) == len(goldens)


def test_trajectories_come_only_when_asked_for(mixed):
    assert all(r.trajectory is None for r in mixed.runs.results("mixed"))
    assert all(r.trajectory is not None for r in mixed.runs.results("mixed", trajectories=True))


def test_a_case_is_golden_and_trials(mixed):
    case = mixed.runs.case("mixed", "hue")
    assert case.golden == Golden("Weather in hue?", id="hue")
    assert [r.passed for r in case.results] == [False, True]


def test_a_case_that_is_not_there_is_an_error(mixed):
    with pytest.raises(InputError, match="run mixed: has no result for golden 'hui'"):
        mixed.runs.case("mixed", "hui")


def test_codes_are_counted(mixed):
    assert mixed.runs.failures("mixed").code_counts() == {"wrong_value": 1}


def test_a_run_can_be_read_while_it_is_written(stores):
    url = stores.url()
    writer = stores.open(url).runs.begin(a_run("live"))
    reader = stores.open(url)
    writer.add([a_result(f"g-{number:04}") for number in range(600)])
    stream = reader.runs.results("live")
    first = next(stream)
    writer.add([a_result(f"g-{number:04}") for number in range(600, 700)])
    assert [first, *stream][-1].golden_id == "g-0699"


def branched(store, run_id, day, branch, *, finished=True, **fields):
    run = a_run(run_id, started_at=f"2026-02-0{day}T00:00:00Z", versions={"git_branch": branch}, **fields)
    store.runs.begin(run)
    if finished:
        store.runs.finish(run.id, None, "PASS")
    return run


def test_a_run_is_found_counted_back_from_the_last(five):
    ids = [run.id for run in five.runs.page()]
    assert [five.runs.get(f"last~{i}").id for i in range(5)] == ids
    with pytest.raises(InputError, match="the store has fewer runs"):
        five.runs.get("last~5")


def test_a_tag_or_a_branch_names_its_newest_run(store):
    branched(store, "x1", 1, "main")
    branched(store, "x2", 2, "main")
    branched(store, "x3", 3, "feature/y")
    branched(store, "x4", 4, "main", finished=False)
    store.runs.tag("x1", "good")
    assert [store.runs.get(name).id for name in ("main", "feature/y", "good")] == ["x2", "x3", "x1"]


def test_last_and_a_branch_never_mean_a_run_that_only_tried_something(store):
    branched(store, "x1", 1, "main")
    branched(store, "x2", 2, "main", group="weather/improve")
    branched(store, "x3", 3, "main", group="weather/perturb")
    assert [store.runs.get(name).id for name in ("last", "main", "x2")] == ["x1", "x1", "x2"]
    with pytest.raises(InputError, match="the store has fewer runs"):
        store.runs.get("last~1")


def test_seen_from_a_run_names_stand_for_what_was_before_it(store):
    first, second, third = (branched(store, f"x{i}", i, "main") for i in (1, 2, 3))
    store.runs.tag("x1", "good")
    store.runs.tag("x3", "good")
    assert store.runs.get("main", before=third).id == store.runs.get("last~1", before=third).id == second.id
    assert store.runs.get("good", before=third).id == store.runs.get("last~2", before=third).id == first.id
    assert store.runs.get("x3", before=first).id == "x3"  # an id means itself
    with pytest.raises(InputError, match="no run matches"):
        store.runs.get("main", before=first)


def test_goldens_whose_ids_need_escaping_are_listed_walked_and_dropped(store, monkeypatch):
    ids = ["a", "a\x00", "a\x00b", "a\x1a", "a\x1a0", "b"]
    writer = store.runs.begin(a_run("escaped"))
    writer.add([a_result(golden_id, passed=False) for golden_id in ids])
    order = [result.golden_id for result in store.runs.results("escaped")]
    assert sorted(order) == sorted(ids)
    listed = []
    after = None
    while page := store.runs.goldens_page("escaped", ResultFilter(), limit=1, after=after):
        after = page[0]
        listed.append(after.golden_id)
        assert len(listed) <= len(ids)
    assert listed == order
    neighbours = [store.runs.neighbours("escaped", ResultFilter(), golden_id) for golden_id in order]
    assert neighbours == list(zip([None, *order], [*order[1:], None], strict=False))
    monkeypatch.setattr("rightcall.store.sql.failures.AT_ONCE", 1)  # 4 goldens on a page
    assert [count.golden_id for count in store.runs.failures("escaped").trial_counts()] == order
    assert [trial.golden_id for trial in store.runs.failures("escaped").failed_trials()] == order
    writer.add([a_result(golden_id, 1, passed=False, error="no answer") for golden_id in ids])
    assert [writer.drop_errors([golden_id]) for golden_id in ids] == [1] * len(ids)
