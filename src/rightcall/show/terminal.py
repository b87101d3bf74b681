"""Tables for people."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain
from typing import TYPE_CHECKING

from rich.table import Table

from rightcall.records.run import Summary
from rightcall.show.screen import Screen
from rightcall.show.text import display_text, one_line
from rightcall.show.view.columns import AGENT_COLUMNS, shown_in, summary_columns
from rightcall.show.view.summary import GroupRow, SummaryView, summary_view

if TYPE_CHECKING:
    from rightcall.show.view.tools import AgentRow

LONGEST_TITLE = 24
LEAST_COLUMNS = 3
MOST_AGENTS = 20


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


def clean(text: str) -> str:
    """Text of models and datasets without terminal control characters."""
    return display_text(text, 2000)


def _titles(asked: Sequence[str]) -> list[str]:
    """Requested metrics come before the dimensions, which are dropped on a narrow terminal."""
    return [one_line(column.title, LONGEST_TITLE) for column in summary_columns(asked, "terminal")[1:]]


def _cells(row: GroupRow, asked: Sequence[str]) -> list[str]:
    return [column.text(row) for column in summary_columns(asked, "terminal")]
