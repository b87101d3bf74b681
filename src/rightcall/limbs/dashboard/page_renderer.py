"""Templates: everything escaped, and the few ways a number, a time or a text is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from rightcall.limbs.dashboard import links
from rightcall.limbs.dashboard.access import CSRF_FIELD
from rightcall.limbs.dashboard.pages import plugin_pages
from rightcall.show import case_elements as drawings
from rightcall.show.html import HERE, html_environment
from rightcall.show.text import display_text, json_text
from rightcall.show.view.columns import GOLDEN_COLUMNS, shown_in
from rightcall.show.view.failures import danger_text
from rightcall.show.view.summary import run_rate
from rightcall.store.base import StoredRun

FOLDER = Path(__file__).parent / "templates"
SHARED = HERE / "templates"
"""Parts of a run's page that a report has too."""
HIDDEN_INPUT = Markup('<input type="hidden" name="{}" value="{}">')


def make_environment() -> Environment:
    pages = plugin_pages()
    folders = [FOLDER, SHARED, *(page.TEMPLATES for page in pages if hasattr(page, "TEMPLATES"))]
    environment = html_environment(FileSystemLoader(folders))
    environment.filters |= {
        "shown": display_text,
        "json": json_text,
        "words": lambda code: code.replace("_", " "),
    }
    environment.globals |= {
        "navigation": [page.NAVIGATION for page in pages if hasattr(page, "NAVIGATION")],
        "range_of": range_of,
        "danger_text": danger_text,
        "golden_columns": shown_in(GOLDEN_COLUMNS, "dashboard"),
        "drawings": drawings,
        "rate_of": lambda run: run_rate(run).value,
        "run_link": links.run_link,
        "case_link": links.case_link,
        "with_query": links.with_query,
    }
    return environment


def compile_templates(templates: Environment) -> None:
    """Compile all of them now: the first visitor of a page would otherwise wait for it."""
    for name in templates.list_templates(["html"]):
        templates.get_template(name)


def page(request: Request, template: str, status: int = 200, **content: Any) -> HTMLResponse:
    """A whole page, or a part of one."""
    state = request.app.state
    admitted = state.access.admits(request.headers, request.cookies)
    text = state.templates.get_template(template).render(
        **content,
        path=request.url.path,
        guarded=lambda: HIDDEN_INPUT.format(CSRF_FIELD, state.access.csrf(admitted)),
        store_name=state.store.name if admitted else "",
        stamp=state.assets.stamp,
        locked=bool(state.access.token),
        admitted=admitted,
    )
    return HTMLResponse(text, status)


def range_of(run: StoredRun) -> str:
    """The range of a run's pass rate, without reading its results."""
    return run_rate(run).range
