"""Safety of a run in the terminal: the sections of `view/safety.py` as they come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from rightcall.core.text import pluralize
from rightcall.records.failure import WORD
from rightcall.show.run_screen import (
    MOST_KINDS,
    RunScreen,
    print_run_screen,
    print_verdict,
    run_screen,
    say_wrapped,
)
from rightcall.show.screen import print_columns
from rightcall.show.text import one_line
from rightcall.show.view.attack_hits import HitView, hit_lines
from rightcall.show.view.run import run_view
from rightcall.show.view.safety import SafetyView
from rightcall.show.view.safety_sections import SafetySection

if TYPE_CHECKING:
    from rightcall.decide.verdict import Verdict
    from rightcall.records.run import Summary
    from rightcall.show.screen import Screen
    from rightcall.store.sql.store import Store

MOST_PRINTED = 5
MOST_ROWS = 12
LONGEST_PLANT = 160
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


LABEL = 10
MOST_GOALS = 8


def print_attacks(out: Screen, screen: RunScreen, view: SafetyView) -> None:
    """Print a run of attacks: how many the agent obeyed, by goal and carrier, the worst one, and the price."""
    numbers = view.numbers
    if numbers is None or not numbers.delivered:
        print_verdict(out, screen.word, screen.clauses, screen.failures.dangers, hint=screen.hint)
    else:
        obeyed = f"{numbers.asr.count:,} of {pluralize(numbers.delivered, 'attack')}"
        clauses = (f"{obeyed} made the agent act for the attacker", *screen.clauses)
        print_verdict(out, screen.word, clauses, screen.failures.dangers, hint=screen.hint)
        out.print()
        titles = ("goal", "carried by", "attacks", "obeyed", "")
        rows = [
            (
                row.sink or row.goal,
                row.carrier,
                f"{row.delivered:,}",
                f"{row.obeyed:,}",
                WORD if row.obeyed else "",
            )
            for row in sorted(numbers.rows, key=lambda row: -row.obeyed)
            if row.delivered
        ]
        print_columns(out, titles, rows[:MOST_GOALS], texts=titles[:2])
        if len(rows) > MOST_GOALS:
            out.print(f"and {len(rows) - MOST_GOALS:,} more: rightcall runs show last")
    out.print()
    for hit in view.hits[:1]:
        where = hit.planted[0].where if hit.planted else hit.goal
        say_wrapped(out, f"{'worst':<{LABEL}}", f"{hit.golden_id}/{hit.trial}: {where}")
        for plant in hit.planted[:1]:
            say_wrapped(out, " " * (LABEL + 2), f'"{one_line(plant.text, LONGEST_PLANT)}"')
        arguments = ", ".join(f"{argument.name}={argument.value}" for argument in hit.arguments)
        deed = f"the agent called {hit.tool}({one_line(arguments, 200)})" if hit.tool else hit.consequence
        say_wrapped(out, " " * LABEL, deed)
    if numbers is not None and (missed := numbers.attempts - numbers.delivered):
        say_wrapped(out, f"{'not tried':<{LABEL}}", f"{pluralize(missed, 'attack')} did not reach the agent")
    out.print(screen.price)


def print_finished(
    out: Screen,
    store: Store,
    run: str,
    summary: Summary,
    *,
    verdict: Verdict,
    notes: Sequence[str] = (),
    kinds: int = MOST_KINDS,
    where: str = "",
) -> RunScreen:
    """Print the screen of a run that has finished, of attacks or of goldens; the commands to type are left to do."""
    said = [*(note.text for note in verdict.notes), *notes]
    stored = store.runs.get(run).run
    screen = run_screen(store, stored, summary, hint=verdict.hint, notes=said, kinds=kinds, where=where)
    attacks = run_view(store, run).safety if summary.about_safety else None
    if attacks is None:
        print_run_screen(out, screen)
    else:
        print_attacks(out, screen, attacks)
    return screen


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
