"""Results in notebooks: small HTML tables in the notebook's own colours, columns for data frames, and progress."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from html import escape
from importlib import import_module
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Self

from rightcall.records.run import CaseResult, Summary
from rightcall.show.analysis import UNKNOWN, danger_words
from rightcall.show.case_elements import as_html, case_drawing
from rightcall.show.progress import ProgressState, RunProgress
from rightcall.show.text import decimal, one_line
from rightcall.show.view.case import reason_of
from rightcall.show.view.columns import FRAME_COLUMNS, GOLDEN_COLUMNS, shown_in, summary_columns
from rightcall.show.view.failures import CaseName
from rightcall.show.view.grouped_trials import GoldenRow
from rightcall.show.view.summary import summary_view

if TYPE_CHECKING:
    from rightcall.improve.findings import Analysis
    from rightcall.show.view.case import CaseView

GOOD = "#2e8540"
BAD = "#c0392b"
UNSURE = "#b7791f"
"""Readable on light and dark backgrounds."""
COLORS = {"PASS": GOOD, "FAIL": BAD}
CELL = "text-align:left;padding:2px 12px 2px 0;vertical-align:top"


def run_html(
    run: str, word: str, reason: str, summary: Summary, failed: Sequence[GoldenRow], more: int
) -> str:
    """A run: the verdict, a bar for each category, and what did not pass."""
    view = summary_view(summary)
    rated_rows = [row for row in view.shown if row.pass_rate is not None]
    columns = summary_columns((), "notebook")
    rows = [[_text(column.text(row)) for column in columns] for row in rated_rows]
    cells = [
        [name, _bar(row.pass_rate or 0.0), *rest] for row, (name, *rest) in zip(rated_rows, rows, strict=True)
    ]
    explanation = _text(reason, 400)
    notes = "".join(f"<p>{_text(note, 400)}</p>" for note in summary.warnings)
    head = f"<b style='color:{COLORS.get(word, UNSURE)}'>{_text(word)}</b> {explanation}"
    return (
        f"<div><p>{head} <span style='opacity:.6'>run {_text(run)}</span></p>{_table([], cells)}{notes}"
        f"{_failures(failed, more)}</div>"
    )


def results_html(results: Sequence[CaseResult], total: int, name: CaseName = str) -> str:
    """The first results as a table."""
    cells = []
    for result in results:
        score = decimal(result.score if result.checked else None, 2)
        title = _text(name(result.golden_id))
        reason = _text(reason_of(result), 300)
        cells.append([_mark(result), title, f"{result.trial}", score, reason])
    more = f"<p style='opacity:.6'>{total - len(results):,} more</p>" if total > len(results) else ""
    return f"<div>{_table(['', 'golden', 'trial', 'score', 'reason'], cells)}{more}</div>"


def case_html(view: CaseView) -> str:
    """One case, drawn as on the dashboard and in a report, in the notebook's own colours."""
    assets = files("rightcall.show") / "assets"
    style = "".join((assets / name).read_text("utf-8") for name in ("notebook.css", "case.css"))
    drawn = "".join(map(as_html, case_drawing(view)))
    return f"<div class='rightcall-case'><style>.rightcall-case {{{style}}}</style>{drawn}</div>"


def analysis_html(analysis: Analysis) -> str:
    """Why a run fails: a row for each finding, dangerous ones first, with the change it suggests."""
    cells = [
        [
            f"{finding.rank}",
            f"{_danger(danger_words(finding))}<b>{_text(finding.cause)}</b> {_text(finding.place, 120)}",
            f"{_text(finding.what, 300)}<br>{_text(finding.advice, 400)}",
            f"{finding.trials:,}",
        ]
        for finding in analysis.findings
        if finding.stated or finding.danger
    ]
    head = f"<b>{analysis.failed:,} of {analysis.trials:,} trials failed</b>"
    notes = [analysis.attempts_note, "" if analysis.known else UNKNOWN]
    shown_notes = "".join(f"<p>{_text(note, 300)}</p>" for note in notes if note)
    table = _table(["", "cause", "what happens, what to change", "trials"], cells)
    content = table if cells else "<p>No finding stands out from chance.</p>"
    run = f"<span style='opacity:.6'>run {_text(analysis.run)}</span>"
    return f"<div><p>{head} {run}</p>{shown_notes}{content}</div>"


def result_columns(results: Iterable[CaseResult]) -> dict[str, list[Any]]:
    """A list per column, for any library of data frames; metrics come last, each in its own column."""
    columns: dict[str, list[Any]] = {name: [] for name in FRAME_COLUMNS}
    metrics: dict[str, list[Any]] = {}
    for place, result in enumerate(results):
        for name, value in FRAME_COLUMNS.items():
            columns[name].append(value(result))
        for name, score in result.metrics.items():
            column = metrics.setdefault(name, [None] * place)
            column.append(None if score.error else score.value)
        for column in metrics.values():
            if len(column) == place:
                column.append(None)
    return columns | metrics


def _failures(failed: Sequence[GoldenRow], more: int) -> str:
    if not failed:
        return ""
    columns = shown_in(GOLDEN_COLUMNS, "notebook")
    cells = []
    for row in failed:
        color = BAD if row.outcome == "failed" else UNSURE
        outcome = f"<span style='color:{color}'>{_text(row.outcome)}</span>"
        name, *rest = (_text(column.text(row), 300) for column in columns)
        cells.append([outcome, _danger(row.danger_text) + name, *rest])
    rest_text = f"<p style='opacity:.6'>{more:,} more goldens did not pass</p>" if more else ""
    return _table(["", *(column.title for column in columns)], cells) + rest_text


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of cells that are markup already."""
    head = "".join(f"<th style='{CELL}'>{title}</th>" for title in titles)
    body = "".join(
        "<tr>" + "".join(f"<td style='{CELL}'>{cell}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table>{f'<tr>{head}</tr>' if titles else ''}{body}</table>"


def _danger(text: str) -> str:
    style = f"background:{BAD};color:#fff;padding:0 4px"
    return f"<b style='{style}'>{_text(text)}</b> " if text else ""


def _mark(result: CaseResult) -> str:
    if not result.judged:
        return f"<span style='color:{UNSURE}'>{result.outcome}</span>"
    return f"<span style='color:{GOOD if result.passed else BAD}'>{'✓' if result.passed else '✗'}</span>"


def _bar(share: float) -> str:
    """A rate as a bar."""
    return (
        "<span style='display:inline-block;width:120px;height:.7em;background:rgba(128,128,128,.25)'>"
        f"<span style='display:block;height:100%;width:{round(100 * share)}%;background:{GOOD}'></span></span>"
    )


def _text(text: str, limit: int = 120) -> str:
    """Foreign text as the content of an element: on one line, nothing hidden, nothing that is markup."""
    return escape(one_line(text, limit))


SECONDS_BETWEEN_UPDATES = 0.2
"""Every update is a message to the browser; more of them would not be seen."""


class NotebookProgress(RunProgress):
    """The progress display of a run in a notebook; the last state stays."""

    def __init__(self, planned: int) -> None:
        super().__init__(planned)
        self._handle: Any = None
        self._html: Any = None
        self._shown = 0.0

    def __enter__(self) -> Self:
        screen = import_module("IPython.display")
        self._handle = screen.display(screen.HTML(""), display_id=True)
        self._html = screen.HTML
        return self

    def __exit__(self, *_: object) -> None:
        self._handle = None

    def update(self, state: ProgressState, *, new: int) -> None:
        """Update the bar, seldom enough for a browser, and always at the end."""
        self._new += new
        now = time.monotonic()
        too_soon = state.done < self._planned and now - self._shown < SECONDS_BETWEEN_UPDATES
        if self._handle is None or too_soon:
            return
        self._shown = now
        self._handle.update(self._html(self.html(state)))

    def html(self, state: ProgressState) -> str:
        """The bar and the words after it."""
        bar = f'<progress value="{state.done}" max="{max(1, self._planned)}"></progress>'
        return f'<div style="font-family: monospace">{bar} {escape(self.words(state))}</div>'
