"""Two runs side by side: what was fixed, what broke, what stayed."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rightcall.analysis import WhatChanged, what_changed
from rightcall.errors import InputError
from rightcall.report.view import case_view, outcome_of
from rightcall.store import Change, StoredRun, changes
from rightcall.suite import RunComparison, compare_runs
from rightcall.web import views
from rightcall.web.page_renderer import page
from rightcall.web.pages.case import chosen_trial
from rightcall.web.views import store_of, tools_of

ON_A_PAGE = 50
RUNS_OFFERED = 50
CHANGES: tuple[Change, ...] = ("broken", "fixed", "failing", "passing", "added", "removed", "unjudged")
"""Most interesting first."""


def compare(request: Request) -> Response:
    """The comparison of a URL, or a choice of runs."""
    pair = asked_pair(request)
    if pair is None:
        return page(request, "compare_choose.html", runs=store_of(request).runs(limit=RUNS_OFFERED))
    before, after = pair
    store, query = store_of(request), request.query_params
    counts = _counts(request, before, after)
    change = _asked_change(query.get("change", ""), counts)
    found = store.compared_page(
        before.id, after.id, change, limit=ON_A_PAGE + 1, beyond=query.get("beyond") or None
    )
    shown = found[:ON_A_PAGE]
    ids = [each.golden_id for each in shown]
    return page(
        request,
        "compare.html",
        before=before,
        after=after,
        counts=counts,
        found=_verdict(request, before, after) if _at_hand(request, before, after) else None,
        change=change,
        cases=shown,
        previews=store.previews(before.id, ids) | store.previews(after.id, ids),
        beyond=ids[-1] if len(found) > ON_A_PAGE else None,
        differences=changes(before.run, after.run),
        what=_what_changed(request, before, after) if _at_hand(request, before, after) else None,
    )


def verdict(request: Request) -> Response:
    """The deferred part of the page."""
    pair = asked_pair(request)
    if pair is None:
        raise HTTPException(400, "a comparison needs before and after")
    return page(request, "compare_verdict.html", found=_verdict(request, *pair))


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
    """Before and after from the URL; two unordered runs are sorted by time."""
    store, query = store_of(request), request.query_params
    if query.get("before") and query.get("after"):
        return store.run(query["before"]), store.run(query["after"])
    chosen = [store.run(run) for run in query.getlist("run")[:2]]
    if len(chosen) < 2:
        return None
    first, second = sorted(chosen, key=lambda run: run.run.started_at)
    return first, second


def _asked_change(word: str, counts: dict[Change, int]) -> Change:
    """The change in the URL; otherwise the first interesting one that happened."""
    wanted = [change for change in CHANGES if change == word] or [c for c in CHANGES if counts[c]]
    return wanted[0] if wanted else "broken"


def _counts(request: Request, before: StoredRun, after: StoredRun) -> dict[Change, int]:
    """How many goldens each change happened to."""
    store = store_of(request)
    found: dict[Change, int] = request.app.state.views.get(
        ("counts", *_key(before, after)), lambda: store.compared_counts(before.id, after.id)
    )
    return {change: found.get(change, 0) for change in CHANGES}


def _verdict(request: Request, before: StoredRun, after: StoredRun) -> RunComparison:
    """The result of `rightcall compare`, computed once."""
    store = store_of(request)
    found: RunComparison = request.app.state.views.get(
        ("verdict", *_key(before, after)),
        lambda: compare_runs(store, before.id, [after.id], anyway=True)[0],
    )
    return found


def _what_changed(request: Request, before: StoredRun, after: StoredRun) -> WhatChanged:
    """The changes between the two, and which goldens they touch."""
    store = store_of(request)
    found: WhatChanged = request.app.state.views.get(
        ("changed", *_key(before, after)), lambda: what_changed(store, before, after)
    )
    return found


def _at_hand(request: Request, before: StoredRun, after: StoredRun) -> bool:
    small = before.results + after.results <= 2 * views.AT_ONCE
    return small or request.app.state.views.known(("verdict", *_key(before, after)))


def _key(before: StoredRun, after: StoredRun) -> tuple[Hashable, ...]:
    return tuple((run.id, run.updated_at, run.results) for run in (before, after))


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


routes = [
    Route("/compare", compare),
    Route("/compare/verdict", verdict),
    Route("/compare/case", compare_case),
]
