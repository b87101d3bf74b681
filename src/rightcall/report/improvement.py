"""What `improve` tried and what came of it, in the terminal."""

from __future__ import annotations

from rich.table import Table

from rightcall.analysis import Improvement
from rightcall.model.text import counted
from rightcall.report.screen import Screen

WORDS = {
    "accepted": ("green", "ACCEPTED"),
    "not_shown": ("yellow", "NOT SHOWN"),
    "worse": ("red", "WORSE"),
    "nothing_to_try": ("yellow", "NOTHING TO TRY"),
    "too_few": ("yellow", "TOO FEW GOLDENS"),
}


def print_improvement(out: Screen, found: Improvement) -> None:
    """The outcome in a sentence, every proposal with its numbers, then the patch."""
    color, word = WORDS[found.outcome]
    out.say(f"[bold {color}]{{}}[/bold {color}]  {{}}", word, found.sentence, soft_wrap=True)
    out.print(
        f"{found.tune} goldens to tune on, {found.proof} for proof; proof number {found.proofs} on these goldens, "
        f"level {found.alpha:.3g}; {counted(found.calls, 'call')}",
        style="dim", soft_wrap=True,
    )  # fmt: skip
    if found.set_aside:
        out.print(
            f"set aside, because they may be wrong: {', '.join(found.set_aside)}", style="dim", soft_wrap=True
        )
    if found.tried:
        out.print(_table(found))
    for one in found.tried:
        if one.refused:
            out.print(f"refused {one.name}: {one.refused}", soft_wrap=True)
        if one.worse_tools:
            out.print(f"{one.name} makes worse: {', '.join(one.worse_tools)}", soft_wrap=True)
    for line in found.patch.splitlines():
        style = "green" if line.startswith("+") else "red" if line.startswith("-") else "dim"
        out.print(line[:2000], style=style, soft_wrap=True)


def _table(found: Improvement) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("proposal", "tune", "proof", "interval", "p", "tokens", "whole"):
        table.add_column(title, justify="left" if title == "proposal" else "right")
    for one in found.tried:
        tune = "–" if one.tune_after is None else f"{one.tune_before:.0%} → {one.tune_after:.0%}"
        proof = "–" if one.after is None else f"{one.before:.0%} → {one.after:.0%}"
        interval = "–" if one.low is None or one.high is None else f"{one.low:+.0%} … {one.high:+.0%}"
        p = "–" if one.p_adjusted is None else f"{one.p_adjusted:.3g}"
        table.add_row(one.name, tune, proof, interval, p, f"{one.tokens:+d}", one.whole.lower())
    return table
