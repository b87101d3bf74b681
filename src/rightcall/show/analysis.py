"""Why a run fails, in the terminal."""

from __future__ import annotations

from rightcall.improve.findings import Analysis, RunFinding, WonBack
from rightcall.improve.hypothesis import ProposedChange
from rightcall.show.columns import print_columns
from rightcall.show.numbers import whole
from rightcall.show.screen import Screen
from rightcall.show.text import edit_text, value_words

MOST_ROWS = 10
LONGEST = 300


def print_analysis(out: Screen, found: Analysis, *, weak: bool = False) -> None:
    """Print advice, then findings with what to change, then confused tools and wrong parameters."""
    out.say("[bold]{:,} of {:,} trials failed[/bold] in {}", found.failed, found.trials, found.run)
    if not found.failed:
        return
    for line in found.guidance:
        out.print(f"  {line}", style="dim", soft_wrap=True)
    shown = [one for one in found.findings if one.stated or weak]
    for one in shown:
        _finding(out, one)
    left = [one for one in found.findings if not one.stated]
    if left and not weak:
        trials = sum(one.trials for one in left)
        names = ", ".join(dict.fromkeys(one.cause for one in left))
        text = f"{trials:,} failed trials are in {len(left)} weak findings that chance could explain ({names}): --weak"
        out.print(text, style="dim", soft_wrap=True)
    if not shown:
        out.print("No finding stands out from chance; more goldens or trials would show more.")
    if found.confusion:
        _print_confusion(out, found)
    if found.parameters:
        _print_parameters(out, found)


def _finding(out: Screen, one: RunFinding) -> None:
    won = one.won_back
    out.print()
    out.say("[bold]{}. {}[/bold]  {}{}", one.rank, one.cause, one.place, "" if one.stated else "  (weak)")
    out.print(f"   {one.what}", soft_wrap=True)
    out.print(f"   {won_back_words(won)}", soft_wrap=True)
    for reason in one.evidence:
        out.print(f"   · {reason[:LONGEST]}", style="dim", soft_wrap=True)
    if one.lint:
        out.print(f"   · lint: {', '.join(one.lint)}", style="dim")
    out.say("   [green]change:[/green] {}", one.advice[:LONGEST], soft_wrap=True)
    for change in one.change:
        _change(out, change)
    if one.examples:
        out.print(f"   see: {', '.join(one.examples)}", style="dim", soft_wrap=True)


def won_back_words(won: WonBack) -> str:
    """The ceiling in whole goldens, with its interval."""
    low, high = (whole(edge) for edge in (won.low, won.high))
    return f"wins back up to {whole(won.cases)} of {won.of:,} goldens ({low}–{high}) if the change removes the cause"


def _change(out: Screen, change: ProposedChange) -> None:
    where = ".".join(map(str, (change.tool or "agent", *change.path)))
    out.print(f"     {where}", style="dim", soft_wrap=True)
    if change.before is not None:
        out.print(f"     - {edit_text(change.before, LONGEST)}", style="red", soft_wrap=True)
    out.print(f"     + {edit_text(change.after, LONGEST)}", style="green", soft_wrap=True)


def _print_confusion(out: Screen, found: Analysis) -> None:
    rows = [(wanted, called, f"{times:,}") for wanted, called, times in found.confusion[:MOST_ROWS]]
    texts = ("expected", "called")
    print_columns(out, (*texts, "trials"), rows, texts=texts, caption="expected and called")


def _print_parameters(out: Screen, found: Analysis) -> None:
    rows = []
    for row in found.parameters[:MOST_ROWS]:
        kinds = ", ".join(f"{kind} {times}" for kind, times in row.kinds.items())
        example = " → ".join(map(value_words, row.expected_actual[0][:2])) if row.expected_actual else ""
        rows.append(
            (f"{row.tool}.{row.parameter}", f"{row.wrong:,}", f"{row.expected:,}", kinds, example[:60])
        )
    texts = ("parameter", "mistakes", "for example")
    print_columns(
        out, ("parameter", "wrong", "of", "mistakes", "for example"), rows, texts=texts, caption="parameters"
    )
