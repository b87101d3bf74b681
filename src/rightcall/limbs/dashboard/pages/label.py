"""Labels: the judged metrics of a run, and one case after the other to label, by key or by button."""

from __future__ import annotations

import time
from typing import Any, cast

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rightcall.limbs.dashboard.links import (
    bad_request,
    from_segment,
    posted_fields,
    run_link,
    segment,
    with_query,
)
from rightcall.limbs.dashboard.page_renderer import page
from rightcall.limbs.dashboard.views import cached, run_from_url, store_of
from rightcall.records.label import LabelWord
from rightcall.run.judge_report import judge_report
from rightcall.run.judged_run import JudgedRun, label_folder, load_judged_run
from rightcall.run.label_session import LabelSession, LabelSettings
from rightcall.run.run_judges import judges_of
from rightcall.show.judge_report import agreement_words, label_sections, rule_text
from rightcall.store.base import user_name

WORDS = ("pass", "fail", "unsure")
LONGEST_PAUSE = 3600.0
"""Seconds after which somebody was away rather than thinking."""
MOST_CASES = 100_000


def metrics(request: Request) -> Response:
    """The judged metrics of a run, with their labels and what they say."""
    run = run_from_url(request)
    by = _name(request)
    reports = []
    for judge in judges_of(store_of(request), run):
        judged = _open_judged(request, judge.metric)
        report = judge_report(judged, label_folder(run))
        pairs = [(" and ".join(pair.people), agreement_words(pair.agreement)) for pair in report.people]
        disputed = [
            (
                case,
                [(answer.by, answer.label, answer.note) for answer in report.labelling.cases[case].answers],
            )
            for case in report.labelling.with_word("disputed")
        ]
        reports.append((report, metric_link(run.id, judge.metric, by=by), pairs, disputed))
    return page(request, "labels.html", run=run, reports=reports, by=by)


def metric(request: Request) -> Response:
    """One case to label: the named one, else the next that is open."""
    session = _session(request)
    judged = session.judged
    query = request.query_params
    open_cases = session.open_cases()
    case = query.get("case") or _next_case(open_cases, session.order, query.get("after", ""))
    here = _settings_in_url(request)
    content: dict[str, Any] = {
        "run": judged.run,
        "metric": judged.metric,
        "by": session.by,
        "done": len(session.order) - len(open_cases),
        "total": len(session.order),
        "link": metric_link(judged.run.id, judged.metric, **here),
        "list_link": with_query(f"{run_link(judged.run.id)}/label", by=session.by),
        "file": str(session.folder.file(judged.metric)),
        "splits": session.splits,
    }
    if not case:
        return page(request, "label_done.html", **content)
    question = session.question(case)
    own = session.own_label(case)
    earlier = session.previous_answers(case)
    score = question.score
    verdict = "no verdict" if score.error else "pass" if score.passed else "fail"
    return page(
        request,
        "label.html",
        **content,
        case=case,
        seen=question.case.target.material[:16],
        rule=rule_text(question.rule),
        sections=label_sections(question.materials),
        own=own,
        judge=(verdict, score.error or score.reason) if session.settings.show_judge else None,
        shown_at=f"{time.time():.1f}",
        answer_link=metric_link(judged.run.id, judged.metric, **here),
        back=metric_link(judged.run.id, judged.metric, **here, case=earlier[-1]) if earlier else "",
        skip=metric_link(judged.run.id, judged.metric, **here, after=case),
    )


def answer(request: Request) -> Response:
    """Store an answer; then on to the next case."""
    fields = posted_fields(request)
    session = _session(request)
    case = fields.get("case", "")
    word = fields.get("label", "")
    if word not in WORDS:
        raise HTTPException(400, f"label must be one of {', '.join(WORDS)}, not '{word[:30]}'")
    if case not in session.judged.cases:
        raise HTTPException(400, f"the run has no case '{case[:80]}'")
    question = session.question(case)
    if fields.get("seen") != question.case.target.material[:16]:
        raise HTTPException(400, "the case has changed since it was shown; reload it")
    session.answer(
        case,
        cast("LabelWord", word),
        rule=question.rule,
        note=fields.get("note", ""),
        seconds=_seconds(fields.get("shown_at", "")),
    )
    return RedirectResponse(
        metric_link(session.judged.run.id, session.judged.metric, **_settings_in_url(request)), 303
    )


def metric_link(run_id: str, metric: str, **query: object) -> str:
    """The page on which a metric's cases are labelled."""
    return with_query(f"{run_link(run_id)}/label/{segment(metric)}", **query)


def _open_judged(request: Request, metric: str) -> JudgedRun:
    run = run_from_url(request)
    key = ("judged", run.id, run.updated_at, metric)
    return cached(request, key, lambda store: load_judged_run(store, run.id, metric))


def _session(request: Request) -> LabelSession:
    judged = _open_judged(request, from_segment(request.path_params["metric"]))
    query = request.query_params
    n = query.get("n", "")
    people = tuple(name.strip() for name in query.get("people", "").split(",") if name.strip())
    settings = LabelSettings(
        _name(request),
        n=min(int(n), MOST_CASES) if n.isdecimal() and int(n) else 48,
        people=people,
        show_judge=query.get("judge") == "1",
    )
    with bad_request():
        return LabelSession(store_of(request), judged, label_folder(judged.run), settings)


def _name(request: Request) -> str:
    return " ".join(request.query_params.get("by", "").split())[:100] or user_name() or "dashboard"


def _settings_in_url(request: Request) -> dict[str, str]:
    """What every link keeps: who labels, how many cases, shared out with whom, and whether the verdict is shown."""
    query = request.query_params
    return {"by": _name(request), **{name: query[name] for name in ("n", "people", "judge") if name in query}}


def _next_case(open_cases: list[str], order: list[str], after: str) -> str:
    """The first open case, or the first behind the one that was skipped."""
    later = order[order.index(after) + 1 :] if after in order else []
    candidates = [case for case in open_cases if case in later] or [c for c in open_cases if c != after]
    return (candidates or open_cases or [""])[0]


def _seconds(shown_at: str) -> float | None:
    try:
        seconds = time.time() - float(shown_at)
    except ValueError:
        return None
    # The page shows its time rounded, so an immediate answer may seem to come before it.
    return max(seconds, 0.0) if -1 < seconds <= LONGEST_PAUSE else None


routes = [
    Route("/runs/{run}/label", metrics),
    Route("/runs/{run}/label/{metric}", metric),
    Route("/runs/{run}/label/{metric}", answer, methods=["POST"]),
]
