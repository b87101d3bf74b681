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


def print_improvement(out: Screen, found: Improvement) -> None:
    """The outcome in a sentence, every proposal with its numbers, what it did to other tools, then the patch."""
    color, word = WORDS[found.outcome]
    out.say(f"[bold {color}]{{}}[/bold {color}]  {{}}", word, found.sentence, soft_wrap=True)
    out.print(_terms(found), style="dim", soft_wrap=True)
    if found.set_aside:
        names = ", ".join(found.set_aside)
        out.print(f"excluded, because they may be wrong: {names}", style="dim", soft_wrap=True)
    if found.tried:
        _print_tried(out, found)
    for one in found.tried:
        _details(out, one)
    for line in found.patch.splitlines():
        style = "green" if line.startswith("+") else "red" if line.startswith("-") else "dim"
        out.print(line[:2000], style=style, soft_wrap=True)


def _terms(found: Improvement) -> str:
    spent = f", ${found.cost_usd:.2f}" if found.cost_usd else ""
    early = f" ({found.seen} were enough)" if 0 < found.seen < found.proof else ""
    return (
        f"{found.tune} goldens to tune on, {found.proof} for proof{early}; proof number {found.proofs} on these "
        f"goldens, level {found.alpha:.3g}; {found.calls:,} calls{spent}"
    )


def _details(out: Screen, one: Tried) -> None:
    """What a table has no room for: why a proposal was refused, what it cost elsewhere, which goldens changed."""
    if one.refused:
        out.print(f"refused {one.name}: {one.refused}", soft_wrap=True)
    if not one.accepted:
        return
    moved = [effect for effect in one.by_tool if effect.before != effect.after]
    for effect in moved:
        out.print(
            f"  {effect.tool}: {percent(effect.before, 0)} → {percent(effect.after, 0)} on {effect.goldens}",
            style="dim",
        )
    if one.not_shown:
        names = ", ".join(one.not_shown)
        out.print(f"  too few goldens to exclude a loss of 10 points: {names}", style="dim", soft_wrap=True)
    for word, ids in (("fixed", one.fixed), ("broken", one.broken)):
        if ids:
            more = f" and {len(ids) - MOST_IDS} more" if len(ids) > MOST_IDS else ""
            out.print(f"  {word}: {', '.join(ids[:MOST_IDS])}{more}", style="dim", soft_wrap=True)
    for sentence in one.struck:
        out.print(f"  removed, because it had no effect: {sentence}", style="dim", soft_wrap=True)
    if one.cost_per_1000:
        out.print(f"  {one.tokens:+d} tokens are ${one.cost_per_1000:+.3f} per 1,000 requests", style="dim")


def _print_tried(out: Screen, found: Improvement) -> None:
    rows = []
    for one in found.tried:
        tune = "–" if one.tune_before is None else f"{percent(one.tune_before, 0)} → {_rate(one.tune_after)}"
        proof = "–" if one.after is None else f"{percent(one.before or 0.0, 0)} → {percent(one.after, 0)}"
        interval = change_interval(one.low, one.high, 0)
        p = "–" if one.p_adjusted is None else f"{one.p_adjusted:.3g}"
        rows.append((one.name, tune, proof, interval, p, f"{one.tokens:+d}", one.whole.lower()))
    titles = ("proposal", "tune", "proof", "interval", "p", "tokens", "whole")
    print_columns(out, titles, rows, texts=("proposal",))


def _rate(value: float | None) -> str:
    return "given up" if value is None else percent(value, 0)
