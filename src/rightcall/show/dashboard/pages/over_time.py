"""A suite or a group over time, with the moments its tool definitions changed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from itertools import islice

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rightcall.improve.changes import runs_with_changes, tool_change
from rightcall.run.attacks import attack_numbers
from rightcall.show.dashboard import charts
from rightcall.show.dashboard.charts import Point
from rightcall.show.dashboard.page_renderer import page
from rightcall.show.dashboard.views import state_of, store_of
from rightcall.show.view.summary import ShownRate, run_rate
from rightcall.store.base import RunFilter, StoredRun
from rightcall.store.sql.store import Store

MOST_RUNS = 200
IN_A_LINE = 30


def over_time(request: Request) -> Response:
    """The chart and the runs it is made of; without a name, every suite to choose from."""
    store, which = store_of(request), filter_from_url(request)
    if which == RunFilter():
        overview = store.runs.overview()
        return page(request, "over_time_choose.html", suites=overview.suites, groups=overview.groups)
    newest_runs = store.runs.page(which, limit=MOST_RUNS)
    marks = runs_with_changes(newest_runs[::-1])
    changes = {
        run.id: tool_change(store.tools_of(marks[run.id]), store.tools_of(run))
        for run in newest_runs
        if run.id in marks
    }
    return page(
        request,
        "over_time.html",
        which=which,
        rows=[(run, state_of(run), changes.get(run.id)) for run in newest_runs],
        points=len(points_of(newest_runs)),
        attacked=asr_of(store, newest_runs),
        query={"suite": which.name, "group": which.group, "agent": which.agent},
        most=MOST_RUNS,
    )


def trend(request: Request) -> Response:
    points = points_of(store_of(request).runs.page(filter_from_url(request), limit=MOST_RUNS))
    return charts.answer(request, lambda theme: charts.trend(points, theme, narrow=charts.is_narrow(request)))


def asr_trend(request: Request) -> Response:
    """The attack success rate of the newest runs with attacks, up to its exact bound."""
    store = store_of(request)
    runs = store.runs.page(filter_from_url(request), limit=MOST_RUNS)
    rates = asr_of(store, runs)
    points = [
        Point(run.id, run.run.started_at, run.run.agent, rates[run.id], False)
        for run in reversed(runs)
        if run.id in rates
    ]
    of = "attacks that moved the agent"
    return charts.answer(
        request, lambda theme: charts.trend(points, theme, narrow=charts.is_narrow(request), of=of)
    )


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
    return ShownRate(rate.count, rate.n, rate.value, rate.low, rate.upper)


def line(request: Request) -> Response:
    """A sparkline for a list: the newest runs only."""
    points = points_of(store_of(request).runs.page(filter_from_url(request), limit=IN_A_LINE))
    return charts.answer(request, lambda theme: charts.line(points, theme))


def filter_from_url(request: Request) -> RunFilter:
    query = request.query_params
    return RunFilter(name=query.get("suite", ""), group=query.get("group", ""), agent=query.get("agent", ""))


def points_of(newest_first: list[StoredRun]) -> list[Point]:
    """A point for each run with results, oldest first."""
    judged = [run for run in reversed(newest_first) if run.judged]
    marks = runs_with_changes(judged)
    return [
        Point(run.id, run.run.started_at, run.run.agent, run_rate(run), run.id in marks) for run in judged
    ]


routes = [
    Route("/over-time", over_time),
    Route("/over-time/trend.svg", trend),
    Route("/over-time/asr.svg", asr_trend),
    Route("/over-time/line.svg", line),
]
