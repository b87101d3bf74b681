"""A suite or a group over time, with the moments its tool definitions changed."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rightcall.improve.changes import runs_with_changes, tool_change
from rightcall.show.dashboard import charts
from rightcall.show.dashboard.charts import Point
from rightcall.show.dashboard.page_renderer import page
from rightcall.show.dashboard.views import state_of, store_of
from rightcall.show.view.run_tools import tools_of
from rightcall.show.view.summary import run_rate
from rightcall.store.base import RunFilter, StoredRun

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
        run.id: tool_change(tools_of(store, marks[run.id]), tools_of(store, run))
        for run in newest_runs
        if run.id in marks
    }
    return page(
        request,
        "over_time.html",
        which=which,
        rows=[(run, state_of(run), changes.get(run.id)) for run in newest_runs],
        points=len(points_of(newest_runs)),
        query={"suite": which.name, "group": which.group, "agent": which.agent},
        most=MOST_RUNS,
    )


def trend(request: Request) -> Response:
    """The chart of the page."""
    points = points_of(store_of(request).runs.page(filter_from_url(request), limit=MOST_RUNS))
    return charts.answer(request, lambda theme: charts.trend(points, theme, narrow=charts.is_narrow(request)))


def line(request: Request) -> Response:
    """A sparkline for a list: the newest runs only."""
    points = points_of(store_of(request).runs.page(filter_from_url(request), limit=IN_A_LINE))
    return charts.answer(request, lambda theme: charts.line(points, theme))


def filter_from_url(request: Request) -> RunFilter:
    """The runs selected by the URL."""
    query = request.query_params
    return RunFilter(name=query.get("suite", ""), group=query.get("group", ""), agent=query.get("agent", ""))


def points_of(newest_first: list[StoredRun]) -> list[Point]:
    """A point for each run with results, oldest first."""
    judged = [run for run in reversed(newest_first) if run.judged]
    marks = runs_with_changes(judged)
    return [
        Point(
            run.id,
            run.run.started_at,
            run.run.agent,
            run_rate(run),
            run.id in marks,
        )
        for run in judged
    ]


routes = [
    Route("/over-time", over_time),
    Route("/over-time/trend.svg", trend),
    Route("/over-time/line.svg", line),
]
