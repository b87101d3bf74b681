"""The application: its routes and middleware."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rightcall.core.errors import InfrastructureError, InputError
from rightcall.show.dashboard.access import Access
from rightcall.show.dashboard.assets import Assets
from rightcall.show.dashboard.guard import HEADERS, guard
from rightcall.show.dashboard.page_renderer import make_environment, page
from rightcall.show.dashboard.pages import all_routes
from rightcall.show.dashboard.views import Cache
from rightcall.store.sql.store import Store

VIEWS_KEPT, CHARTS_KEPT = 64, 512

NOT_FOUND, BROKEN, FAILED = 404, 500, 503
TITLES = {404: "Not found", 405: "Method not allowed", 400: "Bad request", 503: "The store did not answer"}


def make_app(store: Store, access: Access | None = None) -> Starlette:
    """The dashboard of an open store; the caller closes the store."""
    app = Starlette(
        routes=all_routes(),
        exception_handlers={
            HTTPException: _http_problem,
            InputError: _not_found,
            InfrastructureError: _down,
            Exception: _internal_error,
        },
    )
    app.router.redirect_slashes = False  # one URL per page
    app.state.store = store
    app.state.access = access or Access()
    app.state.assets = Assets()
    app.state.templates = make_environment()
    app.state.views, app.state.charts = Cache(VIEWS_KEPT), Cache(CHARTS_KEPT)
    guard(app, app.state.access)
    return app


async def _not_found(request: Request, error: Exception) -> Response:
    return _problem(request, NOT_FOUND, str(error))


async def _down(request: Request, error: Exception) -> Response:
    return _problem(request, FAILED, str(error))


async def _internal_error(request: Request, error: Exception) -> Response:
    """An internal error. The response bypasses the guard, so the headers are set here; the server logs it."""
    answer = _problem(request, BROKEN, f"{type(error).__name__}; see the terminal where the dashboard runs")
    answer.headers.update({**HEADERS, "cache-control": "no-store"})
    return answer


async def _http_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    message = error.detail if error.status_code == 400 else ""
    if error.status_code == NOT_FOUND:
        message = f"The dashboard has no page {request.url.path}"
    return _problem(request, error.status_code, message)


def _problem(request: Request, status: int, message: str) -> Response:
    return page(
        request, "problem.html", status, title=TITLES.get(status, "Something went wrong"), said=message
    )
