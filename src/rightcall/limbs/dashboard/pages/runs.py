"""The list of runs with search, filters and tags; and a run: its numbers, its cases, and its progress."""

from __future__ import annotations

from typing import Any, Literal, get_args

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

from rightcall.core.text import percent
from rightcall.limbs.dashboard.links import bad_request, posted_fields, run_link
from rightcall.limbs.dashboard.page_renderer import page
from rightcall.limbs.dashboard.pages.over_time import newest_points
from rightcall.limbs.dashboard.views import (
    analysis_of,
    at_hand,
    dangerous_goldens,
    run_from_url,
    store_of,
    view_of,
)
from rightcall.records import Category, Code
from rightcall.run.decisions import evidence_sentences
from rightcall.show.case_elements import Node
from rightcall.show.charts import line
from rightcall.show.view.failures import TITLES, case_names
from rightcall.show.view.grouped_trials import golden_row, with_titles
from rightcall.show.view.summary import run_rate, state_of, summary_view, verdict_reason
from rightcall.store.base import ListedGolden, ListPart, Outcome, ResultFilter, RunFilter, StoredRun
from rightcall.store.sql.store import Store

ON_A_PAGE = 50
FIRST_CASES = 15
"""What follows them on the page of a run stays in reach."""
SUITES_SHOWN = 4
AGENTS_SHOWN = 3
RUNS_READ = 30
STATES: dict[str, Literal["finished", "unfinished"]] = {"finished": "finished", "unfinished": "unfinished"}


def runs(request: Request) -> Response:
    store = store_of(request)
    query = request.query_params
    which = filter_of(dict(query))
    page_runs = store.runs.page(which, limit=ON_A_PAGE + 1, after=query.get("after") or None)
    page_rows = page_runs[:ON_A_PAGE]
    overview = store.runs.overview()
    suites = overview.suites
    lines = [] if which != RunFilter() or query.get("after") else suites[:SUITES_SHOWN]
    return page(
        request,
        "runs.html",
        rows=[(run, state_of(run)) for run in page_rows],
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
        after=page_rows[-1].id if len(page_runs) > ON_A_PAGE else None,
        first=not query.get("after"),
        query={name: value for name, value in query.items() if name != "after"},
    )


def agents_of(store: Store, suite: str) -> list[tuple[str, Node]]:
    """The agents of the newest runs of a suite, each with its line, the one that ran last first."""
    newest = store.runs.page(RunFilter(name=suite), limit=RUNS_READ)
    agents = list(dict.fromkeys(run.run.agent for run in newest))[:AGENTS_SHOWN]
    return [(agent, line(newest_points(store, RunFilter(name=suite, agent=agent)))) for agent in agents]


def filter_of(query: dict[str, str]) -> RunFilter:
    """The filter of a URL; an unknown state is ignored."""
    fields = {name: query.get(name, "").strip() for name in ("name", "group", "agent", "tag", "text")}
    return RunFilter(**fields, state=STATES.get(query.get("state", ""), "any"))


COUNTED = 20_000
"""Cases of a run up to which every filter is counted."""


def run(request: Request) -> Response:
    """The page of a run. Parts that need every case are shown at once for a small run and loaded later for others."""
    stored = run_from_url(request)
    view = view_of(request, stored) if at_hand(request, stored) else None
    summary = stored.run.summary
    return page(
        request,
        "run.html",
        run=stored,
        state=state_of(stored),
        passing=run_rate(stored),
        summary=view.summary if view else summary_view(summary) if summary else None,
        sentence=verdict_reason(summary),
        people=evidence_sentences(store_of(request), stored),
        view=view,
        analysis=analysis_of(request, stored) if view else None,
        **case_list(request, stored),
    )


def insights(request: Request) -> Response:
    """The deferred part of the page."""
    stored = run_from_url(request)
    view = view_of(request, stored)
    analysis = analysis_of(request, stored)
    return page(
        request,
        "run_insights.html",
        run=stored,
        view=view,
        summary=view.summary,
        analysis=analysis,
        deferred=True,
    )


def cases(request: Request) -> Response:
    """The list alone, for a run in progress."""
    stored = run_from_url(request)
    return page(request, "run_cases.html", run=stored, **case_list(request, stored))


def live(request: Request) -> Response:
    stored = run_from_url(request)
    passing = run_rate(stored)
    texts = {
        "passing": percent(passing.value, 1),
        "results": f"{stored.results:,}",
        "passed": f"{stored.passed:,}",
        "failed": f"{stored.judged - stored.passed:,}",
        "errors": f"{stored.errors:,}",
        "tokens": f"{stored.usage.tokens:,}",
    }
    return JSONResponse(
        {
            "finished": not state_of(stored).live,
            "seen": f"{stored.updated_at} {stored.results}",
            "results": stored.results,
            "planned": stored.planned,
            "shown": texts,
        }
    )


def tag(request: Request) -> Response:
    """Add a tag to the run, or remove it."""
    stored = run_from_url(request)
    fields = posted_fields(request)
    with bad_request():
        store_of(request).runs.tag(stored.id, fields.get("tag", "").strip(), remove="remove" in fields)
    return RedirectResponse(run_link(stored.id), 303)


def case_list(request: Request, stored: StoredRun) -> dict[str, Any]:
    """One page of the goldens that match the filters in the URL, danger first, each with all its trials."""
    store = store_of(request)
    query = request.query_params
    which = result_filter(dict(query))
    after = _last_shown(dict(query))
    tools = store.tools_of(stored)
    dangerous = dangerous_goldens(request, stored)
    narrowed = which != ResultFilter()
    most = ON_A_PAGE if narrowed or after else FIRST_CASES
    goldens = store.runs.goldens_page(stored.id, which, limit=most + 1, after=after, dangerous=dangerous)
    page_goldens = goldens[:most]
    filters = {
        name: value for name, value in query.items() if name not in ("after", "part", "trial") and value
    }
    return {
        "cases": with_titles(
            (golden_row(golden.golden_id, golden.trials, tools) for golden in page_goldens),
            case_names(store, stored.id),
        ),
        "listed": {golden.golden_id: golden for golden in page_goldens},
        "which": which,
        "filters": filters,
        "narrowed": narrowed,
        "fitting": _count_matches(store, stored, which, len(goldens) if after is None else None),
        "next_page": page_goldens[-1] if len(goldens) > most else None,
        "first": after is None,
        "codes": store.runs.failures(stored.id).code_counts(),
        "code_titles": TITLES,
        "categories": get_args(Category),
        "tool_names": sorted(tools),
    }


def _last_shown(query: dict[str, str]) -> ListedGolden | None:
    """The golden after which the page begins; without the part of the list it was in, the failed ones."""
    if not query.get("after"):
        return None
    return ListedGolden(_one_of(query.get("part"), ListPart) or "failed", query["after"])


def _count_matches(
    store: Store, stored: StoredRun, which: ResultFilter, on_first_page: int | None
) -> int | None:
    """How many cases match; None where counting would take too long for a page."""
    if which == ResultFilter():
        return stored.results
    if on_first_page is not None and on_first_page <= ON_A_PAGE and stored.run.trials == 1:
        return on_first_page
    scans = which.text or which.failed_metric  # no index covers these
    return None if scans and stored.results > COUNTED else store.runs.count(stored.id, which)


def result_filter(query: dict[str, str]) -> ResultFilter:
    """The filter of a URL; unknown words are ignored."""
    return ResultFilter(
        outcome=_one_of(query.get("outcome"), Outcome),
        category=_one_of(query.get("category"), Category),
        code=_one_of(query.get("code"), Code),
        tool=query.get("tool", ""),
        failed_metric=query.get("metric", ""),
        text=query.get("text", "").strip(),
    )


def _one_of(word: str | None, words: Any) -> Any:
    return word if word in get_args(words) else None


routes = [
    Route("/runs", runs),
    Route("/runs/{run}", run),
    Route("/runs/{run}/insights", insights),
    Route("/runs/{run}/cases", cases),
    Route("/runs/{run}/live", live),
    Route("/runs/{run}/tags", tag, methods=["POST"]),
]
