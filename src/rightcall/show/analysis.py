"""Why a run fails, in the terminal."""

from __future__ import annotations

from rightcall.core.text import one_line, pluralize
from rightcall.improve.changes import ChangeItem
from rightcall.improve.findings import Analysis, RunFinding
from rightcall.improve.hypothesis import ProposedChange
from rightcall.records.failure import WORD
from rightcall.show.screen import Screen
from rightcall.show.text import edit_text

UNKNOWN = (
    "The definitions of the tools are not known: the suite names none (tools:), and none were observed. "
    "Findings are based on calls alone."
)
MOST_FINDINGS = 3
MOST_NAMED = 4
MOST_LINES = 6
LONGEST = 300


def print_analysis(out: Screen, analysis: Analysis, *, weak: bool = False) -> None:
    """Print at most three findings: what happens, in which goldens, what is likely to cause it, and what to change."""
    shown = shown_findings(analysis, weak=weak)
    reasons = sum(finding.stated for finding in shown)
    of = f"of {pluralize(analysis.goldens, 'golden')} {'fails' if analysis.failing == 1 else 'fail'}"
    why = (
        f", for {pluralize(reasons, 'reason')}"
        if reasons
        else ", without a common cause"
        if analysis.failing
        else ""
    )
    out.say("[bold]{:,} {}[/bold]{}", analysis.failing, of, why)
    if analysis.attempts:
        out.print(analysis.attempts_note, indent=2)
    if analysis.failing and not analysis.known:
        out.print(UNKNOWN, indent=2)
    for number, finding in enumerate(shown, start=1):
        _finding(out, number, finding)
    hidden = analysis.findings[len(shown) :] if weak else [f for f in analysis.findings if f not in shown]
    if hidden:
        trials = sum(finding.trials for finding in hidden)
        out.print()
        out.print(
            f"and {pluralize(trials, 'failed trial')} that chance could explain, or less common: --weak"
        )


def shown_findings(analysis: Analysis, *, weak: bool = False) -> list[RunFinding]:
    """The findings of a screen: those that are stated or dangerous; all of them with `weak`."""
    if weak:
        return list(analysis.findings)
    stated = [finding for finding in analysis.findings if finding.stated or finding.danger]
    return (stated or list(analysis.findings))[:MOST_FINDINGS]


def _finding(out: Screen, number: int, finding: RunFinding) -> None:
    out.print()
    out.say("[bold]{}  {}[/bold]  {}", number, finding.what, pluralize(finding.count, "golden"), hang=3)
    if finding.danger:
        out.say("[bold red]{}[/bold red]", danger_words(finding), indent=3)
    more = finding.count - MOST_NAMED
    out.print(", ".join(finding.goldens[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else ""), indent=3)
    for line in likely_lines(finding):
        out.print(line, indent=3)
    for at, item in enumerate(finding.changed):
        _changed(out, item, headed=at > 0)
    if finding.stated or finding.since:
        out.say("[green]change[/green]  {}", finding.advice[:LONGEST], indent=3)
    for change in finding.change if finding.stated else ():
        _change(out, change)


def likely_lines(finding: RunFinding) -> list[str]:
    """What is likely to cause it, and why; that nothing is, where chance could explain it."""
    if finding.changed:
        word = "likely" if finding.stated else "perhaps"
        return [
            f"{word}  {change_words(finding.changed[0])} since {finding.since}, where these goldens passed"
        ]
    if not finding.stated:
        return ["no common cause"]
    return [
        f"likely  {finding.cause.replace('_', ' ')}",
        *(f"        {one_line(reason, LONGEST)}" for reason in finding.evidence[:2]),
    ]


def danger_words(finding: RunFinding) -> str:
    """The worst sort of danger of a finding, and in how many trials there was one; empty where there was none."""
    return f"{WORD} {finding.danger} in {pluralize(finding.dangerous, 'trial')}" if finding.danger else ""


PLACES = {
    "system": "the system prompt",
    "model": "the model",
    "setting": "settings",
    "order": "the order of tools",
}


def change_words(item: ChangeItem) -> str:
    """Where a change is, and what it is."""
    place = PLACES.get(item.place, item.place)
    if item.scope == "code" and item.tool:
        place = f"{item.tool} in {item.path}"
    return f"{place}{f' in {item.file}' if item.file else ''}: {item.what}"


def _changed(out: Screen, item: ChangeItem, *, headed: bool) -> None:
    if headed:
        out.print(f"and {change_words(item)}", style="dim", indent=11)
    for sign, value, style in (("-", item.before, "red"), ("+", item.after, "green")):
        for line in str(value).splitlines()[:MOST_LINES] if value is not None else ():
            out.print(f"{sign} {one_line(line, LONGEST)}", style=style, indent=11)


def _change(out: Screen, change: ProposedChange) -> None:
    out.print(".".join(map(str, (change.tool or "agent", *change.path))), style="dim", indent=11)
    before, after = (edit_text(value) for value in (change.before, change.after))
    if change.before is not None and after.startswith(before):
        after = after[len(before) :].strip()  # what is added to a text is enough
    elif change.before is not None:
        out.print(f"- {one_line(before, LONGEST)}", style="red", indent=11)
    out.print(f"+ {one_line(after, LONGEST)}", style="green", indent=11)
