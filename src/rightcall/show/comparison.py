"""Two runs compared in the terminal: their numbers, and what changed between them; and several runs side by side."""

from __future__ import annotations

from collections.abc import Sequence

from rightcall.core.text import percent, pluralize
from rightcall.decide.comparison import Comparison
from rightcall.improve.attribution import WhatChanged
from rightcall.improve.run_matrix import GoldenMatrix, TrendPoint
from rightcall.records.failure import danger_clause
from rightcall.run.decisions import RunComparison
from rightcall.show.run_screen import print_verdict, say_wrapped
from rightcall.show.screen import Screen, print_columns
from rightcall.show.terminal import clean
from rightcall.show.text import one_line
from rightcall.show.view.failure_kinds import FailureKinds

WORDS = {"IMPROVED": "BETTER", "NON_INFERIOR": "NOT WORSE", "REGRESSED": "WORSE"}
"""What a change is called on a screen."""
MOST_NAMED = 12
MOST_ITEMS = 6
LABEL = 10
ERROR_RATE = "a difference that is none is called WORSE in at most {} of comparisons"


def print_comparison(
    out: Screen,
    compared: RunComparison,
    changed: WhatChanged | None = None,
    still: FailureKinds | None = None,
) -> None:
    """Print the change of the rate, what was fixed and what broke, what changed in between, and what still fails."""
    comparison = compared.comparison
    word = WORDS.get(comparison.change, comparison.change)
    dangers = [danger_clause(code, len(ids)) for code, ids in comparison.alarms.items()]
    print_verdict(out, word, (headline(comparison),), dangers, hint=_counts(comparison))
    items = changed.items if changed is not None else ()
    if items or comparison.fixed or comparison.broken:
        out.print()
    for number, item in enumerate(items[:MOST_ITEMS]):
        _print_row(out, "" if number else "changed", clean(f"{item.place}: {item.what}"))
        for sign, value in (("-", item.before), ("+", item.after)):
            if value is not None:
                _print_row(out, "", f"  {sign} {one_line(str(value), out.width - LABEL - 4)}")
    if len(items) > MOST_ITEMS:
        _print_row(out, "", f"and {len(items) - MOST_ITEMS} more: --json")
    for label, names in (("fixed", comparison.fixed), ("broken", comparison.broken)):
        if names:
            more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
            _print_row(out, label, f"{clean(', '.join(names[:MOST_NAMED]))}{more}")
    for kind in still.kinds[:1] if still is not None else ():
        if kind.example.golden_id not in comparison.broken:
            _print_row(out, "still", clean(f"{kind.example.golden_id}   {kind.title}"))
    if word == "WORSE":
        out.print()
        out.print(ERROR_RATE.format(percent(comparison.alpha)))
    for note in (*compared.unlike, *compared.notes)[:1]:
        out.print()
        say_wrapped(out, "note: ", note, "yellow")


def headline(comparison: Comparison) -> str:
    """`14 of 15 goldens pass, before 3 of 15 (20% → 93.3%)`; or why nothing can be said."""
    if not comparison.n:
        return comparison.sentence
    rates = f"{percent(comparison.rate_a)} → {percent(comparison.rate_b)}"
    before, after = (rate * comparison.n for rate in (comparison.rate_a, comparison.rate_b))
    if all(abs(passing - round(passing)) < 1e-6 for passing in (before, after)):
        of = f"{comparison.n:,}"
        goldens = "golden" if comparison.n == 1 else "goldens"
        return f"{after:,.0f} of {of} {goldens} pass, before {before:,.0f} of {of} ({rates})"
    return f"pass rate {rates} over {pluralize(comparison.n, 'golden')}"


def _counts(comparison: Comparison) -> str:
    """How many goldens changed, and how many are not known in both runs; for an undecided comparison, also why."""
    counts = f"{len(comparison.fixed):,} fixed, {len(comparison.broken):,} broken{_unknown(comparison)}"
    if comparison.doubt:
        return f"{counts}; {comparison.doubt}"
    if comparison.change == "INCONCLUSIVE" and comparison.n:
        return f"{counts}; too few goldens differ to tell it from chance"
    margin = comparison.claim.margin_shown() if comparison.change == "NON_INFERIOR" else ""
    return f"{counts}; {margin}" if margin else counts


def _unknown(comparison: Comparison) -> str:
    """What got no answer in a run, and what only one of them has."""
    sides = (
        ("before", comparison.unanswered_a, comparison.only_a),
        ("now", comparison.unanswered_b, comparison.only_b),
    )
    is_said = bool(comparison.doubt)  # too many for any claim
    silent = (f"; {missing.text} {when}" for when, missing, _ in sides if missing.trials and not is_said)
    alone = (f"; not compared: {pluralize(len(ids), 'golden')} only {when}" for when, _, ids in sides if ids)
    return "".join((*silent, *alone))


def _print_row(out: Screen, label: str, text: str) -> None:
    say_wrapped(out, f"{label:<{LABEL}}", text)


MOST_SHOWN = 30
LONGEST_AGENT = 20
TITLES = ("run", "started", "agent", "rate", "range", "changed")


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
    """Pass rates of a group over time, with their ranges and what changed."""
    if group:
        out.say("[bold]{}[/bold]  {}", group, pluralize(len(points), "run"))
    agents = len({point.agent for point in points}) > 1
    ranged = any(point.range for point in points)
    rows = []
    for point in points:
        changed = ", ".join(point.changed) + ("" if point.joined else " (other goldens: not comparable)")
        started = point.started_at[:16].replace("T", " ")
        rate = percent(point.rate, 1) if point.goldens else "–"
        named = [point.agent] if agents else []
        rows.append((point.run, started, *named, rate, *([point.range or "–"] if ranged else []), changed))
    left_out = {title for title, shown in (("agent", agents), ("range", ranged)) if not shown}
    titles = [title for title in TITLES if title not in left_out]
    print_columns(out, titles, rows, texts=("agent", "changed"))
