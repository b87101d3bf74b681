"""The screen of a gate: the verdict, and a row for each of its rules."""

from __future__ import annotations

from rightcall.core.text import hundredths, percent
from rightcall.decide.rules import Check
from rightcall.decide.verdict import Verdict
from rightcall.show.run_screen import print_verdict, say_wrapped
from rightcall.show.screen import Screen, print_columns

TITLES = ("rule", "wanted", "measured", "verdict")


def print_gate(out: Screen, verdict: Verdict) -> None:
    """Print a verdict and, of several rules, what each wanted and measured."""
    dangers = [check.danger for check in verdict.checks if check.danger]
    print_verdict(out, verdict.word, verdict.lines, dangers, hint=verdict.hint)
    if len(verdict.checks) > 1:
        out.print()
        rows = [(check.name, *_numbers(check), check.word) for check in verdict.checks]
        print_columns(out, TITLES, rows, texts=("rule",))
    for note in verdict.notes[:1]:
        out.print()
        say_wrapped(out, "note: ", note.text, "yellow")


def _numbers(check: Check) -> tuple[str, str]:
    """What a rule wanted, and what was measured; a dash where there is nothing to compare."""
    if check.value is None or check.limit is None:
        return "–", "–"
    if check.controlled and check.name.startswith("against "):
        return f"≥ {hundredths(check.limit)} points", f"{hundredths(check.value, '+.1f')} points"
    if check.controlled:
        return f"≥ {hundredths(check.limit)}%", f"{percent(check.value)}  ({check.range})"
    if check.name.startswith("no "):
        return f"{check.limit:,.6g}", f"{check.value:,.6g}"
    return f"{check.limit:,.6g}", f"{check.value:,.4g}"
