"""An audit for pages: everything that they show, computed once for the dashboard and the file `audit.html`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from rightcall.core.codec import describe_value, encode_as
from rightcall.core.errors import InputError
from rightcall.core.text import percent_interval
from rightcall.improve.doubt import BANDS, Doubt
from rightcall.improve.golden_edit import GoldenEdit
from rightcall.metrics.case_result import result_of
from rightcall.model.golden import canonical_golden
from rightcall.model.record import Record
from rightcall.show.doubts import band_line
from rightcall.show.html import html_environment, style_sheet
from rightcall.show.text import json_text
from rightcall.show.view.case import CaseView, case_view
from rightcall.tools.definitions.offer import tools_for
from rightcall.wings.audit.audit_document import AuditDocument
from rightcall.wings.audit.audit_text import HARM_TITLES, LOUD, headline, notes
from rightcall.wings.audit.mutant import HARMS
from rightcall.wings.audit.result import AuditResult, Catch, Survivor

MOST_TOOLS = 40
MOST_ON_PAGE = 300


class ShownEdit(Record, frozen=True):
    """A change of a golden: the place, and both values as JSON; "" where there was none."""

    path: str
    before: str
    after: str


class ShownSurvivor(Record, frozen=True):
    """A survivor with its proposal, its golden as JSON, and its calls next to the expected ones."""

    survivor: Survivor
    edits: tuple[ShownEdit, ...] = ()
    golden: str = ""
    case: CaseView | None = None


class CatchRow(Record, frozen=True):
    """An operator and its catches by tool, in the order of the columns; None where nothing was planted."""

    operator: str
    cells: tuple[Catch | None, ...]
    total: Catch


class AuditView(Record, frozen=True):
    """What a page of an audit shows."""

    title: str
    headline: str
    result: AuditResult
    interval: str
    groups: tuple[tuple[str, bool, tuple[ShownSurvivor, ...]], ...]
    more: int
    tools: tuple[str, ...]
    tools_left_out: int
    matrix: tuple[CatchRow, ...]
    bands: tuple[tuple[str, tuple[tuple[Doubt, tuple[ShownEdit, ...]], ...]], ...]
    left_out: tuple[tuple[str, str, str], ...]
    notes: tuple[str, ...]
    changes: int
    floor: str = ""


def audit_view(document: AuditDocument) -> AuditView:
    """The page of an audit."""
    result, entry = document.result, document.entry
    shown = result.survivors[:MOST_ON_PAGE]
    columns = sorted(result.by_tool, key=lambda tool: (-result.by_tool[tool].survived, tool))
    bands = [(band_line(band), [d for d in result.doubts if d.band == band]) for band in BANDS]
    return AuditView(
        title=entry.name,
        headline=headline(result),
        result=result,
        interval=percent_interval(result.low, result.high),
        groups=tuple(
            (
                HARM_TITLES[harm],
                harm in LOUD,
                tuple(_survivor_view(document, s) for s in shown if s.harm == harm),
            )
            for harm in HARMS
            if any(survivor.harm == harm for survivor in shown)
        ),
        more=entry.survived and max(0, len(result.survivors) - len(shown)),
        tools=tuple(columns[:MOST_TOOLS]),
        tools_left_out=max(0, len(columns) - MOST_TOOLS),
        matrix=tuple(_row(result, name, columns[:MOST_TOOLS]) for name in result.by_operator),
        bands=tuple(
            (line, tuple((doubt, shown_edits(doubt.change)) for doubt in doubts[:MOST_ON_PAGE]))
            for line, doubts in bands
            if doubts
        ),
        left_out=tuple(
            (word, golden.golden_id, golden.why)
            for word, goldens in (
                ("cannot be met", result.cannot_be_met),
                ("not audited", result.not_audited),
            )
            for golden in goldens[:MOST_ON_PAGE]
        ),
        notes=tuple(notes(result)),
        changes=len(document.changed_goldens),
        floor=entry.floor,
    )


def shown_edits(edits: Sequence[GoldenEdit]) -> tuple[ShownEdit, ...]:
    """Changes of a golden as texts."""
    return tuple(ShownEdit(edit.path, _text(edit.before), _text(edit.after)) for edit in edits)


def _text(value: object) -> str:
    return "" if value is None else encode_as(value, describe_value).decode()[:4000]


def _row(result: AuditResult, operator: str, columns: Sequence[str]) -> CatchRow:
    row = result.matrix.get(operator, {})
    return CatchRow(operator, tuple(row.get(tool) for tool in columns), result.by_operator[operator])


def _survivor_view(document: AuditDocument, survivor: Survivor) -> ShownSurvivor:
    edits = shown_edits(survivor.proposal.edits) if survivor.proposal else ()
    case = document.cases.get(survivor.id)
    if case is None:
        return ShownSurvivor(survivor, edits)
    golden = case.of
    bare = msgspec.to_builtins(canonical_golden(golden), enc_hook=describe_value)
    bare = {name: value for name, value in bare.items() if value not in (None, [], {}, "")}
    offered = tools_for(golden, {tool.name: tool for tool in document.tools})
    try:
        result = result_of(golden, 0, case.trajectory, offered)
        view = case_view(golden, msgspec.structs.replace(result, trajectory=case.trajectory), offered)
    except InputError:  # a golden that cannot be compared has no calls to show
        view = None
    return ShownSurvivor(survivor, edits, json_text(bare), view)


TEMPLATES = Path(__file__).parent / "templates"


def audit_html(document: AuditDocument) -> bytes:
    """The page of an audit as one file. Text of goldens and models is escaped, and nothing on it can run."""
    from jinja2 import FileSystemLoader

    environment = html_environment()
    environment.loader = FileSystemLoader(TEMPLATES)
    style, policy = style_sheet()
    page = environment.get_template("audit_file.html")
    return page.render(view=audit_view(document), style=style, policy=policy).encode("utf-8", "replace")
