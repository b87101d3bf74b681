"""One case for the terminal: the input, expected next to actual calls, the transcript, and its history."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from rightcall.core.text import shorten
from rightcall.improve.run_setup import run_record
from rightcall.metrics.dimensions import SPOTLESS
from rightcall.show.run_screen import say_wrapped
from rightcall.show.screen import Screen
from rightcall.show.text import duration
from rightcall.show.view.calls import CallView
from rightcall.show.view.case import CaseView, case_view
from rightcall.show.view.failures import danger_text
from rightcall.show.view.grouped_trials import (
    GoldenRow,
    PastTrials,
    golden_history,
    golden_row,
    system_prompt,
)
from rightcall.show.view.messages import MessageView

if TYPE_CHECKING:
    from rightcall.store.base import StoredRun
    from rightcall.store.sql.store import Store

OUTCOMES = {
    "passed": "[green]✓ passed[/green]",
    "failed": "[red]✗ failed[/red]",
    "error": "[yellow]! error[/yellow]",
    "unchecked": "[dim]? unchecked[/dim]",
}
HISTORY_MARKS = {"passed": "[green]✓[/green]", "error": "[yellow]![/yellow]", "unchecked": "[dim]?[/dim]"}
TONES = {"good": ("✓", "green"), "quiet": ("✓", ""), "bad": ("✗", "red")}
RIGHT_TOOL = ("right", "wrong_arguments", "out_of_order", "wrong_agent")
"""Kinds of calls whose tool is the expected one, which may be a pattern or one of several names."""
LONGEST_MESSAGE = 1500
MOST_HISTORY = 3


def print_case(
    out: Screen,
    view: CaseView,
    *,
    trials: GoldenRow,
    system: str = "",
    history: Sequence[PastTrials] = (),
    why: bool = False,
    suite: str = "",
) -> None:
    """Print one trial of a golden. `history` has the same golden in other runs, newest first."""
    _print_outcome(out, view, trials, suite)
    if system:
        _print_section(out, "system prompt", system)
    for name, rule in view.rules:
        if name != "system prompt":
            out.say("[dim]{}:[/dim] {}", name, rule)
    _print_calls(out, view)
    if view.messages:
        out.say("\n[dim]transcript[/dim]")
        for message in view.messages:
            _print_message(out, message)
    _print_numbers(out, view, why=why)
    if history:
        _print_history(out, history)


def show_case(
    out: Screen, store: Store, run: StoredRun, golden_id: str, trial: int | None = None, *, why: bool = False
) -> None:
    """Print a case of a stored run."""
    stored = store.runs.case(run.id, golden_id)
    record = run_record(store, run)
    tools = {tool.name: tool for tool in record.tools}
    print_case(
        out,
        case_view(stored.golden, stored.trial(trial), tools),
        trials=golden_row(stored.golden_id, stored.results, tools),
        system=system_prompt(record, stored.golden),
        history=golden_history(store, run, stored.golden_id),
        why=why,
        suite=f"{run.run.versions.get('suite_file', run.run.name)}, {run.run.agent}",
    )


def _print_outcome(out: Screen, view: CaseView, trials: GoldenRow, suite: str) -> None:
    mark = OUTCOMES[view.outcome]
    out.say(f"[bold]{{}}[/bold]  {mark}", view.golden_id, end="")
    if view.danger:
        out.say("  [bold white on red] {} [/bold white on red]", danger_text(view.danger), end="")
    several = trials.judged + trials.errors > 1 and view.outcome != "unchecked"
    which = f"trial {view.trial}; {trials.passed} of {trials.judged} passed" if several else ""
    out.say("  [dim]{}[/dim]", "; ".join(filter(None, (which, suite))))
    out.say("[dim]{}[/dim]", " · ".join((*view.facts, *view.tags)))
    if view.reason:
        say_wrapped(out, "", view.reason, "red" if view.outcome == "failed" else "yellow")
    _print_section(out, "asked", view.input)


def _print_calls(out: Screen, view: CaseView) -> None:
    out.say("\n[dim]calls, expected and made[/dim]")
    out.print(_calls(view.calls) if view.calls else "none expected, none made")


def _print_section(out: Screen, title: str, text: str) -> None:
    out.say("\n[dim]{}[/dim]", title)
    out.print(text, soft_wrap=True)


def _calls(calls: Sequence[CallView]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for title in ("", "expected", "", "made"):
        table.add_column(title, overflow="fold")
    for call in calls:
        sign, style = TONES[call.tone]
        same = call.kind in RIGHT_TOOL or (bool(call.tool) and call.tool == call.expected_tool)
        table.add_row(
            Text(sign, style),
            (call.expected_tool or "–") + (f"  by {call.expected_agent}" if call.expected_agent else ""),
            "=" if same else "≠",
            Text("  " * call.depth)
            .append(f"{call.agent}: " if call.agent else "", "cyan")
            .append(call.tool or "–", "" if same else style)
            .append(_remarks(call), "dim"),
        )
        for row in call.arguments:
            style = "" if row.mark == "same" else "red"
            expected, actual = ("–" if value is None else value for value in (row.expected, row.actual))
            note = f"  {row.note}" if row.note and row.mark != "same" else ""
            cell = Text(f"  {actual}", style).append(note, "dim")
            table.add_row("", f"  {row.name} = {expected}", Text(row.sign, style), cell)
    return table


def _remarks(call: CallView) -> str:
    """What is said of a call besides its arguments: what is wrong with it, how it failed, what a human decided."""
    word = call.word if call.kind != "right" else ""
    failed = "tool failed" if call.status == "error" else ""
    written = f"called as {call.written}" if call.written else ""
    return "".join(f"  {remark}" for remark in (word, written, failed, call.approval) if remark)


def _print_message(out: Screen, message: MessageView) -> None:
    if message.heading:
        out.say("[dim]{}[/dim]", message.heading)
    mark = "[red]✗[/red] " if message.failing else "  "
    text = shorten(message.text, LONGEST_MESSAGE)
    who = f"{message.role} ({message.agent})" if message.agent else message.role
    latency_text = f"  ({duration(message.latency_ms)})" if message.latency_ms is not None else ""
    if text or not message.parts:
        out.say(f"{mark}[bold]{{}}[/bold] {{}}[dim]{{}}[/dim]", who, text, latency_text)
    for title, body in message.parts:
        shown = " ".join(body.split())
        out.say(f"{mark}[bold]{{}}[/bold] [cyan]{{}}[/cyan] {{}}", who, title, shown[:LONGEST_MESSAGE])


def _print_numbers(out: Screen, view: CaseView, *, why: bool) -> None:
    """Scores that were asked for and did not pass; with `why` every score."""
    shown = [
        score
        for score in view.scores
        if why or score.error or (not score.passed and score.name not in SPOTLESS)
    ]
    if view.outcome == "unchecked" and not view.scores:
        out.say("\n[dim]scores[/dim]    none: the golden states no check")
    for place, score in enumerate(shown):
        out.say("\n[dim]scores[/dim]    " if not place else " " * 10, end="")
        name = f"{score.name} (judged)" if score.judged else score.name
        reason = score.error or ("" if score.passed or score.name in SPOTLESS else score.reason)
        out.say("{}  {:.2f}{}", name, score.value, f"  {reason}" if reason else "")


def _print_history(out: Screen, history: Sequence[PastTrials]) -> None:
    marks = (
        f"{HISTORY_MARKS.get(past.trials.outcome, '[red]✗[/red]')} {past.started_at[5:16].replace('T', ' ')}"
        for past in history[:MOST_HISTORY]
    )
    out.say("\n[dim]before[/dim]    " + "   ".join(marks))
