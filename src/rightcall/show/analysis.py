"""Why a run fails, in the terminal."""

from __future__ import annotations

from rightcall.core.text import pluralize
from rightcall.improve.findings import Analysis, RunFinding, WonBack
from rightcall.improve.hypothesis import ProposedChange
from rightcall.model.danger import SORTS, WORD
from rightcall.show.screen import Screen, print_columns
from rightcall.show.text import edit_text, value_words, whole

UNKNOWN = (
    "The definitions of the tools are not known: the suite names none (tools:), and none were observed. "
    "Findings are based on calls alone."
)
MOST_ROWS = 10
LONGEST = 300


def print_analysis(out: Screen, analysis: Analysis, *, weak: bool = False) -> None:
    """Print danger and advice, then findings with what to change, then confused tools and wrong parameters."""
    out.say("[bold]{:,} of {:,} trials failed[/bold] in {}", analysis.failed, analysis.trials, analysis.run)
    if analysis.attempts:
        out.print(analysis.attempts_note, indent=2)
    if not analysis.failed:
        return
    if (dangerous := sum(finding.dangerous for finding in analysis.findings)) and len(analysis.findings) > 1:
        sorts = ", ".join(sort for sort in SORTS if any(f.danger == sort for f in analysis.findings))
        out.say("[bold red]{} in {}: {}[/bold red]", WORD, pluralize(dangerous, "trial"), sorts, indent=2)
    if not analysis.known:
        out.print(UNKNOWN, indent=2)
    for line in analysis.guidance:
        out.print(line, style="dim", indent=2)
    visible = [finding for finding in analysis.findings if finding.stated or finding.danger or weak]
    for finding in visible:
        _finding(out, finding)
    hidden = [finding for finding in analysis.findings if not (finding.stated or finding.danger)]
    if hidden and not weak:
        trials = sum(finding.trials for finding in hidden)
        names = ", ".join(dict.fromkeys(finding.cause for finding in hidden))
        findings = pluralize(len(hidden), "weak finding")
        text = f"{trials:,} failed trials are in {findings} that chance could explain ({names}): --weak"
        out.print(text, style="dim")
    if not visible:
        out.print("No finding stands out from chance; more goldens or trials would show more.")
    if analysis.confusion:
        _print_confusion(out, analysis)
    if analysis.parameters:
        _print_parameters(out, analysis)


def _finding(out: Screen, finding: RunFinding) -> None:
    out.print()
    weak = "" if finding.stated else "  (weak)"
    out.say("[bold]{}. {}[/bold]  {}{}", finding.rank, finding.cause, finding.place, weak)
    if finding.danger:
        out.say("[bold red]{}[/bold red]", danger_words(finding), indent=3)
    out.print(finding.what, indent=3)
    out.print(ceiling_words(finding.won_back), indent=3)
    lint = [f"lint: {', '.join(finding.lint)}"] if finding.lint else []
    for reason in (*(reason[:LONGEST] for reason in finding.evidence), *lint):
        out.print(f"· {reason}", style="dim", indent=3)
    out.say("[green]change:[/green] {}", finding.advice[:LONGEST], indent=3)
    for change in finding.change:
        _change(out, change)
    if finding.examples:
        out.print(f"see: {', '.join(finding.examples)}", style="dim", indent=3)


def danger_words(finding: RunFinding) -> str:
    """The worst sort of danger of a finding, and in how many trials there was one; empty where there was none."""
    return f"{WORD} {finding.danger} in {pluralize(finding.dangerous, 'trial')}" if finding.danger else ""


def ceiling_words(won: WonBack) -> str:
    """The ceiling in whole goldens, with its interval."""
    low, high = (whole(edge) for edge in (won.low, won.high))
    return f"recovers up to {whole(won.cases)} of {won.of:,} goldens ({low}–{high}) if the change removes the cause"


def _change(out: Screen, change: ProposedChange) -> None:
    out.print(".".join(map(str, (change.tool or "agent", *change.path))), style="dim", indent=5)
    if change.before is not None:
        out.print(f"- {edit_text(change.before, LONGEST)}", style="red", indent=5)
    out.print(f"+ {edit_text(change.after, LONGEST)}", style="green", indent=5)


def _print_confusion(out: Screen, analysis: Analysis) -> None:
    rows = [(expected, called, f"{times:,}") for expected, called, times in analysis.confusion[:MOST_ROWS]]
    texts = ("expected", "called")
    out.print()
    print_columns(out, (*texts, "trials"), rows, texts=texts, caption="expected and called")


def _print_parameters(out: Screen, analysis: Analysis) -> None:
    rows = []
    for row in analysis.parameters[:MOST_ROWS]:
        kinds = ", ".join(f"{kind} {times}" for kind, times in row.kinds.items())
        example = " → ".join(map(value_words, row.expected_actual[0][:2])) if row.expected_actual else ""
        name = f"{row.tool}.{row.parameter}"
        rows.append((name, f"{row.wrong:,}", f"{row.expected:,}", kinds, example[:60]))
    titles = ("parameter", "wrong", "of", "mistakes", "for example")
    out.print()
    print_columns(out, titles, rows, texts=(titles[0], *titles[3:]), caption="parameters")
