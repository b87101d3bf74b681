"""`audit.html`: a self-contained page without scripts, in the style of `report.html`."""

from __future__ import annotations

from pathlib import Path

from rightcall.show.html import html_environment, style_sheet
from rightcall.wings.audit.audit_document import AuditDocument
from rightcall.wings.audit.audit_view import audit_view

TEMPLATES = Path(__file__).parent / "templates"


def audit_html(document: AuditDocument) -> bytes:
    """The page of an audit as one file. Text of goldens and models is escaped, and nothing on it can run."""
    from jinja2 import FileSystemLoader

    environment = html_environment()
    environment.loader = FileSystemLoader(TEMPLATES)
    style, policy = style_sheet()
    page = environment.get_template("audit_file.html")
    return page.render(view=audit_view(document), style=style, policy=policy).encode("utf-8", "replace")
