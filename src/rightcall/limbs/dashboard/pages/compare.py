"""Two runs side by side: what was fixed, what broke, what stayed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rightcall.core.errors import InputError
from rightcall.improve.attribution import WhatChanged, what_changed
from rightcall.improve.run_matrix import GoldenMatrix, golden_matrix
from rightcall.limbs.dashboard import views
from rightcall.limbs.dashboard.links import bad_request
from rightcall.limbs.dashboard.page_renderer import page
from rightcall.limbs.dashboard.views import cached, store_of
from rightcall.run.decisions import RunComparison, compare_runs
from rightcall.show.view.case import case_view
from rightcall.store.base import Change, StoredRun, changes
from rightcall.store.sql.store import Store

T = TypeVar("T")
ON_A_PAGE = 50
RUNS_OFFERED = 50
MOST_RUNS = 8
"""Maximum number of runs side by side."""
CHANGES: tuple[Change, ...] = ("broken", "fixed", "failing", "passing", "added", "removed", "unjudged")
"""Most interesting first."""


def compare(request: Request) -> Response:
    """The comparison of a URL, or a choice of runs."""
    if len(several := runs_from_url(request)) > 2:
        return _matrix_page(request, several)
    pair = pair_from_url(request)
    if pair is None:
        offered = store_of(request).runs.page(limit=RUNS_OFFERED)
        likely = likely_pair(offered) if len(offered) > 1 else ()
        return page(request, "compare_choose.html", runs=offered, likely=likely)
    before, after = pair
    store = store_of(request)
    query = request.query_params
    compared = store.runs.compare(before.id, after.id)
    stored_counts = _read_once(request, "counts", pair, lambda _: compared.counts())
    counts = {change: stored_counts.get(change, 0) for change in CHANGES}
    change = _select_change(query.get("change", ""), counts)
    changed_goldens = compared.page(change, limit=ON_A_PAGE + 1, beyond=query.get("beyond") or None)
    shown = changed_goldens[:ON_A_PAGE]
    ids = [golden.golden_id for golden in shown]
    ready = _at_hand(request, "verdict", pair)
    what = _what_changed(request, before, after) if ready else None
    return page(
        request,
        "compare.html",
        before=before,
        after=after,
        counts=counts,
        found=_verdict(request, before, after) if ready else None,
        change=change,
        cases=shown,
        previews=store.runs.previews(before.id, ids) | store.runs.previews(after.id, ids),
        beyond=ids[-1] if len(changed_goldens) > ON_A_PAGE else None,
        differences=changes(before.run, after.run),
        what=what,
        flips={flip.golden: flip for flip in what.flips} if what else {},
    )


def verdict(request: Request) -> Response:
    """The deferred part of the page."""
    pair = pair_from_url(request)
    if pair is None:
        raise HTTPException(400, "a comparison needs before and after")
    comparison = _verdict(request, *pair)
    what = _what_changed(request, *pair)
    return page(request, "compare_verdict.html", found=comparison, what=what)


def matrix(request: Request) -> Response:
    """The deferred table of more than two runs."""
    several = runs_from_url(request)
    if len(several) < 2:
        raise HTTPException(400, "a matrix requires at least two runs")
    return page(request, "matrix_table.html", runs=several, matrix=_matrix(request, several))


def _matrix_page(request: Request, several: list[StoredRun]) -> Response:
    part = "/compare/matrix?" + urlencode([("run", run.id) for run in several], errors="replace")
    matrix = _matrix(request, several) if _at_hand(request, "matrix", several) else None
    return page(request, "compare_matrix.html", runs=several, matrix=matrix, part=part)


def compare_case(request: Request) -> Response:
    """One golden in both runs, with both transcripts."""
    pair = pair_from_url(request)
    golden_id = request.query_params.get("id")
    if pair is None or golden_id is None:
        raise HTTPException(400, "a comparison of a case needs before, after and id")
    sides = [
        _side(request, run, golden_id, name) for run, name in zip(pair, ("before", "after"), strict=True)
    ]
    if all(side["view"] is None for side in sides):
        raise InputError(f"golden {golden_id}", "is in neither of the two runs")
    return page(request, "compare_case.html", before=pair[0], after=pair[1], golden_id=golden_id, sides=sides)


def pair_from_url(request: Request) -> tuple[StoredRun, StoredRun] | None:
    """Before and after from the URL; two unordered runs are sorted by time."""
    store = store_of(request)
    query = request.query_params
    if query.get("before") and query.get("after"):
        return store.runs.get(query["before"]), store.runs.get(query["after"])
    chosen = runs_from_url(request)
    return (chosen[0], chosen[1]) if len(chosen) > 1 else None


def likely_pair(newest_first: list[StoredRun]) -> tuple[StoredRun, StoredRun]:
    """The two newest finished runs of one suite; the two newest of all when no suite has two."""
    newest: dict[str, StoredRun] = {}
    for run in newest_first:
        if run.finished and run.run.name in newest:
            return run, newest[run.run.name]
        if run.finished:
            newest[run.run.name] = run
    return newest_first[1], newest_first[0]


def runs_from_url(request: Request) -> list[StoredRun]:
    """The unordered runs of the URL, by time, each once."""
    store = store_of(request)
    runs_by_id = {run.id: run for run in map(store.runs.get, request.query_params.getlist("run")[:MOST_RUNS])}
    return sorted(runs_by_id.values(), key=lambda run: (run.run.started_at, run.id))


def _select_change(word: str, counts: dict[Change, int]) -> Change:
    """The change in the URL; otherwise the first interesting one that happened."""
    candidates = [change for change in CHANGES if change == word] or [c for c in CHANGES if counts[c]]
    return candidates[0] if candidates else "broken"


def _read_once(request: Request, what: str, runs: Sequence[StoredRun], read: Callable[[Store], T]) -> T:
    """What is read of several runs, until one of them changes."""
    return cached(request, _key(what, runs), read)


def _verdict(request: Request, before: StoredRun, after: StoredRun) -> RunComparison:
    """The result of `rightcall compare`."""
    return _read_once(
        request,
        "verdict",
        (before, after),
        lambda store: compare_runs(store, before.id, [after.id], anyway=True)[0],
    )


def _what_changed(request: Request, before: StoredRun, after: StoredRun) -> WhatChanged:
    """The changes between the two, and which goldens they touch."""
    return _read_once(request, "changed", (before, after), lambda store: what_changed(store, before, after))


def _matrix(request: Request, runs: Sequence[StoredRun]) -> GoldenMatrix:
    return _read_once(request, "matrix", runs, lambda store: golden_matrix(store, [run.id for run in runs]))


def _at_hand(request: Request, what: str, runs: Sequence[StoredRun]) -> bool:
    small = sum(run.results for run in runs) <= 2 * views.AT_ONCE
    return small or request.app.state.views.has_key(_key(what, runs))


def _key(what: str, runs: Sequence[StoredRun]) -> Hashable:
    return what, *((run.id, run.updated_at, run.results) for run in runs)


def _side(request: Request, run: StoredRun, golden_id: str, name: str) -> dict[str, Any]:
    store = store_of(request)
    missing = {"name": name, "run": run, "view": None}
    try:
        stored_case = store.runs.case(run.id, golden_id)
    except InputError:
        return missing
    if not stored_case.results:
        return missing
    with bad_request():
        result = stored_case.trial(request.query_params.get(f"{name}_trial"))
    trials = [(trial_result.trial, trial_result.outcome) for trial_result in stored_case.results]
    view = case_view(stored_case.golden, result, store.tools_of(run))
    return {"name": name, "run": run, "view": view, "trials": trials}


routes = [
    Route("/compare", compare),
    Route("/compare/verdict", verdict),
    Route("/compare/matrix", matrix),
    Route("/compare/case", compare_case),
]
