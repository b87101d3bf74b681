"""Drafts of datasets: accept, edit, reject and comment goldens, write new ones, finalize accepted ones."""

from __future__ import annotations

import datetime
from typing import cast

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from rightcall.core.codec import encode
from rightcall.core.digest import hex_digest
from rightcall.core.errors import InputError
from rightcall.core.text import utc_text
from rightcall.datasets.review import STATES, edit_golden, golden_by_hand, is_accepted, review_of, reviewed
from rightcall.model.golden import AnyGolden, Golden
from rightcall.model.record import Record
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
from rightcall.show.dashboard.views import cached, store_of
from rightcall.show.view.case import input_of
from rightcall.store.base import DatasetVersion
from rightcall.store.sql.store import Store

PAGE = 100
NEW_GOLDEN = '{\n  "id": "",\n  "input": "",\n  "expected_calls": [{"tool": "", "args": {}}]\n}'


class DraftRow(Record, frozen=True):
    """One golden of a draft, in a list."""

    id: str
    text: str
    calls: str
    state: str
    comment: str


def drafts(request: Request) -> Response:
    """Every dataset that has a draft."""
    versions = [version for version in store_of(request).datasets.versions() if not version.finalized]
    rows = [(version, draft_link(version.alias), _counts(_rows(request, version))) for version in versions]
    return page(request, "drafts.html", drafts=rows)


def draft(request: Request) -> Response:
    """The goldens of a draft; by default the pending ones."""
    version = _version_from_url(request)
    rows = _rows(request, version)
    state = request.query_params.get("state", "pending" if any(r.state == "pending" for r in rows) else "")
    chosen = [row for row in rows if state in ("", row.state)]
    return page(
        request,
        "draft.html",
        version=version,
        link=draft_link(version.alias),
        golden_link=golden_link,
        **one_page(request, chosen, PAGE),
        state=state,
        counts=_counts(rows),
        new_golden=NEW_GOLDEN,
    )


def golden(request: Request) -> Response:
    """One golden of a draft, with its neighbours and all actions."""
    version = _version_from_url(request)
    current_golden = _golden(request, version)
    rows = _rows(request, version)
    at = next(place for place, row in enumerate(rows) if row.id == current_golden.id)
    bare = msgspec.structs.replace(current_golden, metadata={})
    return page(
        request,
        "draft_golden.html",
        version=version,
        link=draft_link(version.alias),
        golden=current_golden,
        single=isinstance(current_golden, Golden),
        row=rows[at],
        review=review_of(current_golden),
        generated=current_golden.metadata.get("generated"),
        audit=current_golden.metadata.get("audit"),
        text=msgspec.json.format(encode(bare), indent=2).decode(),
        seen=_mark(current_golden),
        before=golden_link(version.alias, rows[at - 1].id) if at else "",
        following=golden_link(version.alias, rows[at + 1].id) if at + 1 < len(rows) else "",
    )


def decide(request: Request) -> Response:
    """Accept, reject, or comment; then on to the next golden that is pending."""
    version, fields = _version_from_url(request), posted_fields(request)
    current_golden = _require_unchanged(request, version, fields)
    state = fields.get("state", "")
    if state and state not in STATES:
        raise HTTPException(400, f"state must be one of {', '.join(STATES)}, not '{state[:30]}'")
    comment = fields.get("comment") if "comment" in fields else None
    with bad_request():
        reviewed_golden = reviewed(
            current_golden, cast("None", state or None), comment=comment, author=author_of(fields), at=_now()
        )
    store_of(request).datasets.add_to_draft(version.alias, reviewed_golden, author=author_of(fields))
    here = golden_link(version.alias, current_golden.id)
    return RedirectResponse(_next_pending(request, version.alias, current_golden.id) if state else here, 303)


def edit(request: Request) -> Response:
    """Replace a golden with an edited version; it is pending again."""
    version, fields = _version_from_url(request), posted_fields(request)
    current_golden = _require_unchanged(request, version, fields)
    with bad_request():
        edited = edit_golden(current_golden, fields.get("text", ""), author=author_of(fields), at=_now())
    stored_golden = msgspec.structs.replace(edited, metadata={**current_golden.metadata, **edited.metadata})
    store_of(request).datasets.add_to_draft(version.alias, stored_golden, author=author_of(fields))
    return RedirectResponse(golden_link(version.alias, current_golden.id), 303)


def write(request: Request) -> Response:
    """Add a golden written by a reviewer."""
    version, fields = _version_from_url(request), posted_fields(request)
    with bad_request():
        new_golden = golden_by_hand(fields.get("text", ""), author=author_of(fields), at=_now())
    if any(row.id == new_golden.id for row in _rows(request, version)):
        raise HTTPException(400, f"the draft already has a golden '{new_golden.id}'; choose another id")
    store_of(request).datasets.add_to_draft(version.alias, new_golden, author=author_of(fields))
    return RedirectResponse(golden_link(version.alias, new_golden.id), 303)


def finalize(request: Request) -> Response:
    """Turn the accepted goldens, or all of them, into an immutable version."""
    version, fields = _version_from_url(request), posted_fields(request)
    store, alias = store_of(request), version.alias
    with bad_request():
        if fields.get("as_is"):
            final_version = store.datasets.finalize(alias)
        else:
            final_version = store.datasets.finalize_accepted(
                alias, is_accepted, lambda g: review_of(g).state == "rejected", author=author_of(fields)
            )
    return page(request, "draft_final.html", version=final_version)


def draft_link(alias: str, **query: object) -> str:
    return with_query(f"/drafts/{segment(alias)}", **query)


def golden_link(alias: str, golden_id: str) -> str:
    return with_query(f"/drafts/{segment(alias)}/golden", id=golden_id)


def _version_from_url(request: Request) -> DatasetVersion:
    alias = from_segment(request.path_params["alias"])
    version = store_of(request).datasets.get(alias, finalized=False)
    if version.finalized:
        raise InputError(f"dataset {alias}", "has no draft")
    return version


def _golden(request: Request, version: DatasetVersion) -> AnyGolden:
    golden_id = request.query_params.get("id", "")
    for golden in store_of(request).datasets.pull(version.alias, version.version, finalized=False):
        if golden.id == golden_id:
            return golden
    raise InputError(f"dataset {version.alias}", f"has no golden '{golden_id[:100]}' in its draft")


def _require_unchanged(request: Request, version: DatasetVersion, fields: dict[str, str]) -> AnyGolden:
    """The golden, if it has not changed since the visitor saw it."""
    golden = _golden(request, version)
    if fields.get("seen") != _mark(golden):
        raise HTTPException(400, "someone else has changed the golden; reload it")
    return golden


def _mark(golden: AnyGolden) -> str:
    return hex_digest(encode(golden), 16)


def _rows(request: Request, version: DatasetVersion) -> list[DraftRow]:
    """The draft as a list, cached by content."""

    def read(store: Store) -> list[DraftRow]:
        return list(map(_row, store.datasets.pull(version.alias, version.version, finalized=False)))

    return cached(request, ("draft", version.alias, version.version, version.fingerprint), read)


def _row(golden: AnyGolden) -> DraftRow:
    review, turns = review_of(golden), () if isinstance(golden, Golden) else golden.turns
    calls = [*golden.expected_calls, *(call for turn in turns for call in turn.expected_calls or ())]
    tool_names = ", ".join(str(call.tool) for call in calls) or ("no call" if golden.no_calls else "")
    return DraftRow(golden.id, input_of(golden), tool_names, review.state, review.comment)


def _counts(rows: list[DraftRow]) -> dict[str, int]:
    return {state: sum(row.state == state for row in rows) for state in STATES}


def _next_pending(request: Request, alias: str, golden_id: str) -> str:
    version = store_of(request).datasets.get(alias, finalized=False)
    rows = _rows(request, version)
    at = next((place for place, row in enumerate(rows) if row.id == golden_id), 0)
    following = next((row for row in (*rows[at + 1 :], *rows[:at]) if row.state == "pending"), None)
    return draft_link(alias) if following is None else golden_link(alias, following.id)


def _now() -> str:
    return utc_text(datetime.datetime.now(datetime.UTC), "seconds")


routes = [
    Route("/drafts", drafts),
    Route("/drafts/{alias}", draft),
    Route("/drafts/{alias}/golden", golden),
    Route("/drafts/{alias}/golden/decide", decide, methods=["POST"]),
    Route("/drafts/{alias}/golden/edit", edit, methods=["POST"]),
    Route("/drafts/{alias}/new", write, methods=["POST"]),
    Route("/drafts/{alias}/finalize", finalize, methods=["POST"]),
]
