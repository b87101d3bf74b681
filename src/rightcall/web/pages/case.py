"""A case: the input, actual calls next to expected ones, the transcript, notes and tags."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rightcall.model import CaseResult
from rightcall.model.codec import encode
from rightcall.report.view import TITLES, case_view, outcome_of
from rightcall.store import StoredCase, StoredRun
from rightcall.web import charts
from rightcall.web.new_golden import golden_from
from rightcall.web.page_renderer import page
from rightcall.web.pages.run import result_filter
from rightcall.web.views import asked_run, store_of, tools_of


def case(request: Request) -> Response:
    """One trial of one golden; the filters of the list it was opened from determine the next."""
    run, found, result = asked_case(request)
    store = store_of(request)
    filters = {name: v for name, v in request.query_params.items() if name not in ("id", "trial") and v}
    before, after = store.neighbours(run.id, result_filter(filters), (found.golden_id, result.trial))
    view = case_view(found.golden, result, tools_of(store, run))
    return page(
        request,
        "case.html",
        run=run,
        case=found,
        view=view,
        trials=[(trial.trial, outcome_of(trial)) for trial in found.results],
        before=before,
        following=after,
        filters=filters,
        aliases=sorted({version.alias for version in store.datasets()}),
        titles=TITLES,
    )


def golden_file(request: Request) -> Response:
    """What the agent did here, as a golden in a separate file."""
    _, found, result = asked_case(request)
    line = encode(golden_from(found, result)) + b"\n"
    headers = {"content-disposition": 'attachment; filename="golden.jsonl"'}
    return Response(line, media_type="application/jsonl", headers=headers)


def waterfall(request: Request) -> Response:
    """Where the time of the case went."""
    _, found, result = asked_case(request)
    bars = case_view(found.golden, result).timings
    return charts.answer(request, lambda theme: charts.waterfall(bars, theme))


def asked_case(request: Request) -> tuple[StoredRun, StoredCase, CaseResult]:
    """The run, the case and the trial of a URL; without a trial, the first that did not pass."""
    run = asked_run(request)
    if "id" not in request.query_params:
        raise HTTPException(400, "the URL has no case id")
    found = store_of(request).case(run.id, request.query_params["id"])
    return run, found, chosen_trial(found, request.query_params.get("trial"))


def chosen_trial(found: StoredCase, trial: str | None) -> CaseResult:
    """The trial of that number; without one, the first that did not pass."""
    if not found.results:
        raise HTTPException(400, f"case {found.golden_id} has no result yet")
    if trial is None:
        return next((result for result in found.results if not result.passed), found.results[0])
    match = next((result for result in found.results if str(result.trial) == trial), None)
    if match is None:
        raise HTTPException(400, f"case {found.golden_id} has no trial {trial}")
    return match


routes = [
    Route("/runs/{run}/case", case),
    Route("/runs/{run}/case/golden.jsonl", golden_file),
    Route("/runs/{run}/case/waterfall.svg", waterfall),
]
