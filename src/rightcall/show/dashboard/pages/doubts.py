"""Goldens that are probably wrong: what speaks against each, and the decision to keep, edit or drop it."""

from __future__ import annotations

import datetime

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rightcall.core.errors import InputError
from rightcall.core.text import utc_text
from rightcall.improve.doubt import BAND_TITLES, BANDS, PRECISION, smallest_change
from rightcall.improve.doubt_decisions import DECISIONS, decide, decisions, forget
from rightcall.improve.golden_doubts import SuiteDoubts, electoral_runs, suite_doubts
from rightcall.improve.golden_edit import value_text
from rightcall.model.golden import Golden
from rightcall.show.dashboard.links import (
    author_of,
    bad_request,
    from_segment,
    one_page,
    posted_fields,
    segment,
    with_query,
)
from rightcall.show.dashboard.page_renderer import page
from rightcall.show.dashboard.pages.drafts import golden_link
from rightcall.show.dashboard.views import cached, store_of

PAGE = 100


def suites(request: Request) -> Response:
    """The suites whose goldens can be examined."""
    names = [suite.name for suite in store_of(request).runs.overview().suites if suite.name]
    return page(request, "doubts.html", suites=[(name, doubts_link(name)) for name in names], examined=None)


def doubted_goldens(request: Request) -> Response:
    """The doubted goldens of a suite, the most certain first; decided ones at the end."""
    examined = _doubts_of_suite(request)
    decided = decisions(store_of(request))
    rows = [
        (reasons[0], reasons, decided.get(reasons[0].mark), doubt_link(examined.suite, golden_id))
        for golden_id, reasons in examined.doubts.items()
    ]
    rows.sort(key=lambda row: row[2] is not None)
    return page(
        request,
        "doubts.html",
        suites=(),
        examined=examined,
        **one_page(request, rows, PAGE),
        counts={band: sum(row[0].band == band for row in rows if row[2] is None) for band in BANDS},
        titles=BAND_TITLES,
        precision=PRECISION,
        link=doubts_link(examined.suite),
    )


def golden(request: Request) -> Response:
    """One golden with everything that speaks against it, and the three decisions."""
    examined = _doubts_of_suite(request)
    golden_id = _golden_id(request, examined)
    ids = list(examined.doubts)
    at, reasons, doubted = ids.index(golden_id), examined.doubts[golden_id], examined.goldens[golden_id]
    change = smallest_change(reasons)
    return page(
        request,
        "doubt.html",
        suite=examined.suite,
        link=doubts_link(examined.suite),
        action=with_query(f"{doubts_link(examined.suite)}/golden/decide", id=golden_id),
        golden=doubted,
        single=isinstance(doubted, Golden),
        reasons=reasons,
        alternative=next((reason.alternative for reason in reasons if reason.alternative), ()),
        voters=next((reason for reason in reasons if reason.n), None),
        change=[(edit.path, value_text(edit.before, 200), value_text(edit.after, 200)) for edit in change],
        decided=decisions(store_of(request)).get(reasons[0].mark),
        draft=golden_link(examined.suite, golden_id),
        seen=reasons[0].mark,
        titles=BAND_TITLES,
        precision=PRECISION,
        before=doubt_link(examined.suite, ids[at - 1]) if at else "",
        following=doubt_link(examined.suite, ids[at + 1]) if at + 1 < len(ids) else "",
    )


def decide_golden(request: Request) -> Response:
    """Keep, edit or drop a golden, or take the decision back; then on to the next that is open."""
    examined = _doubts_of_suite(request)
    golden_id = _golden_id(request, examined)
    fields, store = posted_fields(request), store_of(request)
    reasons, decision = examined.doubts[golden_id], fields.get("decision", "")
    if fields.get("seen") != reasons[0].mark:
        raise HTTPException(400, "the golden has changed since you saw it; reload the page")
    if decision == "undo":
        forget(store, reasons)
        return RedirectResponse(doubt_link(examined.suite, golden_id), 303)
    if decision not in DECISIONS:
        raise HTTPException(400, f"decision must be one of {', '.join(DECISIONS)}, not '{decision[:30]}'")
    with bad_request():
        decide(
            store,
            decision,
            examined.goldens[golden_id],
            reasons,
            alias=examined.suite,
            dataset=store.runs.goldens(examined.run),
            author=author_of(fields),
            at=utc_text(datetime.datetime.now(datetime.UTC), "seconds"),
        )
    if decision == "edit":
        return RedirectResponse(golden_link(examined.suite, golden_id), 303)
    return RedirectResponse(_next_open(request, examined, golden_id), 303)


def doubts_link(suite: str, **query: object) -> str:
    return with_query(f"/doubts/{segment(suite)}", **query)


def doubt_link(suite: str, golden_id: str) -> str:
    return with_query(f"/doubts/{segment(suite)}/golden", id=golden_id)


def _doubts_of_suite(request: Request) -> SuiteDoubts:
    """The doubts of the suite, computed once while its runs stay the same."""
    suite, store = from_segment(request.path_params["suite"]), store_of(request)
    key = ("doubts", suite, *(run.id for run in electoral_runs(store, suite)))
    return cached(request, key, lambda store: suite_doubts(store, suite))


def _golden_id(request: Request, examined: SuiteDoubts) -> str:
    golden_id = request.query_params.get("id", "")
    if golden_id not in examined.doubts:
        raise InputError(f"suite {examined.suite[:100]}", f"has no doubted golden '{golden_id[:100]}'")
    return golden_id


def _next_open(request: Request, examined: SuiteDoubts, golden_id: str) -> str:
    decided, ids = decisions(store_of(request)), list(examined.doubts)
    at = ids.index(golden_id)
    following = next(
        (name for name in (*ids[at + 1 :], *ids[:at]) if examined.doubts[name][0].mark not in decided), None
    )
    return doubts_link(examined.suite) if following is None else doubt_link(examined.suite, following)


routes = [
    Route("/doubts", suites),
    Route("/doubts/{suite}", doubted_goldens),
    Route("/doubts/{suite}/golden", golden),
    Route("/doubts/{suite}/golden/decide", decide_golden, methods=["POST"]),
]
