"""The numbers of a run, checked by counting by hand."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given, strategies as st

from rightcall.records import CaseResult, Failure, Tool
from rightcall.records.tool import Annotations
from rightcall.show.view.failures import FailureTally
from rightcall.show.view.run import RunView, cases_of, run_view
from rightcall.show.view.spread import SpreadTally
from tests.show.conftest import Made


@pytest.fixture(scope="module")
def view(varied: Made) -> RunView:
    return run_view(*varied)


def test_errors_are_neither_passed_nor_failed(view: RunView) -> None:
    total = view.summary.total
    assert (total.cases, total.passed, total.errors) == (9, 3, 1)


def test_each_tool_is_counted_by_the_outcome_of_its_calls(view: RunView) -> None:
    tools = {row.name: row for row in view.tools}
    weather = tools["get_weather"]
    numbers = (weather.expected, weather.called, weather.right, weather.wrong_arguments, weather.missed)
    assert numbers == (7, 5, 2, 2, 3)
    assert weather.surplus == 1
    assert weather.mixed_up_with == (("get_forecast", 1),)
    assert view.invented == (("weather_now", 1),)


def test_expected_calls_are_right_wrong_or_missed_and_nothing_else(view: RunView) -> None:
    for row in view.tools:
        assert row.expected == row.right + row.wrong_arguments + row.missed


def test_the_confusion_matrix_has_no_call_and_invented_tool(view: RunView) -> None:
    matrix = view.confusion
    cell = {
        (row, column): matrix.counts[i][j]
        for i, row in enumerate(matrix.rows)
        for j, column in enumerate(matrix.columns)
    }
    assert matrix.columns == ("get_forecast", "get_weather", "no call", "invented tool")
    assert cell["get_weather", "no call"] == cell["get_weather", "invented tool"] == 1
    assert cell["get_weather", "get_forecast"] == cell["no call", "get_weather"] == 1
    assert cell["no call", "no call"] == 1


def test_failures_are_grouped_as_the_summary_counts_them(view: RunView) -> None:
    assert {group.code: group.cases for group in view.failures} == {
        row.code: row.cases for row in view.summary.codes
    }
    group = next(group for group in view.failures if group.code == "wrong_tool")
    assert group.examples[0].golden_id == "other-tool"


def test_every_case_comes_with_its_golden(varied: Made) -> None:
    assert all(golden and golden.id == result.golden_id for golden, result in cases_of(*varied))


@given(st.lists(st.floats(0, 1e9), min_size=2, max_size=60))
def test_quantiles_are_those_of_the_standard_library_and_bins_lose_nothing(values: list[float]) -> None:
    tally = SpreadTally()
    for value in values:
        tally.add(value)
    spread = tally.spread()
    assert spread is not None
    cuts = statistics.quantiles(values, n=100, method="inclusive")
    for name, at in {"p25": 24, "p50": 49, "p95": 94}.items():
        assert spread.quantiles[name] == pytest.approx(cuts[at])
    assert sum(b.count for b in spread.bins) == spread.n == len(values)


def test_rows_of_danger_add_up_to_the_sentence_above_them() -> None:
    erase = Tool("erase", "Erase it.", {"type": "object"}, annotations=Annotations(destructive=True))
    forbidden = Failure("forbidden_call", "erase")
    mistaken = Failure("wrong_tool", "pause", actual="erase")
    tally = FailureTally({"erase": erase})
    tally.add(None, CaseResult("a", 0, False, 0.0, {}, (forbidden, mistaken)))
    tally.add(None, CaseResult("b", 0, False, 0.0, {}, (mistaken,)))
    assert tally.danger() == "DANGER forbidden call in 1 case, destructive mistake in 1 case"
    rows = [(group.code, group.cases, group.danger, group.dangerous) for group in tally.groups()]
    assert rows == [("forbidden_call", 1, "forbidden call", 1), ("wrong_tool", 2, "destructive mistake", 1)]
