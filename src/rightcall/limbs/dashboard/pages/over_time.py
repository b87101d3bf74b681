"""A suite or a group over time, with the moments its tool definitions changed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rightcall.core.text import percent_interval
from rightcall.improve.changes import runs_with_changes, tool_change
from rightcall.limbs.dashboard.page_renderer import page
from rightcall.limbs.dashboard.views import store_of
from rightcall.run.attacks import attack_numbers
from rightcall.show.case_elements import Node
from rightcall.show.charts import Point, line, trend
from rightcall.show.view.summary import ShownRate, run_rate, state_of
from rightcall.store.base import RunFilter, StoredRun
from rightcall.store.sql.store import Store

MOST_RUNS = 200
IN_A_LINE = 30
MOST_LINES = 50


def over_time(request: Request) -> Response:
    """The chart and the runs it is made of; without a name, every suite to choose from."""
    store = store_of(request)
    which = filter_from_url(request)
    if which == RunFilter():
        overview = store.runs.overview()
        lines = {
            suite.name: line(newest_points(store, RunFilter(name=suite.name)))
            for suite in overview.suites[:MOST_LINES]
        }
        return page(
            request, "over_time_choose.html", suites=overview.suites, groups=overview.groups, lines=lines
        )
    newest_runs = store.runs.page(which, limit=MOST_RUNS)
    marks = runs_with_changes(newest_runs[::-1])
    changes = {
        run.id: tool_change(store.tools_of(marks[run.id]), store.tools_of(run))
        for run in newest_runs
        if run.id in marks
    }
    rates = asr_of(store, newest_runs)
    attacks = [
        Point(run.id, run.run.started_at, run.run.agent, rates[run.id], tools_changed=False)
        for run in reversed(newest_runs)
        if run.id in rates
    ]
    return page(
        request,
        "over_time.html",
        which=which,
        rows=[(run, state_of(run), changes.get(run.id)) for run in newest_runs],
        passing=_trends(points_of(newest_runs), "cases that passed"),
        attacks=_trends(attacks, "attacks that were obeyed"),
        attacked=rates,
        most=MOST_RUNS,
    )


def _trends(points: list[Point], of: str) -> list[Node]:
    """The chart twice: for a wide page, and for a phone."""
    return [trend(points, of), trend(points, of, narrow=True)] if points else []


def asr_of(store: Store, runs: Iterable[StoredRun]) -> dict[str, ShownRate]:
    """The attack success rate of each finished run that has one, with the exact upper bound, by the run's id."""
    attacked = (run for run in runs if run.run.summary is not None and run.run.summary.about_safety)
    rates = {run.id: _asr(store, run.id) for run in islice(attacked, IN_A_LINE)}
    return {run: rate for run, rate in rates.items() if rate is not None}


@lru_cache(maxsize=500)
def _asr(store: Store, run: str) -> ShownRate | None:
    """A finished run does not change."""
    numbers = attack_numbers(store, run)
    rate = numbers.asr if numbers is not None else None
    if rate is None or rate.value is None or rate.low is None or rate.upper is None:
        return None
    between = percent_interval(rate.low, rate.upper)
    return ShownRate(rate.count, rate.n, rate.value, low=rate.low, high=rate.upper, range=between)


def newest_points(store: Store, which: RunFilter) -> list[Point]:
    """The newest runs only, for a line in a list."""
    return points_of(store.runs.page(which, limit=IN_A_LINE))


def filter_from_url(request: Request) -> RunFilter:
    query = request.query_params
    return RunFilter(name=query.get("suite", ""), group=query.get("group", ""), agent=query.get("agent", ""))


def points_of(newest_first: list[StoredRun]) -> list[Point]:
    """A point for each run with results, oldest first."""
    judged = [run for run in reversed(newest_first) if run.judged]
    marks = runs_with_changes(judged)
    return [
        Point(run.id, run.run.started_at, run.run.agent, run_rate(run), tools_changed=run.id in marks)
        for run in judged
    ]


routes = [
    Route("/over-time", over_time),
]
