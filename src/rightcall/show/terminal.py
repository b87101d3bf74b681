"""Tables and progress for people."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from rich.table import Table

from rightcall.records.danger import NO_TOOLS
from rightcall.records.run import CaseResult, Summary
from rightcall.records.tool import Tool
from rightcall.show.screen import Screen
from rightcall.show.text import display_text, one_line
from rightcall.show.view.columns import AGENT_COLUMNS, shown_in, summary_columns
from rightcall.show.view.grouped_trials import FailedTrials, GoldenRow
from rightcall.show.view.summary import GroupRow, SummaryView, summary_view

if TYPE_CHECKING:
    from rightcall.show.view.tools import AgentRow

LONGEST_TITLE = 24
LEAST_COLUMNS = 3
MOST_AGENTS = 20
MARKS = {"failed": "[red]✗[/red]", "flaky": "[yellow]~[/yellow]", "error": "[yellow]error[/yellow]",
         "unchecked": "[dim]?[/dim]", "passed": "[green]✓[/green]"}  # fmt: skip


class Watcher:
    """Keeps the worst goldens and, on a terminal, shows progress."""

    def __init__(self, verb: str, keep: int, tools: Mapping[str, Tool] = NO_TOOLS) -> None:
        self.failed = FailedTrials(keep, tools)
        self._verb = verb

    def watch(self, results: Iterable[CaseResult]) -> Iterator[CaseResult]:
        console = Screen(stderr=True)
        started = time.monotonic()
        shown = 0.0
        for number, result in enumerate(results, 1):
            self.failed.add(result)
            if (
                number % 1000 == 0
                and console.is_terminal
                and (now := time.monotonic()) - max(started, shown) > 0.5
            ):
                shown = now
                console.print(f"{self._verb} {number:,} ({number / (now - started):,.0f}/s)", end="\r")
            yield result
        if shown:
            console.print(" " * 60, end="\r")


def print_summary(
    summary: Summary,
    failed: Sequence[GoldenRow],
    more: str = "",
    *,
    notes: Sequence[str] = (),
    hints: Sequence[str] = (),
    console: Screen | None = None,
    unchecked: Sequence[GoldenRow] = (),
) -> None:
    """Print the table of categories, notes, goldens that did not pass, unchecked ones and the commands to try next.

    `more` says how many others did not pass.
    """
    console = console or Screen()
    view = summary_view(summary)
    print_table(console, view)
    for note in (*view.notes, *notes):
        console.print(note)
    if failed:
        console.print()
        print_rows(console, failed, more)
        if view.codes:
            counted = ", ".join(f"{row.code} {row.cases:,}" for row in view.codes)
            console.say("[dim]failed cases by code:[/dim] {}", counted)
    if unchecked:
        console.print()
        print_rows(console, unchecked)
        if (hidden := view.unchecked - sum(row.unchecked for row in unchecked)) > 0:
            console.say("[dim]… and {:,} more unchecked[/dim]", hidden)
    if hints:
        console.say("\n[dim]next:[/dim]")
        for hint in hints:
            console.print(f"  {hint}", soft_wrap=True)


def print_table(console: Screen, view: SummaryView) -> None:
    """Print the table of categories, and below it the numbers for which the terminal is too narrow."""
    console.print(summary_table(view, console.width))
    for line in beyond_table(view, console.width):
        console.print(line, style="dim", soft_wrap=True)


def print_agents(console: Screen, rows: Sequence[AgentRow]) -> None:
    """Print what each agent of a team did; nothing when there is only one."""
    if not rows:
        return
    columns = shown_in(AGENT_COLUMNS, "terminal")
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    for column in columns:
        table.add_column(column.title, justify="left" if column.kind == "name" else "right", overflow="fold")
    for row in rows[:MOST_AGENTS]:
        table.add_row(*(clean(str(column.text(row))) for column in columns))
    console.print()
    console.print(table)


def print_model_table(console: Screen, rows: Sequence[tuple[str, str, Summary]]) -> None:
    """Print one row per run: agent, run and the numbers; below it those for which the terminal is too narrow."""
    views = [summary_view(summary) for _, _, summary in rows]
    asked = tuple(dict.fromkeys(chain.from_iterable(view.columns for view in views)))
    cells = [
        (run_id, *_cells(view.total, asked)[1:]) for (_, run_id, _), view in zip(rows, views, strict=True)
    ]
    titles = ("run", *_titles(asked))
    agents = min(max(len(one_line(agent)) for agent, _, _ in rows), console.width // 3)
    fitting = _columns_that_fit(titles, cells, console.width - agents - 1)
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    table.add_column("agent", overflow="fold")
    for at, title in enumerate(titles[:fitting]):
        table.add_column(title, justify="right" if at else "left", no_wrap=True)
    for (agent, _, _), row in zip(rows, cells, strict=True):
        table.add_row(one_line(agent), *row[:fitting])
    console.print(table)
    for row in cells if fitting < len(titles) else ():
        console.print(_continuation_row(row, titles, fitting), style="dim", soft_wrap=True)


def summary_table(view: SummaryView, width: int = 80) -> Table:
    """The rows and as many columns as fit, most important first; no column is truncated."""
    titles, rows, fitting = _layout(view, width)
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    table.add_column("", no_wrap=True)
    for title in titles[1:fitting]:
        table.add_column(title, justify="right", no_wrap=True)
    for row, cells in zip(view.shown, rows, strict=True):
        style = "bold" if row is view.total and len(view.shown) > 1 else ""
        table.add_row(*cells[:fitting], style=style)
    return table


def beyond_table(view: SummaryView, width: int = 80) -> list[str]:
    """The numbers whose columns do not fit, a line for each row of the table."""
    titles, rows, fitting = _layout(view, width)
    return [_continuation_row(cells, titles, fitting) for cells in rows if fitting < len(titles)]


def _layout(view: SummaryView, width: int) -> tuple[list[str], list[list[str]], int]:
    """Titles, cells, and how many columns fit."""
    titles = ["", *_titles(view.columns)]
    rows = [_cells(row, view.columns) for row in view.shown]
    return titles, rows, _columns_that_fit(titles, rows, width)


def _continuation_row(cells: Sequence[str], titles: Sequence[str], start: int) -> str:
    columns = range(start, len(titles))
    return f"{cells[0]}, continued: " + ", ".join(f"{titles[at]} {cells[at]}" for at in columns)


def _columns_that_fit(titles: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> int:
    widths = [max(len(title), *(len(cells[at]) for cells in rows)) + 1 for at, title in enumerate(titles)]
    return max(LEAST_COLUMNS, sum(total - 1 <= width for total in accumulate(widths)))


def print_rows(out: Screen, rows: Sequence[GoldenRow], more: str = "") -> None:
    """One line for each golden: its danger, how many trials did not pass, and why."""
    for row in rows:
        mark = MARKS[row.outcome] + (" [bold white on red] {} [/bold white on red] " if row.danger else " {}")
        out.say(
            f"{mark}[bold]{{}}[/bold]{{}}  [dim]{{}}[/dim]{{}}",
            row.danger_text,
            clean(row.golden_id),
            clean(f" {row.title}" if row.title else ""),
            f"{row.trials_text}: " if row.trials_text else "",
            clean(row.reason),
            hang=4,
        )
    if more:
        out.say("[dim]… and {}[/dim]", more)


def clean(text: str) -> str:
    """Text of models and datasets without terminal control characters."""
    return display_text(text, 2000)


def _titles(asked: Sequence[str]) -> list[str]:
    """Requested metrics come before the dimensions, which are dropped on a narrow terminal."""
    return [one_line(column.title, LONGEST_TITLE) for column in summary_columns(asked, "terminal")[1:]]


def _cells(row: GroupRow, asked: Sequence[str]) -> list[str]:
    return [column.text(row) for column in summary_columns(asked, "terminal")]


class AskedMetrics:
    """Counts failures and errors of some metrics, and keeps the first reason of each."""

    def __init__(self, names: Sequence[str]) -> None:
        self._failed = dict.fromkeys(names, 0)
        self._broken = dict.fromkeys(names, 0)
        self._first: dict[str, str] = {}

    def watch(self, results: Iterable[CaseResult]) -> Iterator[CaseResult]:
        """Pass results through, counting each."""
        for result in results:
            for name in self._failed:
                score = result.metrics.get(name)
                if score is None or not result.checked:  # a case without an answer has no measurements
                    continue
                if score.error:
                    self._broken[name] += 1
                elif not score.passed:
                    self._failed[name] += 1
                if reason := score.error or ("" if score.passed else score.reason):
                    self._first.setdefault(name, f"{result.golden_id}: {reason}")
            yield result

    def lines(self, summary: Summary) -> Iterator[str]:
        """One line per metric: its mean, failures, errors and one reason."""
        for name, failed in self._failed.items():
            mean = summary.overall.means.get(name)
            parts = [f"mean {mean:.2f}"] if mean is not None else []
            parts += [f"{failed:,} failed"] if failed else []
            parts += [f"{self._broken[name]:,} could not be computed"] if self._broken[name] else []
            first = f" ({one_line(self._first[name], 160)})" if name in self._first else ""
            yield f"{name}: {', '.join(parts)}{first}"
