"""Two runs side by side: what was fixed, what broke, what stayed."""

from __future__ import annotations

from typing import Any, get_args

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rightcall.errors import InputError
from rightcall.report.view import case_view, outcome_of
from rightcall.report.view.comparison import CHANGES, ComparisonView, comparison_view
from rightcall.store import Change, StoredRun, changes
from rightcall.web.pages.case import chosen_trial
from rightcall.web.rendering import page
from rightcall.web.views import store_of, tools_of

ON_A_PAGE = 50
RUNS_OFFERED = 50


def compare(request: Request) -> Response:
    """The comparison that the address asks for, or a choice of runs."""
    pair = asked_pair(request)
    if pair is None:
        return page(request, "compare_choose.html", runs=store_of(request).runs(limit=RUNS_OFFERED))
    before, after = pair
    store, query = store_of(request), request.query_params
    view = _view(request, before, after)
    change = query.get("change", "")
    if change not in get_args(Change):
        change = next((word for word in CHANGES if view.counts[word]), "broken")
    found = store.compared_page(
        before.id,
        after.id,
        change,
        limit=ON_A_PAGE + 1,
        beyond=query.get("beyond") or None,  # type: ignore[arg-type]
    )
    shown = found[:ON_A_PAGE]
    ids = [each.golden_id for each in shown]
    return page(
        request,
        "compare.html",
        before=before,
        after=after,
        view=view,
        change=change,
        cases=shown,
        previews=store.previews(before.id, ids) | store.previews(after.id, ids),
        beyond=ids[-1] if len(found) > ON_A_PAGE else None,
        differences=changes(before.run, after.run),
    )


def compare_case(request: Request) -> Response:
    """One golden in both runs, with both transcripts."""
    pair, golden_id = asked_pair(request), request.query_params.get("id")
    if pair is None or golden_id is None:
        raise HTTPException(400, "a comparison of a case needs before, after and id")
    sides = [
        _side(request, run, golden_id, name) for run, name in zip(pair, ("before", "after"), strict=True)
    ]
    if all(side["view"] is None for side in sides):
        raise InputError(f"golden {golden_id}", "is in neither of the two runs")
    return page(request, "compare_case.html", before=pair[0], after=pair[1], golden_id=golden_id, sides=sides)


def asked_pair(request: Request) -> tuple[StoredRun, StoredRun] | None:
    """Before and after, as the address names them; two runs without an order come in that of their time."""
    store, query = store_of(request), request.query_params
    if query.get("before") and query.get("after"):
        return store.run(query["before"]), store.run(query["after"])
    chosen = [store.run(run) for run in query.getlist("run")[:2]]
    if len(chosen) < 2:
        return None
    first, second = sorted(chosen, key=lambda run: run.run.started_at)
    return first, second


def _view(request: Request, before: StoredRun, after: StoredRun) -> ComparisonView:
    key = ("compare", *((run.id, run.updated_at, run.results) for run in (before, after)))
    store = store_of(request)
    view: ComparisonView = request.app.state.views.get(
        key, lambda: comparison_view(store.compared_counts(before.id, after.id))
    )
    return view


def _side(request: Request, run: StoredRun, golden_id: str, name: str) -> dict[str, Any]:
    store = store_of(request)
    try:
        found = store.case(run.id, golden_id)
    except InputError:
        return {"name": name, "run": run, "view": None}
    if not found.results:
        return {"name": name, "run": run, "view": None}
    result = chosen_trial(found, request.query_params.get(f"{name}_trial"))
    trials = [(each.trial, outcome_of(each)) for each in found.results]
    view = case_view(found.golden, result, tools_of(store, run))
    return {"name": name, "run": run, "view": view, "trials": trials}


routes = [Route("/compare", compare), Route("/compare/case", compare_case)]
