"""The screens of a run and of a gate: the verdict, equal failures together, the price, what to type next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from rightcall.core.text import clip_text, hundredths, percent, pluralize
from rightcall.decide.rules import Check
from rightcall.decide.verdict import Verdict
from rightcall.records.failure import WORD
from rightcall.records.record import Record
from rightcall.records.run import Run, Summary
from rightcall.show.screen import Screen, print_columns
from rightcall.show.text import display_text
from rightcall.show.view.failure_kinds import FailureKind, FailureKinds, failure_kinds
from rightcall.show.view.grouped_trials import GoldenRow, failed_goldens, unchecked_goldens
from rightcall.show.view.summary import verdict_reason

if TYPE_CHECKING:
    from rightcall.store.base import StoredRun
    from rightcall.store.sql.store import Store


COLORS = {"PASS": "green", "SAME": "green", "FAIL": "red", "ERROR": "red", "WORSE": "red"}
LABEL = 8
"""Width of the first column of a block."""
MOST_KINDS = 4
MOST_FAILED = 200


class NextStep(Record, frozen=True):
    """A command to type, and what it shows."""

    command: str
    what: str = ""


class RunScreen(Record, frozen=True):
    """What is printed of a finished run. `notes` are warnings, of which the first is shown."""

    word: str
    clauses: tuple[str, ...]
    failures: FailureKinds = FailureKinds()
    hint: str = ""
    price: str = ""
    notes: tuple[str, ...] = ()
    steps: tuple[NextStep, ...] = ()
    unchecked: tuple[GoldenRow, ...] = ()
    again: str = "rightcall runs show last"
    """What shows more kinds of failures with `--failures`."""


def run_screen(
    store: Store,
    run: Run,
    summary: Summary,
    *,
    word: str = "",
    hint: str = "",
    notes: Sequence[str] = (),
    kinds: int = MOST_KINDS,
    where: str = "",
) -> RunScreen:
    """The screen of a stored run that has finished; `where` is the option that names its store, for commands."""
    failures = failure_kinds(store, run.id, kinds)
    return RunScreen(
        word or summary.word,
        summary.clauses if summary.reason else (verdict_reason(summary),),
        failures,
        hint,
        price=price_text(summary.requests, run),
        notes=(*summary.warnings, *notes),
        steps=tuple(next_steps(failures, where)),
        unchecked=tuple(unchecked_goldens(store, run.id, kinds) if summary.unchecked else ()),
    )


def next_steps(failures: FailureKinds, where: str) -> Iterator[NextStep]:
    """At most two commands that help."""
    if not failures.first:
        yield NextStep(f"rightcall runs show last{where}", "every case and score")
        return
    yield NextStep(f"rightcall runs show last {shell_word(failures.first)}{where}", "one case in full")
    if not all(kind.error for kind in failures.kinds):
        yield NextStep(f"rightcall analyze last{where}", "why, and what to change")


def shell_word(word: str) -> str:
    from shlex import quote

    return quote(word)


def price_text(requests: int, run: Run) -> str:
    """`20 requests, 0.2 s`: what the run asked of the model, and how long it took."""
    requests_text = pluralize(requests, "request") if requests else "requests not seen"
    if not run.finished_at:
        return requests_text
    seconds = (
        datetime.fromisoformat(run.finished_at) - datetime.fromisoformat(run.started_at)
    ).total_seconds()
    return (
        f"{requests_text}, {seconds:,.1f} s" if seconds < 120 else f"{requests_text}, {seconds / 60:,.0f} min"
    )


def print_run_screen(out: Screen, screen: RunScreen) -> None:
    """Print everything of a run but the commands to type next."""
    print_verdict(out, screen.word, screen.clauses, screen.failures.dangers, hint=screen.hint)
    if screen.price and not screen.failures.kinds:
        out.print(screen.price, indent=len(screen.word) + 2)
    for kind in screen.failures.kinds:
        out.print()
        print_kind(out, kind)
    if screen.failures.more:
        out.print()
        every = len(screen.failures.kinds) + screen.failures.more
        more = f"and {pluralize(screen.failures.more, 'more kind')} of failure: "
        out.say("{}", f"{more}{screen.again} --failures {every}", soft_wrap=True)
    if screen.price and screen.failures.kinds:
        out.print()
        out.print(screen.price)
    if screen.unchecked:
        out.print()
    for row in screen.unchecked:
        _line(out, 0, f"{row.name}  {row.reason}")
    if screen.notes:
        out.print()
        note = screen.notes[0].removeprefix("warning: ")
        say_wrapped(out, "note: " if note == screen.notes[0] else "warning: ", note, "yellow")


def print_failed(out: Screen, store: Store, run: str) -> None:
    """A line for each golden that did not pass, for the log of a build."""
    rows, more = failed_goldens(store, run, MOST_FAILED)
    if rows:
        out.print()
    for row in rows:
        _line(out, 0, f"{row.golden_id}  {row.why}")
    if more:
        out.print(f"and {more:,} more")


def print_steps(out: Screen, steps: Sequence[NextStep]) -> None:
    """`next:` and at most two commands, each with what it shows."""
    if not steps:
        return
    out.print()
    wide = max(len(step.command) for step in steps)
    for at, step in enumerate(steps):
        label = "[dim]next:[/dim] " if not at else "      "
        room = out.width - 6 - wide - 4
        what = f"    {step.what}" if step.what and len(step.what) <= room else ""
        out.say(
            label + "{}[dim]{}[/dim]",
            f"{step.command:<{wide}}" if what else step.command,
            what,
            soft_wrap=True,
        )


def print_verdict(
    out: Screen, word: str, clauses: Sequence[str], dangers: Iterable[str] = (), hint: str = ""
) -> None:
    """The word and its reason, a clause a line; then what is dangerous."""
    color = COLORS.get(word, "yellow")
    indent = " " * (len(word) + 2)
    first, *others = clauses or ("",)
    say_wrapped(out, f"{word}  ", first, f"bold {color}", only_label=True)
    for sort in dangers:
        say_wrapped(out, f"{indent}{WORD}  ", sort, "bold white on red", only_label=True)
    for clause in others:
        say_wrapped(out, indent, clause)
    if hint:
        say_wrapped(out, indent, hint)


def print_why(out: Screen, stored: StoredRun) -> None:
    """Why a run has its verdict, at length: the rules, their bounds and error rates."""
    summary = stored.run.summary
    print_verdict(out, stored.verdict or "unfinished", summary.clauses if summary else ())
    out.print()
    for line in summary.why if summary else ():
        indent = " " * (len(line) - len(line.lstrip()))
        say_wrapped(out, indent or "", line.strip())


def print_kind(out: Screen, kind: FailureKind) -> None:
    """Equal failures: a title with the number of goldens, one golden in full, the names of the others."""
    label = WORD if kind.danger else "error" if kind.error else "failed"
    style = "bold white on red" if kind.danger else "yellow" if kind.error else "red"
    count = pluralize(kind.goldens, "golden")
    title = clip_text(kind.title, max(20, out.width - LABEL - len(count) - 2))
    gap = " " * max(2, out.width - LABEL - cell_len(title) - len(count))
    pad = " " * (LABEL - len(label))
    out.print(Text.assemble((label, style), pad, (title, "bold"), gap, count), soft_wrap=True)
    example = kind.example
    _line(out, LABEL, f"{example.golden_id}  {example.request}".rstrip())
    for call in example.expected:
        _line(out, LABEL + 2, f"{'expected':<11}{call}")
    for call, mark in example.called:
        _line(out, LABEL + 2, f"{'called':<11}{call}", mark)
    if example.why:
        _line(out, LABEL + 2, f"{'why':<11}{example.why}")
    if kind.also:
        names = short_names(example.golden_id, kind.also)
        _line(out, LABEL, also_text(names, kind.goldens - 1, out.width - LABEL))


def _line(out: Screen, indent: int, text: str, mark: str = "") -> None:
    room = out.width - indent - (len(mark) + 3 if mark else 0)
    shown = clip_text(display_text(text), max(20, room))
    out.say(" " * indent + "{}[red]{}[/red]", shown, f"   {mark}" if mark else "", soft_wrap=True)


def short_names(first: str, names: Sequence[str]) -> list[str]:
    """`release-102, -103`: what names share with the one before is left out."""
    prefix = first.rpartition("-")[0]
    return [
        name[len(prefix) :] if prefix and name.startswith(f"{prefix}-") and at else name
        for at, name in enumerate(names)
    ]


def also_text(names: Sequence[str], total: int, width: int) -> str:
    """As many names as fit in a line, and how many more there are."""
    text = "also " + " " * 8
    for shown, name in enumerate(names):
        rest = total - shown
        longer = f"{text}{', ' if shown else ''}{name}"
        ending = f" and {rest - 1:,} more" if rest > 1 else ""
        if shown and cell_len(longer + ending) > width:
            return f"{text} and {rest:,} more"
        text = longer
    return text if total <= len(names) else f"{text} and {total - len(names):,} more"


def say_wrapped(out: Screen, label: str, text: str, style: str = "", *, only_label: bool = False) -> None:
    """A label and a text that hangs below itself where the line is full."""
    from textwrap import wrap

    room = max(40, out.width - len(label))
    lines = wrap(display_text(text, 2000), room, break_long_words=False, break_on_hyphens=False) or [""]
    word = label.strip()
    indent = len(label) - len(label.lstrip())
    for place, line in enumerate(lines):
        lead = Text(" " * (len(label) if place else indent))
        if not place:
            lead.append(word, style).append(" " * (len(label) - indent - len(word)))
        out.print(lead.append(line, None if only_label else style), soft_wrap=True)


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
