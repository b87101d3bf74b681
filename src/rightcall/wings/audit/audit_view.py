"""An audit for pages: everything that they show, computed once for the dashboard and the file `audit.html`."""

from __future__ import annotations

from pathlib import Path

import msgspec

from rightcall.core.codec import describe_value, encode_as
from rightcall.core.errors import InputError
from rightcall.core.text import percent_interval
from rightcall.metrics.case_result import result_of
from rightcall.model.golden import canonical_golden
from rightcall.model.record import Record
from rightcall.show.html import html_environment, style_sheet
from rightcall.show.text import json_text
from rightcall.show.view.case import CaseView, case_view
from rightcall.tools.definitions.offer import tools_for
from rightcall.wings.audit.audit_document import AuditDocument
from rightcall.wings.audit.result import AuditResult
from rightcall.wings.audit.sections import AuditRow, AuditSection, audit_sections, edit_lines, notes

MOST_ON_PAGE = 300
TEMPLATES = Path(__file__).parent / "templates"


class ShownEdit(Record, frozen=True):
    """A change of a golden: the place, and both values as JSON; "" where there was none."""

    path: str
    before: str
    after: str


class ShownRow(Record, frozen=True):
    """A finding with its changes; for a bug, its golden as JSON, and its calls next to the expected ones."""

    row: AuditRow
    lines: tuple[str, ...]
    edits: tuple[ShownEdit, ...] = ()
    golden: str = ""
    case: CaseView | None = None


class AuditView(Record, frozen=True):
    """What a page of an audit shows."""

    title: str
    result: AuditResult
    interval: str
    sections: tuple[tuple[AuditSection, tuple[ShownRow, ...]], ...]
    notes: tuple[str, ...]
    changes: int


def audit_view(document: AuditDocument) -> AuditView:
    """The page of an audit."""
    result = document.result
    return AuditView(
        title=document.entry.name,
        result=result,
        interval=percent_interval(result.low, result.high),
        sections=tuple(
            (section, tuple(_shown_row(document, row) for row in section.rows[:MOST_ON_PAGE]))
            for section in audit_sections(result)
        ),
        notes=tuple(notes(result)),
        changes=len(document.changed_goldens),
    )


def _shown_row(document: AuditDocument, row: AuditRow) -> ShownRow:
    edits = tuple(ShownEdit(edit.path, _text(edit.before), _text(edit.after)) for edit in row.edits)
    shown_as_edits = set(edit_lines(row.edits))
    lines = tuple(line for line in row.lines if line not in shown_as_edits)
    case = document.cases.get(row.mark)
    if case is None:
        return ShownRow(row, lines, edits)
    golden = case.of
    bare = msgspec.to_builtins(canonical_golden(golden), enc_hook=describe_value)
    bare = {name: value for name, value in bare.items() if value not in (None, [], {}, "")}
    offered = tools_for(golden, {tool.name: tool for tool in document.tools})
    try:
        result = result_of(golden, 0, case.trajectory, offered)
        view = case_view(golden, msgspec.structs.replace(result, trajectory=case.trajectory), offered)
    except InputError:  # a golden that cannot be compared has no calls to show
        view = None
    return ShownRow(row, lines, edits, json_text(bare), view)


def _text(value: object) -> str:
    return "" if value is None else encode_as(value, describe_value).decode()[:4000]


def audit_html(document: AuditDocument) -> bytes:
    """The page of an audit as one file. Text of goldens and models is escaped, and nothing on it can run."""
    from jinja2 import FileSystemLoader

    environment = html_environment()
    environment.loader = FileSystemLoader(TEMPLATES)
    style, policy = style_sheet()
    page = environment.get_template("audit_file.html")
    return page.render(view=audit_view(document), style=style, policy=policy).encode("utf-8", "replace")
