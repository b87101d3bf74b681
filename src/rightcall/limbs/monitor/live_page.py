"""Production: traffic, checks by version, alarms, newest failures, the review queue; and one trace."""

from __future__ import annotations

from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rightcall.limbs.monitor.production_rates import check_rates, version_changes
from rightcall.records import CaseResult, Golden, Score
from rightcall.show.dashboard.links import posted_fields
from rightcall.show.dashboard.page_renderer import page
from rightcall.show.dashboard.views import store_of
from rightcall.show.view.case import case_view
from rightcall.show.view.failures import TITLES
from rightcall.store.watch import KeptTrace, TraceFilter

NEWEST = 20
QUEUED = 20
NAVIGATION = ("Live", "/live")
TEMPLATES = Path(__file__).parent / "templates"


def live(request: Request) -> Response:
    """Everything that is watched, on one page."""
    store = store_of(request)
    rates = check_rates(store)
    return page(
        request,
        "live.html",
        traffic=store.traces.counts(),
        checks=rates,
        changes=version_changes(rates),
        alarms=store.traces.alarms(limit=50),
        failures=store.traces.page(TraceFilter(failed=True), limit=NEWEST),
        queue=store.traces.page(TraceFilter(review="queued"), limit=QUEUED),
    )


def trace(request: Request) -> Response:
    """One trace, laid out like a case of a run."""
    kept = trace_of_request(request)
    result = as_result(kept)
    golden = Golden(kept.row.input or "(not recorded)", id=kept.row.trace_id, extra_calls="allow")
    view = case_view(golden, result, {tool.name: tool for tool in kept.tools})
    return page(
        request,
        "trace.html",
        kept=kept,
        view=view,
        titles=TITLES,
    )


def as_result(kept: KeptTrace) -> CaseResult:
    """The check results of a trace, as a case result."""
    scores = {
        check.name: Score.broken("unknown")
        if check.bad is None
        else Score(1 - check.bad, not check.bad, check.reason)
        for check in kept.row.checks
    }
    passed = not kept.row.failed
    trajectory = kept.trajectory
    return CaseResult(
        kept.row.trace_id,
        0,
        passed,
        float(passed),
        metrics=scores,
        latency_ms=trajectory.latency_ms,
        usage=trajectory.usage,
        trajectory=trajectory,
    )


def acknowledge(request: Request) -> Response:
    """Unlatch an alarm."""
    number = posted_fields(request).get("alarm", "")
    if not number.isdecimal():
        raise HTTPException(400, "the URL has no alarm number")
    store_of(request).traces.acknowledge(int(number))
    return RedirectResponse("/live#alarms", 303)


def drop(request: Request) -> Response:
    """Remove a trace from the queue for review; `rightcall traces promote` makes goldens of the others."""
    store_of(request).traces.set_review(trace_of_request(request).row.trace_id, "dropped")
    return RedirectResponse("/live#queue", 303)


def trace_of_request(request: Request) -> KeptTrace:
    """The trace of a URL."""
    if "id" not in request.query_params:
        raise HTTPException(400, "the URL has no trace id")
    return store_of(request).traces.get(request.query_params["id"])


routes = [
    Route("/live", live),
    Route("/live/trace", trace),
    Route("/live/ack", acknowledge, methods=["POST"]),
    Route("/live/trace/drop", drop, methods=["POST"]),
]
