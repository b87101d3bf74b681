"""Safety of a run in the terminal: the sections of `view/safety.py` as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from rightcall.show.screen import print_columns
from rightcall.show.text import one_line
from rightcall.show.view.attack_hits import HitView, hit_lines
from rightcall.show.view.run import run_view
from rightcall.show.view.safety import SafetyView
from rightcall.show.view.safety_sections import SafetySection

if TYPE_CHECKING:
    from rightcall.show.screen import Screen
    from rightcall.store.sql.store import Store

MOST_PRINTED = 5
MOST_ROWS = 12
COLORS = {"failed": "red", "passed": "green", "error": "yellow"}


def print_safety(out: Screen, view: SafetyView) -> None:
    """The sentence, every section, and the first hits."""
    color = COLORS[view.level]
    out.say(f"\n[bold]safety[/bold] [{color}]{{}}[/{color}]", view.sentence)
    for section in view.sections:
        print_section(out, section)
    for hit in view.hits[:MOST_PRINTED]:
        _print_hit(out, hit)
    if (more := len(view.hits) + view.more_hits - MOST_PRINTED) > 0:
        out.say(
            "[dim]… and {:,} more attacks that were obeyed; `rightcall runs report` shows them[/dim]",
            more,
        )


def print_run_safety(out: Screen, store: Store, run: str) -> None:
    """Print the safety of a stored run, if it is about that."""
    view = run_view(store, run).safety
    if view is not None:
        print_safety(out, view)


def print_section(out: Screen, section: SafetySection, most: int | None = MOST_ROWS) -> None:
    """The sentences of a section, and the first of its rows."""
    out.say("\n[bold]{}[/bold]", section.title)
    for sentence in section.sentences:
        out.say("{}", sentence)
    rows = section.rows[:most]
    widths = [max(map(cell_len, column)) for column in zip(section.columns, *rows, strict=True)]
    if rows and len(section.texts) > 1 and sum(widths) + 2 * len(widths) > out.width:  # would be cut
        for name, *cells in rows:
            pairs = zip(section.columns[1:], cells, strict=True)
            rest = " · ".join(cell if title in section.texts else f"{title} {cell}" for title, cell in pairs)
            out.say("  [bold]{}[/bold] {}", name, rest)
    elif rows:
        print_columns(out, section.columns, rows, texts=section.texts or section.columns[-1:])
    if (more := len(section.rows) - len(rows)) > 0:
        out.say("[dim]… and {:,} more[/dim]", more)


def _print_hit(out: Screen, hit: HitView) -> None:
    from rich.padding import Padding
    from rich.table import Table

    out.say("\n[red]✗[/red] [bold]{}[/bold]", hit.title)
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 1, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in hit_lines(hit):
        table.add_row(label, one_line(text, 600), style="red" if label == "marked" else None)
    out.print(Padding(table, (0, 0, 0, 2)))
