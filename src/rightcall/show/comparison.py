"""Two runs compared in the terminal: their numbers, and what changed between them; and several runs side by side."""

from __future__ import annotations

from collections.abc import Sequence

from rightcall.core.text import change_interval, percent, percent_change, percent_interval, pluralize
from rightcall.decide.comparison import Comparison
from rightcall.improve.attribution import WhatChanged
from rightcall.improve.changes import ChangeItem
from rightcall.improve.run_matrix import GoldenMatrix, TrendPoint
from rightcall.run.decisions import RunComparison
from rightcall.show.screen import Screen, print_columns
from rightcall.show.terminal import clean
from rightcall.show.text import one_line

COLORS = {"IMPROVED": "green", "NON_INFERIOR": "green", "REGRESSED": "red", "INCONCLUSIVE": "yellow"}
MOST_NAMED = 12


def print_comparison(out: Screen, compared: RunComparison, titles: tuple[str, str] | None = None) -> None:
    """Print the change as a sentence, then what was fixed and what broke, then each category.

    `titles` are shown instead of the ids of baseline and candidate.
    """
    comparison, color = compared.comparison, COLORS[compared.comparison.change]
    baseline, candidate = titles or (compared.baseline, compared.candidate)
    out.say(f"[bold {color}]{{}}[/bold {color}]  {{}} against {{}}", comparison.change, candidate, baseline)
    for code, names in comparison.alarms.items():
        listed = ", ".join(names[:MOST_NAMED]) + (" …" if len(names) > MOST_NAMED else "")
        out.say("[bold red]ALARM[/bold red] new {}: {}", code, listed)
    out.print(comparison.sentence, soft_wrap=True)
    for warning in compared.unlike + compared.notes:
        out.print(warning, style="yellow", soft_wrap=True)
    alone = (
        f", p = {comparison.p:.3g} without the other candidates"
        if compared.p_adjusted != comparison.p
        else ""
    )
    if comparison.n:
        out.print(f"test: {comparison.method.replace('_', '-')}{alone}", style="dim")
    for word, names in (("fixed", comparison.fixed), ("broken", comparison.broken)):
        if names:
            more = f" … {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
            out.print(f"{word} ({len(names):,}): {clean(', '.join(names[:MOST_NAMED]))}{more}")
    if len(comparison.categories) > 1:
        _print_categories(out, comparison)


def _print_categories(out: Screen, comparison: Comparison) -> None:
    rows = []
    for part in comparison.categories:
        interval = change_interval(part.low, part.high)
        rows.append(
            (part.name, f"{part.n:,}", percent_change(part.difference), interval, f"{part.p_adjusted:.3g}")
        )
    titles = ("category", "goldens", "difference", "interval", "p, adjusted")
    print_columns(out, titles, rows, texts=("category",))


MOST_ITEMS = 20
MOST_FLIPS = 8
LONGEST = 200


def print_changes(out: Screen, changes: WhatChanged) -> None:
    """The changes as a difference, then goldens that broke or were fixed with their calls before and after."""
    out.print()
    out.say("[bold]what changed[/bold]  {}", changes.sentence, soft_wrap=True)
    if not changes.known:
        out.print("one of the runs was stored without its system prompt and settings", style="dim")
    for number, item in enumerate(changes.items[:MOST_ITEMS], start=1):
        _item(out, number, item)
    if len(changes.items) > MOST_ITEMS:
        out.print(f"… {len(changes.items) - MOST_ITEMS} more changes: --json", style="dim")
    for flip in changes.flips[:MOST_FLIPS]:
        out.say("  {} [bold]{}[/bold] {} → {}", flip.change, flip.golden, flip.before, flip.after)
        for word, calls in (("before: ", flip.calls_before), ("after:  ", flip.calls_after)):
            line = f"    {word}{'; '.join(calls) or 'no call'}"
            out.print(line[:LONGEST], style="dim", soft_wrap=True)
    if len(changes.flips) > MOST_FLIPS:
        out.print(f"  … {len(changes.flips) - MOST_FLIPS} more: --json", style="dim")


def _item(out: Screen, number: int, item: ChangeItem) -> None:
    out.say("  {}. {}: {}", number, item.place, item.what, soft_wrap=True)
    for sign, value, style in (("-", item.before, "red"), ("+", item.after, "green")):
        if value is not None:
            out.print(f"     {sign} {str(value)[:LONGEST]}", style=style, soft_wrap=True)


MOST_SHOWN = 30
LONGEST_AGENT = 20
WIDTH, NARROW = 24, 10
"""Characters of a bar on a wide terminal, and on another one."""
WIDE = 110
TITLES = ("run", "started", "agent", "rate", "0 … 100%", "interval", "changed")


def print_matrix(out: Screen, matrix: GoldenMatrix) -> None:
    """Goldens on which the runs differ, one column per run."""
    out.print()
    agree = matrix.goldens - len(matrix.rows)
    titles = ("golden", *matrix.runs)
    agents = [("", *(one_line(agent, LONGEST_AGENT) for agent in matrix.agents))]
    agents = agents if len(set(matrix.agents)) > 1 else []
    rows = [
        (row.golden, *(f"{passed}/{judged}" if judged else "–" for passed, judged in row.cells))
        for row in matrix.rows[:MOST_SHOWN]
    ]
    print_columns(out, titles, [*agents, *rows], texts=("golden",), caption="goldens by runs")
    if len(matrix.rows) > MOST_SHOWN:
        out.print(f"… {len(matrix.rows) - MOST_SHOWN:,} more goldens differ: --json", style="dim")
    out.print(f"the runs agree on {agree:,} of {matrix.goldens:,} goldens", style="dim")
    for number, items in enumerate(matrix.changes):
        words = "; ".join(f"{item.place}: {item.what}" for item in items[:5]) or "nothing changed"
        out.print(f"{matrix.runs[number]} → {matrix.runs[number + 1]}: {words}", style="dim", soft_wrap=True)


def print_trend(out: Screen, group: str, points: Sequence[TrendPoint]) -> None:
    """Pass rates of a group over time, with intervals and what changed."""
    if group:
        out.say("[bold]{}[/bold]  {}", group, pluralize(len(points), "run"))
    agents = len({point.agent for point in points}) > 1
    wide = WIDTH if out.width >= WIDE else NARROW
    rows = []
    for point in points:
        changed = ", ".join(point.changed) + ("" if point.joined else " (other goldens: not comparable)")
        started = point.started_at[:16].replace("T", " ")
        bounds = percent_interval(point.low, point.high) if point.goldens else "–"
        rate = percent(point.rate, 1) if point.goldens else "–"
        named = [point.agent] if agents else []
        rows.append(
            (point.run, started, *named, rate, _bar(point, wide) if point.goldens else "", bounds, changed)
        )
    titles = [title for title in TITLES if title != "agent" or agents]
    print_columns(out, titles, rows, texts=("agent", "changed"))


def _bar(point: TrendPoint, wide: int) -> str:
    low, high, at = (round(value * (wide - 1)) for value in (point.low, point.high, point.rate))
    cells = ["─" if low <= n <= high else " " for n in range(wide)]
    cells[at] = "●"
    return "".join(cells)
