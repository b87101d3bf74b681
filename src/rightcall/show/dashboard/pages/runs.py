"""The list of runs: search, filters, tags, and a sparkline for each suite."""

from __future__ import annotations

from typing import Literal

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rightcall.show.dashboard.page_renderer import page
from rightcall.show.dashboard.views import state_of, store_of
from rightcall.store.base import RunFilter
from rightcall.store.sql.store import Store

ON_A_PAGE = 50
SUITES_SHOWN = 4
AGENTS_SHOWN = 3
RUNS_READ = 30
STATES: dict[str, Literal["finished", "unfinished"]] = {"finished": "finished", "unfinished": "unfinished"}


def runs(request: Request) -> Response:
    store, query = store_of(request), request.query_params
    which = filter_of(dict(query))
    page_runs = store.runs.page(which, limit=ON_A_PAGE + 1, after=query.get("after") or None)
    shown = page_runs[:ON_A_PAGE]
    overview = store.runs.overview()
    suites = overview.suites
    lines = [] if which != RunFilter() or query.get("after") else suites[:SUITES_SHOWN]
    return page(
        request,
        "runs.html",
        rows=[(run, state_of(run)) for run in shown],
        which=which,
        narrowed=which != RunFilter(),
        suites=suites,
        lines=lines,
        newest={
            suite.name: store.runs.page(RunFilter(name=suite.name), limit=1)
            for suite in suites[:SUITES_SHOWN]
        },
        by_agent={suite.name: agents_of(store, suite.name) for suite in lines},
        agents=overview.agents,
        tags=overview.tags,
        after=shown[-1].id if len(page_runs) > ON_A_PAGE else None,
        first=not query.get("after"),
        query={name: value for name, value in query.items() if name != "after"},
    )


def agents_of(store: Store, suite: str) -> list[str]:
    """The agents of the newest runs of a suite, the one that ran last first."""
    newest = store.runs.page(RunFilter(name=suite), limit=RUNS_READ)
    return list(dict.fromkeys(run.run.agent for run in newest))[:AGENTS_SHOWN]


def filter_of(query: dict[str, str]) -> RunFilter:
    """The filter of a URL; an unknown state is ignored."""
    fields = {name: query.get(name, "").strip() for name in ("name", "group", "agent", "tag", "text")}
    return RunFilter(**fields, state=STATES.get(query.get("state", ""), "any"))


routes = [Route("/runs", runs)]
