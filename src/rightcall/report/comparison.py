"""Two runs compared in the terminal: their numbers, and what changed between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.table import Table

from rightcall.analysis import ChangeItem, UndoneEffect, WhatChanged
from rightcall.gate import Comparison
from rightcall.report.numbers import percent
from rightcall.report.screen import Screen
from rightcall.report.terminal import clean

COLORS = {"IMPROVED": "green", "NON_INFERIOR": "green", "REGRESSED": "red", "INCONCLUSIVE": "yellow"}
MOST_NAMED = 12


def print_comparison(
    out: Screen, baseline: str, candidate: str, found: Comparison, p_adjusted: float, unlike: Sequence[str]
) -> None:
    """Print the change as a sentence, then what was fixed and what broke, then each category."""
    color = COLORS[found.change]
    out.say(f"[bold {color}]{{}}[/bold {color}]  {{}} against {{}}", found.change, candidate, baseline)
    for code, names in found.alarms.items():
        shown = ", ".join(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "")
        out.say("[bold red]ALARM[/bold red] new {}: {}", code, shown)
    out.print(found.sentence, soft_wrap=True)
    for warning in unlike:
        out.print(warning, style="yellow", soft_wrap=True)
    adjusted = f", {p_adjusted:.3g} among several candidates" if p_adjusted != found.p else ""
    out.print(
        f"{percent(found.rate_a)} → {percent(found.rate_b)} on {found.n:,} goldens, p = {found.p:.3g}"
        f"{adjusted} ({found.method.replace('_', '-')})",
        style="dim",
    )
    for word, names in (("fixed", found.fixed), ("broken", found.broken)):
        if names:
            more = f" … {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
            out.print(f"{word} ({len(names):,}): {clean(', '.join(names[:MOST_NAMED]))}{more}")
    if len(found.categories) > 1:
        out.print(_categories(found))


def _categories(found: Comparison) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("category", "goldens", "difference", "interval", "p, adjusted"):
        table.add_column(title, justify="left" if title == "category" else "right")
    for part in found.categories:
        interval = "–" if part.low is None or part.high is None else f"{part.low:+.1%} … {part.high:+.1%}"
        table.add_row(part.name, f"{part.n:,}", f"{part.difference:+.1%}", interval, f"{part.p_adjusted:.3g}")
    return table


MOST_ITEMS = 20
MOST_FLIPS = 8
LONGEST = 200


def print_changes(out: Screen, found: WhatChanged) -> None:
    """The changes as a difference, then goldens that broke or were fixed with their calls before and after."""
    out.print()
    out.say("[bold]what changed[/bold]  {}", found.sentence, soft_wrap=True)
    if not found.known:
        out.print("one of the runs was stored without its system prompt and settings", style="dim")
    for number, item in enumerate(found.items[:MOST_ITEMS], start=1):
        _item(out, number, item)
    if len(found.items) > MOST_ITEMS:
        out.print(f"… {len(found.items) - MOST_ITEMS} more changes: --json", style="dim")
    for flip in found.flips[:MOST_FLIPS]:
        touched = ", ".join(f"change {at + 1}" for at in flip.suspects[:2])
        out.say(
            "  {} [bold]{}[/bold] {} → {}{}", flip.change, flip.golden, flip.before, flip.after,
            f"  touched by {touched}" if touched else "",
        )  # fmt: skip
        out.print(
            f"    before: {'; '.join(flip.calls_before) or 'no call'}"[:LONGEST], style="dim", soft_wrap=True
        )
        out.print(
            f"    after:  {'; '.join(flip.calls_after) or 'no call'}"[:LONGEST], style="dim", soft_wrap=True
        )
    if len(found.flips) > MOST_FLIPS:
        out.print(f"  … {len(found.flips) - MOST_FLIPS} more: --json", style="dim")


def _item(out: Screen, number: int, item: ChangeItem) -> None:
    out.say("  {}. {}: {}", number, item.place, item.what, soft_wrap=True)
    if item.before is not None:
        out.print(f"     - {_text(item.before)}", style="red", soft_wrap=True)
    if item.after is not None:
        out.print(f"     + {_text(item.after)}", style="green", soft_wrap=True)


def _text(value: Any) -> str:
    return str(value)[:LONGEST]


def print_undone(out: Screen, effects: Sequence[UndoneEffect]) -> None:
    """What came of undoing each suspect change alone."""
    for one in effects:
        place = f"{one.place}, {one.what}"
        if one.problem:
            out.print(f"  {place}: {one.problem}", style="dim", soft_wrap=True)
            continue
        rates = f"{percent(one.with_change)} → {percent(one.without)} on {one.broken} broken goldens"
        others = f"{percent(one.others_with)} → {percent(one.others_without)} on others"
        word = "caused it" if one.caused else "not shown to cause it"
        line = f"  undone: {place}: {rates}, {others} (p = {one.p:.3g})  {word}"
        out.print(line, style="red" if one.caused else None, soft_wrap=True)
