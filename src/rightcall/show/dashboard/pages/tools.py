"""The tools of a run: their definitions, their lint findings, how often each was chosen and confused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from rightcall.lint.engine import lint
from rightcall.model import Tool
from rightcall.show.dashboard.page_renderer import page
from rightcall.show.dashboard.views import at_hand, cached, store_of, view_of
from rightcall.store.base import RunFilter, StoredRun
from rightcall.store.sql.store import Store

if TYPE_CHECKING:
    from rightcall.lint.report import Diagnostic

RUNS_OFFERED = 50


def tools(request: Request) -> Response:
    """Every tool of a run; by default of the newest one that has tools."""
    store = store_of(request)
    offered = store.runs.page(RunFilter(), limit=RUNS_OFFERED)
    chosen = request.query_params.get("run")
    run = store.runs.get(chosen) if chosen else _with_tools(store, offered)
    if run is None:
        return page(request, "tools.html", run=None, runs=[], ready=True)
    ready = at_hand(request, run) and request.app.state.views.has_key(_lint_key(run))
    return page(
        request, "tools.html", run=run, runs=offered, ready=ready, **(_content(request, run) if ready else {})
    )


def _with_tools(store: Store, newest_first: list[StoredRun]) -> StoredRun | None:
    """The newest run that was made with tools; the newest of all when none was."""
    by_definitions: dict[str, StoredRun] = {}
    for run in newest_first:
        by_definitions.setdefault(run.run.fingerprints.get("tools", ""), run)
    runs_with_tools = (run for run in by_definitions.values() if store.tools_of(run))
    return next(runs_with_tools, next(iter(newest_first), None))


def tool_list(request: Request) -> Response:
    """The list alone, for a run that takes a moment to summarize."""
    run = store_of(request).runs.get(request.query_params.get("run", "last"))
    return page(request, "tool_list.html", run=run, **_content(request, run))


def _content(request: Request, run: StoredRun) -> dict[str, Any]:
    view = view_of(request, run)
    definitions = store_of(request).tools_of(run)
    counted = {row.name: row for row in view.tools}
    called = [name for name in counted if name in definitions]  # the tools with the most mistakes first
    idle = sorted(name for name in definitions if name not in counted)
    unknown = [name for name in counted if name not in definitions]
    return {
        "advice": _advice(request, run, definitions),
        "names": [*called, *idle, *unknown],
        "definitions": definitions,
        "counted": counted,
        "invented": view.invented,
    }


def _advice(request: Request, run: StoredRun, definitions: dict[str, Tool]) -> dict[str, list[Diagnostic]]:
    """The lint findings of each tool, most severe first; cached by definitions."""

    def read(_: Store) -> dict[str, list[Diagnostic]]:
        diagnostics: dict[str, list[Diagnostic]] = {}
        for diagnostic in lint(definitions.values()).diagnostics:
            diagnostics.setdefault(diagnostic.tool, []).append(diagnostic)
        return diagnostics

    return cached(request, _lint_key(run), read)


def _lint_key(run: StoredRun) -> tuple[str, str]:
    return "lint", run.run.fingerprints.get("tools", "")


routes = [Route("/tools", tools), Route("/tools/list", tool_list)]
