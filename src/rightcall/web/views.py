"""The views of runs, read from the store once and cached while the run is unchanged."""

from __future__ import annotations

from collections.abc import Hashable

from starlette.requests import Request

from rightcall.analysis import Analysis, analyze_run
from rightcall.errors import RightCallError
from rightcall.model import Tool
from rightcall.model.codec import decode
from rightcall.report.view import RunView, run_view
from rightcall.store import Store, StoredRun
from rightcall.web.links import from_segment

AT_ONCE = 1_000
"""Runs with up to this many results are summarized with the page; larger ones after it has loaded."""


def store_of(request: Request) -> Store:
    """The store that is shown."""
    store: Store = request.app.state.store
    return store


def asked_run(request: Request) -> StoredRun:
    """The run in the URL of the page."""
    return store_of(request).run(from_segment(request.path_params["run"]))


def view_of(request: Request, run: StoredRun) -> RunView:
    """Everything computed over all cases of the run."""
    store = store_of(request)
    view: RunView = request.app.state.views.get(_key(run), lambda: run_view(store, run.id))
    return view


def analysis_of(request: Request, run: StoredRun) -> Analysis:
    """Why the run fails, computed once."""
    store = store_of(request)
    found: Analysis = request.app.state.views.get(("analysis", _key(run)), lambda: analyze_run(store, run.id))
    return found


def at_hand(request: Request, run: StoredRun) -> bool:
    """Whether the view can be shown without delay."""
    return run.results <= AT_ONCE or request.app.state.views.known(_key(run))


def tools_of(store: Store, run: StoredRun) -> dict[str, Tool]:
    """The tool definitions the run was made with, by name; empty when they were not stored."""
    fingerprint = run.run.fingerprints.get("tools", "")
    content = store.document("tools", fingerprint) if fingerprint else None
    if content is None:
        return {}
    try:
        return {tool.name: tool for tool in decode(content, list[Tool], f"tools of run {run.id}")}
    except RightCallError:
        return {}  # written by something else; the rest of the page is still worth showing


def _key(run: StoredRun) -> Hashable:
    return run.id, run.updated_at, run.results, run.verdict
