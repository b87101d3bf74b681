"""What `improve` tried, with the results, in the terminal."""

from __future__ import annotations

from rightcall.core.text import change_interval, percent
from rightcall.improve.improvement import Improvement, Tried
from rightcall.show.columns import print_columns
from rightcall.show.screen import Screen

MOST_IDS = 8
WORDS = {
    "accepted": ("green", "ACCEPTED"),
    "not_shown": ("yellow", "NOT SHOWN"),
    "worse": ("red", "WORSE"),
    "nothing_to_try": ("yellow", "NOTHING TO TRY"),
    "too_few": ("yellow", "TOO FEW GOLDENS"),
}


def print_improvement(out: Screen, improvement: Improvement) -> None:
    """The outcome in a sentence, every proposal with its numbers, what it did to other tools, then the patch."""
    color, word = WORDS[improvement.outcome]
    out.say(f"[bold {color}]{{}}[/bold {color}]  {{}}", word, improvement.sentence, soft_wrap=True)
    out.print(_terms(improvement), style="dim", soft_wrap=True)
    if improvement.set_aside:
        names = ", ".join(improvement.set_aside)
        out.print(f"excluded, because they may be wrong: {names}", style="dim", soft_wrap=True)
    if improvement.tried:
        _print_tried(out, improvement)
    for attempt in improvement.tried:
        _details(out, attempt)
    for line in improvement.patch.splitlines():
        style = "green" if line.startswith("+") else "red" if line.startswith("-") else "dim"
        out.print(line[:2000], style=style, soft_wrap=True)


def _terms(improvement: Improvement) -> str:
    spent = f", ${improvement.cost_usd:.2f}" if improvement.cost_usd else ""
    early = f" ({improvement.seen} were enough)" if 0 < improvement.seen < improvement.proof else ""
    return (
        f"{improvement.tune} goldens to tune on, {improvement.proof} for proof{early}; "
        f"proof number {improvement.proofs} on these goldens, level {improvement.alpha:.3g}; "
        f"{improvement.calls:,} calls{spent}"
    )


def _details(out: Screen, attempt: Tried) -> None:
    """What a table has no room for: why a proposal was refused, what it cost elsewhere, which goldens changed."""
    if attempt.refused:
        out.print(f"refused {attempt.name}: {attempt.refused}", soft_wrap=True)
    if not attempt.accepted:
        return
    moved = [effect for effect in attempt.by_tool if effect.before != effect.after]
    for effect in moved:
        out.print(
            f"  {effect.tool}: {percent(effect.before, 0)} → {percent(effect.after, 0)} on {effect.goldens}",
            style="dim",
        )
    if attempt.not_shown:
        names = ", ".join(attempt.not_shown)
        out.print(f"  too few goldens to exclude a loss of 10 points: {names}", style="dim", soft_wrap=True)
    for word, ids in (("fixed", attempt.fixed), ("broken", attempt.broken)):
        if ids:
            more = f" and {len(ids) - MOST_IDS} more" if len(ids) > MOST_IDS else ""
            out.print(f"  {word}: {', '.join(ids[:MOST_IDS])}{more}", style="dim", soft_wrap=True)
    for sentence in attempt.struck:
        out.print(f"  removed, because it had no effect: {sentence}", style="dim", soft_wrap=True)
    if attempt.cost_per_1000:
        out.print(
            f"  {attempt.tokens:+d} tokens are ${attempt.cost_per_1000:+.3f} per 1,000 requests", style="dim"
        )


def _print_tried(out: Screen, improvement: Improvement) -> None:
    rows = []
    for attempt in improvement.tried:
        tune = (
            "–"
            if attempt.tune_before is None
            else f"{percent(attempt.tune_before, 0)} → {_rate(attempt.tune_after)}"
        )
        proof = (
            "–"
            if attempt.after is None
            else f"{percent(attempt.before or 0.0, 0)} → {percent(attempt.after, 0)}"
        )
        interval = change_interval(attempt.low, attempt.high, 0)
        p = "–" if attempt.p_adjusted is None else f"{attempt.p_adjusted:.3g}"
        rows.append((attempt.name, tune, proof, interval, p, f"{attempt.tokens:+d}", attempt.whole.lower()))
    titles = ("proposal", "tune", "proof", "interval", "p", "tokens", "whole")
    print_columns(out, titles, rows, texts=("proposal",))


def _rate(value: float | None) -> str:
    return "given up" if value is None else percent(value, 0)
