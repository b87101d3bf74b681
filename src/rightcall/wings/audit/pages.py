"""Would it notice?: the audits of the store in the dashboard, and their changes as drafts for review."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rightcall.show.dashboard.links import case_link
from rightcall.show.dashboard.page_renderer import page
from rightcall.show.dashboard.pages.drafts import draft_link
from rightcall.show.dashboard.views import store_of
from rightcall.store.base import RunFilter
from rightcall.store.sql.audits import AuditEntry
from rightcall.store.sql.store import Store
from rightcall.wings.audit.audit_document import AuditDocument, decode_document, draft_changes
from rightcall.wings.audit.audit_view import AuditView, audit_view

NAVIGATION = ("Audits", "/audits")
TEMPLATES = Path(__file__).parent / "templates"
LOOKED_BACK = 50


def audits(request: Request) -> Response:
    """The last audit of every dataset."""
    return page(request, "audits.html", entries=store_of(request).audits.entries())


def audit(request: Request) -> Response:
    """One audit: what passes, kinds of bugs, and goldens that may be wrong."""
    entry, document = _document(request)
    view: AuditView = request.app.state.views.get(
        ("audit", entry.fingerprint, entry.at), lambda: audit_view(document)
    )
    link = _golden_link(store_of(request), entry)
    return page(request, "audit.html", view=view, entry=entry, golden_link=link)


def draft(request: Request) -> Response:
    """Put the changed goldens into a draft, where people accept, edit or reject each."""
    entry, document = _document(request)
    if not document.changed_goldens:
        raise HTTPException(400, "the audit proposes no change")
    alias = f"{entry.name} audit"
    draft_changes(store_of(request), alias, document.changed_goldens)
    return RedirectResponse(draft_link(alias), 303)


def _document(request: Request) -> tuple[AuditEntry, AuditDocument]:
    fingerprint = request.query_params.get("dataset", "")
    store = store_of(request)
    entry, content = store.audits.get(fingerprint), store.audits.document(fingerprint)
    if entry is None or content is None:
        raise HTTPException(404)
    return entry, decode_document(content)


def _golden_link(store: Store, entry: AuditEntry) -> Callable[[str], str] | None:
    """A link to a golden in the newest run of the same dataset; None without such a run."""
    for run in store.runs.page(RunFilter(), limit=LOOKED_BACK):
        if run.run.fingerprints.get("dataset") == entry.fingerprint:
            run_id = run.id
            return lambda golden_id: case_link(run_id, golden_id)
    return None


routes = [
    Route("/audits", audits),
    Route("/audits/audit", audit),
    Route("/audits/draft", draft, methods=["POST"]),
]
