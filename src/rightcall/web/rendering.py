"""Templates: everything escaped, and the few ways a number, a time or a text is written."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse

from rightcall.report.terminal import percent
from rightcall.report.text import json_text, one_line, shown_text, visible
from rightcall.web import links
from rightcall.web.access import CSRF_FIELD

FOLDER = Path(__file__).parent / "templates"


def make_environment() -> Environment:
    """The templates. All text is escaped on its way into a page; nothing is ever marked as safe."""
    made = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "percent": lambda value: "–" if value is None else percent(value),
        "visible": visible,
        "one_line": one_line,
        "shown": shown_text,
        "json": json_text,
        "number": lambda value: f"{value:,}",
        "decimal": lambda value, places=3: "–" if value is None else f"{value:.{places}f}",
        "ms": milliseconds,
        "money": money,
        "moment": moment,
        "words": lambda code: code.replace("_", " "),
    }
    made.globals |= {
        "run_link": links.run_link,
        "case_link": links.case_link,
        "with_query": links.with_query,
        "csrf_field": CSRF_FIELD,
    }
    return made


def page(request: Request, template: str, status: int = 200, **content: Any) -> HTMLResponse:
    """A whole page, or a part of one."""
    state = request.app.state
    shown = state.templates.get_template(template).render(
        **content,
        path=request.url.path,
        here=_here(request),
        csrf=state.access.csrf(state.access.admits(request.headers, request.cookies)),
        store_name=state.store.name,
        stamp=state.assets.stamp,
        locked=bool(state.access.token),
    )
    return HTMLResponse(shown, status)


def milliseconds(value: float | None) -> str:
    """A duration in the unit a person would say it in."""
    if value is None:
        return "–"
    if value < 1000:
        return f"{value:.0f} ms" if value >= 10 or value == 0 else f"{value:.1f} ms"
    if value < 60_000:
        return f"{value / 1000:.1f} s"
    minutes, seconds = divmod(round(value / 1000), 60)
    return f"{minutes} min {seconds:02} s"


def money(value: float | None) -> str:
    """Dollars, with as many places as a small sum needs."""
    if value is None:
        return "–"
    return f"${value:,.2f}" if value >= 1 or value == 0 else f"${value:.4f}"


def moment(stored: str | None) -> str:
    """A stored time as `2026-01-02 03:04`, in UTC; what is no time stays as it is."""
    try:
        return datetime.fromisoformat(stored or "").astimezone(UTC).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return visible(stored or "")


def _here(request: Request) -> str:
    """The address of this page, to come back to after a change."""
    query = request.url.query
    return request.url.path + (f"?{query}" if query else "")
