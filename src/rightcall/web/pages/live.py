"""Production: traffic, checks by version, alarms, newest failures, the review queue; and one trace."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rightcall.model import CaseResult, Golden, Score
from rightcall.report.view import TITLES, case_view
from rightcall.stats import confidence_sequence
from rightcall.store import CheckCount, KeptTrace, TraceFilter
from rightcall.web.links import with_query
from rightcall.web.new_golden import golden_of_trace
from rightcall.web.page_renderer import page
from rightcall.web.pages.annotations import fields_of
from rightcall.web.views import store_of

NEWEST, QUEUED = 20, 20


@dataclass(frozen=True)
class CheckRow:
    """One check of one version, over all days, with bounds that are valid at any time."""

    agent: str
    name: str
    version: str
    seen: int
    bad: float
    rate: float
    low: float
    high: float


def live(request: Request) -> Response:
    """Everything that is watched, on one page."""
    store = store_of(request)
    return page(
        request,
        "live.html",
        traffic=store.trace_counts(),
        checks=check_rows(store.check_counts()),
        alarms=store.alarms(limit=50),
        failures=store.traces(TraceFilter(failed=True), limit=NEWEST),
        queue=store.traces(TraceFilter(review="queued"), limit=QUEUED),
    )


def check_rows(counts: list[CheckCount]) -> list[CheckRow]:
    """Counts of days added up by check and version; sampled checks by inverse probability."""
    totals: dict[tuple[str, str, str], list[float]] = {}
    for count in counts:
        if count.name == "any":
            continue
        held = totals.setdefault((count.agent, count.name, count.version), [0.0] * 4)
        for i, value in enumerate((count.seen, count.bad, count.weight, count.weighted_bad)):
            held[i] += value
    rows = []
    for (agent, name, version), (seen, bad, weight, weighted) in totals.items():
        if seen >= 1 and weight > 0:
            bounds = confidence_sequence(min(max(bad, 0.0), seen), seen)
            rows.append(
                CheckRow(agent, name, version, int(seen), bad, weighted / weight, bounds.low, bounds.high)
            )
    return rows


def trace(request: Request) -> Response:
    """One trace, laid out like a case of a run."""
    store = store_of(request)
    kept = asked_trace(request)
    result = as_result(kept)
    golden = Golden(kept.row.input or "(not recorded)", id=kept.row.trace_id, extra_calls="allow")
    view = case_view(golden, result, {tool.name: tool for tool in kept.tools})
    return page(
        request,
        "trace.html",
        kept=kept,
        view=view,
        aliases=sorted({version.alias for version in store.datasets()}),
        titles=TITLES,
    )


def as_result(kept: KeptTrace) -> CaseResult:
    """The check results of a trace, as a case result."""
    scores = {
        check.name: Score.broken("cannot say")
        if check.bad is None
        else Score(1 - check.bad, not check.bad, check.reason)
        for check in kept.row.checks
    }
    value = 0.0 if kept.row.failed else 1.0
    made = kept.trajectory
    return CaseResult(
        kept.row.trace_id,
        0,
        not kept.row.failed,
        value,
        scores,
        latency_ms=made.latency_ms,
        usage=made.usage,
        trajectory=made,
    )


def acknowledge(request: Request) -> Response:
    """Unlatch an alarm."""
    number = fields_of(request).get("alarm", "")
    if not number.isdecimal():
        raise HTTPException(400, "the URL has no alarm number")
    store_of(request).acknowledge(int(number))
    return RedirectResponse("/live#alarms", 303)


def review(request: Request) -> Response:
    """Keep a trace as a golden of a dataset's draft, or drop it from the queue."""
    fields, store = fields_of(request), store_of(request)
    kept = asked_trace(request)
    if fields.get("decision") == "drop":
        store.set_review(kept.row.trace_id, "dropped")
        return RedirectResponse("/live#queue", 303)
    alias = fields.get("alias", "").strip()
    if not alias:
        raise HTTPException(400, "choose a dataset")
    golden = golden_of_trace(kept, forbidden=fields.get("forbidden", ""))
    store.add_to_draft(alias, golden, author="dashboard")
    store.set_review(kept.row.trace_id, "kept")
    return RedirectResponse(with_query("/live/trace", id=kept.row.trace_id), 303)


def asked_trace(request: Request) -> KeptTrace:
    """The trace of a URL."""
    if "id" not in request.query_params:
        raise HTTPException(400, "the URL has no trace id")
    return store_of(request).trace(request.query_params["id"])


routes = [
    Route("/live", live),
    Route("/live/trace", trace),
    Route("/live/ack", acknowledge, methods=["POST"]),
    Route("/live/trace/review", review, methods=["POST"]),
]
