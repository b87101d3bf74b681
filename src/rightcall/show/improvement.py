"""What `improve` tried, and what faults did, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rightcall.core.text import change_interval, percent, pluralize
from rightcall.improve.improvement import DangerLeft, Improvement, Tried
from rightcall.improve.robustness import FaultReport
from rightcall.records.failure import WORD
from rightcall.show.screen import Screen, print_columns
from rightcall.show.terminal import clean

MOST_IDS = 8
WORDS = {
    "accepted": ("green", "ACCEPTED"),
    "not_shown": ("yellow", "NOT SHOWN"),
    "worse": ("red", "WORSE"),
    "nothing_to_try": ("yellow", "NOTHING TO TRY"),
    "too_few": ("yellow", "TOO FEW GOLDENS"),
}


def print_improvement(out: Screen, improvement: Improvement) -> None:
    """Danger that remains, the outcome, every proposal with its numbers, what it did to other tools, then the patch."""
    for sort in improvement.danger:
        if sort.after:
            out.say("[bold red]{}[/bold red] {}", WORD, _danger_sentence(improvement, sort), soft_wrap=True)
    color, word = WORDS[improvement.outcome]
    out.say(f"[bold {color}]{{}}[/bold {color}]  {{}}", word, improvement.sentence, soft_wrap=True)
    out.print(_terms(improvement), style="dim", soft_wrap=True)
    for sort in improvement.danger:
        if not sort.after:
            out.print(f"{sort.danger}: {sort.before} → 0 trials of held-out goldens")
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


def _danger_sentence(improvement: Improvement, left: DangerLeft) -> str:
    """A sort of danger that the proposed change does not remove, and where."""
    goldens = _names(left.goldens)
    danger = f"{left.danger} in {pluralize(left.after, 'trial')} of"
    if improvement.outcome == "accepted":
        return f"{danger} held-out goldens ({left.before} before): no proposed change removed it: {goldens}"
    return f"{danger} {improvement.run}: no change was shown to remove it: {goldens}"


def _names(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - MOST_IDS} more" if len(ids) > MOST_IDS else ""
    return ", ".join(ids[:MOST_IDS]) + more


def _terms(improvement: Improvement) -> str:
    spent = f", ${improvement.cost_usd:.2f}" if improvement.cost_usd else ""
    return (
        f"{pluralize(improvement.tune, 'golden')} to tune on, {improvement.proof} for proof; "
        f"proof number {improvement.proofs} on these goldens, level {improvement.alpha:.3g}; "
        f"{pluralize(improvement.calls, 'call')}{spent}"
    )


def _details(out: Screen, attempt: Tried) -> None:
    """What a table has no room for: why a proposal was refused, what it cost elsewhere, which goldens changed."""
    if attempt.refused:
        out.print(f"refused {attempt.name}: {attempt.refused}", soft_wrap=True)
    if not attempt.accepted:
        return
    for effect in attempt.by_tool:
        if effect.before != effect.after:
            rates = f"{percent(effect.before, 0)} → {percent(effect.after, 0)}"
            out.print(f"  {effect.tool}: {rates} on {effect.goldens}", style="dim")
    if attempt.not_shown:
        names = ", ".join(attempt.not_shown)
        out.print(f"  too few goldens to exclude a loss of 10 points: {names}", style="dim", soft_wrap=True)
    for word, ids in (("fixed", attempt.fixed), ("broken", attempt.broken)):
        if ids:
            out.print(f"  {word}: {_names(ids)}", style="dim", soft_wrap=True)
    if attempt.cost_per_1000:
        cost = f"{attempt.tokens:+d} tokens are ${attempt.cost_per_1000:+.3f} per 1,000 requests"
        out.print(f"  {cost}", style="dim")


def _print_tried(out: Screen, improvement: Improvement) -> None:
    rows = []
    for attempt in improvement.tried:
        tuned = "given up" if attempt.tune_after is None else percent(attempt.tune_after, 0)
        tune = "–" if attempt.tune_before is None else f"{percent(attempt.tune_before, 0)} → {tuned}"
        proof = percent(attempt.after, 0)
        if attempt.after is not None:
            proof = f"{percent(attempt.before or 0.0, 0)} → {proof}"
        interval = change_interval(attempt.low, attempt.high, 0)
        p = "–" if attempt.p_adjusted is None else f"{attempt.p_adjusted:.3g}"
        rows.append((attempt.name, tune, proof, interval, p, f"{attempt.tokens:+d}", attempt.whole.lower()))
    titles = ("proposal", "tune", "proof", "interval", "p", "tokens", "whole")
    print_columns(out, titles, rows, texts=("proposal",))


def print_fault_report(out: Screen, report: FaultReport) -> None:
    """Print how many cases faults hit, how many survived, what was repeated, and which faults never fired."""
    summary = report.summary
    out.say("\n[bold]faults[/bold] hit {:,} of {:,} trials", summary.struck, summary.trials)
    for name, value in (("recovery", summary.recovery), ("retention", summary.retention)):
        if value is not None:
            out.print(f"  {name:<10} {percent(value, 1)}")
    color = "red" if report.double_effects else "green"
    text = f"  [{color}]double effects {{:,}}[/{color}], lost effects {{:,}}, blind retries {{:,}}"
    out.say(text, report.double_effects, report.lost_effects, report.blind_retries)
    if report.verified_before_retry is not None:
        out.print(f"  checked before retrying: {percent(report.verified_before_retry, 1)}")
    for case, words in list(report.doubled.items())[:10]:
        out.say("  [red]✗[/red] {}: {}", clean(case), clean(words), soft_wrap=True)
    if report.unanswered:
        out.say(
            "  [yellow]{}[/yellow] without an answer, with faults or without",
            pluralize(report.unanswered, "trial"),
        )
    for name in summary.not_run:
        out.say("  [yellow]not run[/yellow] {}: never fired, so nothing is known about it", name)
