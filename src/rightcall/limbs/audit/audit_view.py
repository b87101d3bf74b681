"""The page of an audit: `rightcall audit SUITE -o audit.html`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from rightcall.core.codec import describe_value, encode_as
from rightcall.core.errors import InputError
from rightcall.core.text import percent_interval
from rightcall.limbs.audit.audit import AuditListener
from rightcall.limbs.audit.result import AuditResult, Survivor
from rightcall.limbs.audit.scene import HARMS, Mutant
from rightcall.limbs.audit.sections import AuditRow, AuditSection, audit_sections, edit_lines, notes
from rightcall.metrics.case_result import result_of
from rightcall.records.golden import AnyGolden, canonical_golden
from rightcall.records.record import Record
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory
from rightcall.show.html import html_environment, style_sheet
from rightcall.show.text import json_text
from rightcall.show.view.case import CaseView, case_view
from rightcall.tools.definitions.offer import tools_for

MOST_ON_PAGE = 300
TEMPLATES = Path(__file__).parent / "templates"


class WorstCases(AuditListener):
    """The goldens of the most harmful survivors, each with what a bug made of their right behaviour, by survivor."""

    def __init__(self) -> None:
        self._ranked: dict[str, tuple[int, AnyGolden, Trajectory]] = {}

    def on_golden(
        self, golden: AnyGolden, survivors: Sequence[tuple[Survivor, Mutant]], tightened: AnyGolden | None
    ) -> None:
        for survivor, mutant in survivors:
            self._ranked[survivor.id] = HARMS.index(survivor.harm), golden, mutant.trajectory
        if len(self._ranked) > 2 * MOST_ON_PAGE:
            worst_first = sorted(self._ranked.items(), key=lambda item: (item[1][0], item[0]))
            self._ranked = dict(worst_first[:MOST_ON_PAGE])

    def case(self, survivor: str) -> tuple[AnyGolden, Trajectory] | None:
        """The golden and the behaviour of a survivor, if they were kept."""
        ranked = self._ranked.get(survivor)
        return None if ranked is None else ranked[1:]


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
    """What the page of an audit shows."""

    title: str
    result: AuditResult
    interval: str
    sections: tuple[tuple[AuditSection, tuple[ShownRow, ...]], ...]
    notes: tuple[str, ...]


def audit_view(title: str, result: AuditResult, cases: WorstCases, tools: Mapping[str, Tool]) -> AuditView:
    """The page of an audit."""
    return AuditView(
        title=title,
        result=result,
        interval=percent_interval(result.low, result.high),
        sections=tuple(
            (section, tuple(_shown_row(row, cases, tools) for row in section.rows[:MOST_ON_PAGE]))
            for section in audit_sections(result)
        ),
        notes=tuple(notes(result)),
    )


def _shown_row(row: AuditRow, cases: WorstCases, tools: Mapping[str, Tool]) -> ShownRow:
    edits = tuple(ShownEdit(edit.path, _text(edit.before), _text(edit.after)) for edit in row.edits)
    shown_as_edits = set(edit_lines(row.edits))
    lines = tuple(line for line in row.lines if line not in shown_as_edits)
    case = cases.case(row.mark)
    if case is None:
        return ShownRow(row, lines, edits)
    golden, trajectory = case
    bare = msgspec.to_builtins(canonical_golden(golden), enc_hook=describe_value)
    bare = {name: value for name, value in bare.items() if value not in (None, [], {}, "")}
    offered = tools_for(golden, tools)
    try:
        result = result_of(golden, 0, trajectory, offered)
        view = case_view(golden, msgspec.structs.replace(result, trajectory=trajectory), offered)
    except InputError:  # a golden that cannot be compared has no calls to show
        view = None
    return ShownRow(row, lines, edits, json_text(bare), case=view)


def _text(value: object) -> str:
    return "" if value is None else encode_as(value, describe_value).decode()[:4000]


def audit_html(view: AuditView) -> bytes:
    """The page as one file. Text of goldens and models is escaped, and nothing on it can run."""
    from jinja2 import FileSystemLoader

    environment = html_environment()
    environment.loader = FileSystemLoader(TEMPLATES)
    style, policy = style_sheet()
    page = environment.get_template("audit_file.html")
    return page.render(view=view, style=style, policy=policy).encode("utf-8", "replace")
