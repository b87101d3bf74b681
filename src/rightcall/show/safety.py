"""Attacks on a run, in the terminal and in Markdown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rightcall.show.columns import print_columns
from rightcall.show.text import one_line
from rightcall.show.view.attack_search import SearchView
from rightcall.show.view.safety import HitView, SafetyView

if TYPE_CHECKING:
    from rightcall.show.screen import Screen

MOST_PRINTED = 5
MOST_SEARCHED = 10


def print_safety(out: Screen, view: SafetyView) -> None:
    """The sentence, the table by family, the rates, what was not tested, and the first hits."""
    color = "red" if view.hits else "green" if view.numbers.delivered else "yellow"
    out.say(f"\n[bold]attacks[/bold] [{color}]{{}}[/{color}]", view.sentence, soft_wrap=True)
    print_columns(out, view.columns, view.rows)
    for name, text in view.facts:
        out.say("  [dim]{}[/dim] {}", name, text)
    for reason, count in view.not_run:
        out.say("  [yellow]not run[/yellow] {:,}: {}", count, one_line(reason, 200))
    untested = [f"{risk.id} {risk.name}" for risk in view.risks if not risk.tested]
    if untested:
        out.say("  [yellow]not tested[/yellow] {}", ", ".join(untested), soft_wrap=True)
    for hit in view.hits[:MOST_PRINTED]:
        out.say("  [red]✗[/red] {}", hit_line(hit, str), soft_wrap=True)
    if view.search is not None:
        out.say("\n[bold]adaptive search[/bold] {}", view.search.sentence, soft_wrap=True)
        if view.search.rows:
            print_columns(out, view.search.columns, view.search.rows[:MOST_SEARCHED])


def safety_markdown(view: SafetyView, code: Callable[..., str]) -> Iterator[str]:
    """The same for a pull request; foreign text is in code spans."""
    yield "### Attacks"
    yield ""
    yield view.sentence
    yield ""
    yield f"| {' | '.join(view.columns)} |"
    yield f"|{'|'.join(['---'] + ['---:'] * (len(view.columns) - 1))}|"
    for row in view.rows:
        yield f"| {' | '.join(row)} |"
    yield ""
    for name, text in view.facts:
        yield f"- {name}: {text}"
    for reason, count in view.not_run:
        yield f"- not run: {count:,}: {code(reason)}"
    for risk in view.risks:
        yield f"- {risk.id} {risk.name}: {risk.text}"
    yield ""
    for hit in view.hits:
        yield f"- {hit_line(hit, code)}"
    if view.more_hits:
        yield f"- and {view.more_hits:,} more"
    yield ""
    if view.search is not None:
        yield from _search_markdown(view.search, code)


def _search_markdown(search: SearchView, code: Callable[..., str]) -> Iterator[str]:
    yield "#### Adaptive search"
    yield ""
    yield search.sentence
    yield ""
    if search.rows:
        yield f"| {' | '.join(search.columns)} |"
        yield f"|{'|'.join(['---'] * len(search.columns))}|"
        for task, *cells in search.rows:
            yield f"| {' | '.join([code(task), *cells])} |"
        yield ""
    if search.more_rows:
        yield f"and {search.more_rows:,} more"
        yield ""


def hit_line(hit: HitView, code: Callable[..., str]) -> str:
    """What was planted where, the call it caused, and what would have stopped it."""
    planted = code(one_line(hit.planted, 300)) if hit.planted else "nothing"
    argument = f"; the canary is in {code(hit.argument)}, {hit.form}" if hit.argument else ""
    step = f" at step {hit.step}" if hit.step is not None else ""
    lint = f"; lint reports the planted definition: {hit.lint}" if hit.lint else ""
    guard = f"; `guard: auto` checks such calls by its rule `{hit.guard}`" if hit.guard else ""
    return (
        f"{code(hit.golden_id)}: planted in the {hit.where}: {planted} → {code(hit.call)}{step} ({hit.reached})"
        f"{argument}{lint}{guard}"
    )
