"""The worst case for the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rightcall.core.text import first_names, one_line, percent, pluralize
from rightcall.show.view.safety_sections import BLIND
from rightcall.wings.attacks.worst_case.outcome import CallRow, Unguarded, WorstCaseResult, WorstCaseSummary
from rightcall.wings.attacks.worst_case.suite_replay import untried_text

if TYPE_CHECKING:
    from rightcall.show.screen import Screen

MOST_SHOWN = 10


def print_worst_case(out: Screen, result: WorstCaseResult, *, every: bool = False) -> None:
    """What an attacker's calls met, what the user's calls met, and the calls that nothing stopped."""
    summary = result.summary
    out.say("[bold]guard {}[/bold], threat {}: no model was asked", summary.guard, summary.threat)
    if summary.inconclusive:
        out.say("[yellow]INCONCLUSIVE[/yellow] {}", summary.inconclusive)
        _print_skipped(out, summary)
        return
    out.print(attacker_sentence(summary), soft_wrap=True)
    for share in summary.sinks:
        by = ", ".join(
            f"{rule} {count:,}" for rule, count in sorted(share.by.items(), key=lambda item: -item[1])[:5]
        )
        out.print(
            f"  {share.sink:<8} {share.stopped:,} of {share.calls:,}" + (f"  by {by}" if by else ""),
            soft_wrap=True,
        )
    if sum(share.calls for share in summary.sinks) > summary.attacker_calls:
        out.say("[dim]  a call of a tool with several kinds of effect is in each of their lines[/dim]")
    out.print(user_sentence(summary), soft_wrap=True)
    stops = [row for row in result.rows if row.who == "user" and row.stopped]
    _print_some(out, map(stop_words, stops), every)
    if summary.unguarded:
        out.say("[red]{} that nothing stopped[/red]", pluralize(len(summary.unguarded), "goal"))
    _print_some(out, map(call_words, summary.unguarded), every)
    _print_skipped(out, summary)
    out.say("[dim]{}[/dim]", BLIND, soft_wrap=True)


def attacker_sentence(summary: WorstCaseSummary) -> str:
    share = summary.stopped / summary.attacker_calls if summary.attacker_calls else 0.0
    return (
        f"Attacker: {summary.stopped:,} of {pluralize(summary.attacker_calls, 'call')} of sinks stopped"
        f" ({percent(share)}), each tried at every position after a read of foreign text"
    )


def user_sentence(summary: WorstCaseSummary) -> str:
    """False stops as a share of all calls, of sink calls and of tasks."""
    stops = summary.false_stops
    of_sinks = stops / summary.user_sinks if summary.user_sinks else 0.0
    return (
        f"User: {stops} of {pluralize(summary.user_calls, 'call')} stopped ({percent(summary.false_stop_rate)};"
        f" {percent(of_sinks)} of sink calls), {summary.asked} by asking, {summary.denied} refused;"
        f" {summary.tasks_stopped} of {pluralize(summary.tasks, 'task')} with a stop"
    )


def _print_some(out: Screen, lines: Iterable[str], every: bool) -> None:
    """The first lines, and how many more there are; or every one."""
    whole = list(lines)
    for line in whole[: None if every else MOST_SHOWN]:
        out.print(f"  {line}", soft_wrap=True)
    if not every and len(whole) > MOST_SHOWN:
        out.print(f"  … {len(whole) - MOST_SHOWN} more; --all shows them")


def stop_words(row: CallRow) -> str:
    """`mail-1: send_message deny by no-foreign-address to is external`."""
    about = f" {row.argument} is {row.label}" if row.argument else ""
    return f"{row.golden_id}: {row.tool} {row.verdict} by {', '.join(row.by)}{about}"


def call_words(reached: Unguarded) -> str:
    """`send: send_message(to=…) after 1 call of golden mail-1`."""
    arguments = ", ".join(f"{name}={one_line(str(value), 60)}" for name, value in reached.arguments.items())
    return f"{reached.goal} in {reached.golden_id} after {pluralize(reached.at, 'call')}: {reached.tool}({arguments})"


def _print_skipped(out: Screen, summary: WorstCaseSummary) -> None:
    notes = []
    if summary.undelivered:
        notes.append(
            f"{pluralize(summary.undelivered, 'golden')} read no external data successfully, so no attack is delivered"
        )
    if summary.unsupplied:
        notes.append(f"{pluralize(summary.unsupplied, 'result')} not available (no world, mock or recording)")
    if summary.untried and not summary.inconclusive:
        notes.append(untried_text(summary.untried))
    if summary.skipped:
        names = first_names(list(summary.skipped), 5)
        notes.append(f"not replayed: {names} ({next(iter(summary.skipped.values()))})")
    for note in notes:
        out.say("[dim]{}[/dim]", note, soft_wrap=True)
