"""A case: the input, actual calls next to expected ones, the transcript."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rightcall.core.codec import encode, to_plain
from rightcall.improve.run_setup import run_record
from rightcall.limbs.dashboard.links import bad_request
from rightcall.limbs.dashboard.page_renderer import page
from rightcall.limbs.dashboard.pages.runs import result_filter
from rightcall.limbs.dashboard.views import dangerous_goldens, run_from_url, store_of
from rightcall.records import CaseResult
from rightcall.show.view.case import case_view
from rightcall.show.view.failures import TITLES
from rightcall.show.view.grouped_trials import golden_history, model_request, rerun_command, system_prompt
from rightcall.store.base import StoredCase, StoredRun


def case(request: Request) -> Response:
    """One trial of one golden; the filters of the list it was opened from determine the next."""
    run, stored_case, result = case_from_url(request)
    store = store_of(request)
    filters = {name: v for name, v in request.query_params.items() if name not in ("id", "trial") and v}
    before, after = store.runs.neighbours(
        run.id, result_filter(filters), stored_case.golden_id, dangerous_goldens(request, run)
    )
    record = run_record(store, run)
    view = case_view(stored_case.golden, result, {tool.name: tool for tool in record.tools})
    return page(
        request,
        "case.html",
        run=run,
        case=stored_case,
        view=view,
        trials=[(trial.trial, trial.outcome) for trial in stored_case.results],
        before=before,
        following=after,
        filters=filters,
        titles=TITLES,
        system=system_prompt(record, stored_case.golden),
        setup=record.setup,
        raw=to_plain(model_request(record, stored_case.golden, result)),
        history=golden_history(store, run, stored_case.golden_id),
        rerun=rerun_command(run, stored_case.golden_id),
    )


def raw_request(request: Request) -> Response:
    """What the model was given, as JSON."""
    run, stored_case, result = case_from_url(request)
    asked = model_request(run_record(store_of(request), run), stored_case.golden, result)
    return Response(encode(asked), media_type="application/json")


def case_from_url(request: Request) -> tuple[StoredRun, StoredCase, CaseResult]:
    run = run_from_url(request)
    if "id" not in request.query_params:
        raise HTTPException(400, "the URL has no case id")
    stored_case = store_of(request).runs.case(run.id, request.query_params["id"])
    query = request.query_params
    with bad_request():
        return run, stored_case, stored_case.trial(query.get("trial"), query.get("outcome"))


routes = [
    Route("/runs/{run}/case", case),
    Route("/runs/{run}/case/request.json", raw_request),
]
