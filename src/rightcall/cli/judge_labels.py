"""Labels of people for `rightcall judge`: label cases, settle disputes, export and import labels."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from rightcall.cli.command_options import FILE, OUTPUT, DeclaredCommand, run_argument, takes_options
from rightcall.cli.output import ask, console, print_json, print_next, tell
from rightcall.core.errors import InputError
from rightcall.core.operating_system import TerminalKeys
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.own_output import OWN
from rightcall.core.text import pluralize
from rightcall.files.atomic import write_file
from rightcall.records.label import LabelWord
from rightcall.show.lines import inert_json
from rightcall.store.address import open_store
from rightcall.store.base import user_name

if TYPE_CHECKING:
    from rightcall.run.judged_run import JudgedRun
    from rightcall.run.label_session import LabelSession
    from rightcall.store.labels import LabelFolder
    from rightcall.store.sql.store import Store

LabellerOption = Annotated[str, Option("Labeller", metavar="NAME", default="user name")]


@dataclass(frozen=True, kw_only=True)
class JudgedOptions:
    """A judged metric of a run."""

    metric: Annotated[str, Option("Judged metric", metavar="NAME", default="the run's only one")] = ""
    store: StoreOption = None


@dataclass(frozen=True, kw_only=True)
class JudgedReportOptions(JudgedOptions):
    """The same for a command that reports."""

    as_json: JsonOption = False


@dataclass(frozen=True, kw_only=True)
class LabelOptions:
    """Who labels which cases; handed on to the session."""

    n: Annotated[int, Option("Cases of the plan", ge=1)] = 48
    overlap: Annotated[
        float | None,
        Option(
            "Share of the cases that every labeller gets",
            ge=0,
            le=1,
            default="0.2 with several labellers, otherwise 0",
        ),
    ] = None
    at_random: Annotated[
        bool, Option("Draw cases at random, independent of the judge's verdicts", flags=("--random",))
    ] = False
    show_judge: Annotated[bool, Option("Show the judge's verdict; such labels do not rate the judge")] = False
    cases: Annotated[
        tuple[str, ...],
        Option("Label this case; such labels do not count towards a rate", flags=("--case",), metavar="ID"),
    ] = ()


@click.command(cls=DeclaredCommand)
@run_argument
@takes_options(LabelOptions, "settings")
@takes_options(JudgedOptions)
def label(
    run: str,
    settings: LabelOptions,
    options: JudgedOptions,
    by: LabellerOption = "",
    people: Annotated[str, Option("Divide the cases among these labellers", metavar="A,B")] = "",
    verdict: Annotated[
        Literal["pass", "fail"] | None,
        Option("Settle the disputed --case: replace what people answered", flags=("--settle",)),
    ] = None,
) -> None:
    """Label the cases of RUN one after the other: p pass, f fail, u unsure.

    Answers are stored at once, in labels/METRIC.jsonl. `rightcall view` does the same in the browser.
    """
    if verdict is not None:
        _settle(run, settings.cases, verdict, options, by=by)
        return
    if not (sys.stdin.isatty() and OWN.stdout.isatty()):
        raise InputError(
            "judge label", "needs a terminal", "import labels from a file instead: `rightcall judge import`"
        )
    names = tuple(name.strip() for name in people.split(",") if name.strip())
    with _session(run, options, by, people=names, **vars(settings)) as session:
        if session.kind == "random" and not settings.at_random and not session.splits:
            tell(
                "a second judge or 3 votes would tell which cases are worth a look; cases are drawn at random"
            )
        answered = LabelTerminal(session).run()
        left = len(session.open_cases())
        tell(
            f"{pluralize(answered, 'case')} labelled, {left:,} left; {session.folder.file(session.judged.metric)}"
        )
        print_next(session.judged.label_command.replace("judge label", "judge rate", 1))


def _settle(
    run: str, cases: tuple[str, ...], verdict: Literal["pass", "fail"], options: JudgedOptions, by: str
) -> None:
    from rightcall.run.label_session import settle

    if not cases:
        raise click.UsageError("--settle needs the --case that it settles: a golden, or GOLDEN#TRIAL")
    with open_judged(run, options) as (store, judged, folder):
        for case in cases:
            settlement = settle(store, judged, folder, case, word=verdict, by=by or user_name() or "unknown")
            tell(f"{case}: {verdict}, settled by {settlement.by}")


@click.command(cls=DeclaredCommand)
@run_argument
@takes_options(JudgedOptions)
def export(
    run: str,
    options: JudgedOptions,
    output: Annotated[
        Path | None,
        Option("Output file: .csv or .jsonl", flags=OUTPUT, default="CSV on stdout", writes="document"),
    ] = None,
    n: Annotated[int | None, Option("Also list the first N cases of the plan, without a label", ge=1)] = None,
) -> None:
    """Export the labels of RUN; with --n, also the cases to label."""
    import msgspec

    from rightcall.run.label_transfer import csv_text, export_rows

    if output is not None and output.suffix.lower() not in (".csv", ".jsonl"):
        raise InputError(str(output), "labels are exported to a .csv or .jsonl file")
    with _session(run, options) as session:
        rows = export_rows(session, open_cases=n or 0)
    lines = output is not None and output.suffix.lower() == ".jsonl"
    text = b"".join(msgspec.json.encode(row) + b"\n" for row in rows) if lines else csv_text(rows).encode()
    if output is None:
        OWN.stdout.buffer.write(inert_json(text))
    else:
        write_file(output, text)
        tell(f"{pluralize(len(rows), 'row')} written to {output}")


@click.command("import", cls=DeclaredCommand)
@run_argument
@click.argument("file", type=FILE)
@takes_options(JudgedReportOptions)
def import_(
    run: str,
    file: Path,
    options: JudgedReportOptions,
    words: Annotated[
        str, Option("Other words for pass, fail and unsure", flags=("--map",), metavar="WORD=LABEL,…")
    ] = "",
    at_random: Annotated[
        bool, Option("The labelled cases were drawn at random", flags=("--random",))
    ] = False,
    by: LabellerOption = "",
) -> None:
    """Add the labels of FILE to RUN: CSV or JSON Lines with golden, trial, label, note, by, at.

    Importing a file twice adds nothing. A changed answer of the same labeller replaces the earlier one.
    """
    from rightcall.run.label_transfer import import_labels

    mapping = _mapping(words)
    with _session(run, options, by) as session:
        count = import_labels(session, file, words=mapping, at_random=at_random)
    if options.as_json:
        print_json(count)
        return
    empty = f", {count.empty:,} without a label" if count.empty else ""
    tell(f"{pluralize(count.added, 'label')} added, {count.unchanged:,} already there{empty}")
    if not count.drawn:
        tell("these cases are not from the plan: they do not count towards a rate unless --random is given")


def _mapping(words: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in words.split(",") if pair.strip()]
    if any(not separator for _, separator, _ in pairs):
        raise click.UsageError("--map takes WORD=LABEL, such as success=pass,failure=fail")
    return {word.strip(): label.strip() for word, _, label in pairs}


@contextmanager
def open_judged(run: str, options: JudgedOptions) -> Iterator[tuple[Store, JudgedRun, LabelFolder]]:
    from rightcall.run.judged_run import label_folder, load_judged_run

    with open_store(options.store, must_exist=True) as store:
        judged = load_judged_run(store, run, options.metric)
        folder = label_folder(judged.run)
        for place in folder.labels(judged.metric).torn:
            tell(f"warning: {place}: half a line, left by a crash; label that case again", err=True)
        yield store, judged, folder


@contextmanager
def _session(run: str, options: JudgedOptions, by: str = "", **settings: Any) -> Iterator[LabelSession]:
    from rightcall.run.label_session import LabelSession, LabelSettings

    with open_judged(run, options) as (store, judged, folder):
        yield LabelSession(store, judged, folder, LabelSettings(by or user_name() or "unknown", **settings))


WORDS: dict[str, LabelWord] = {"p": "pass", "f": "fail", "u": "unsure"}


class LabelTerminal:
    """One person at a terminal: one key an answer, stored before the next case is shown.

    Another process may label the same run at the same time.
    """

    def __init__(self, session: LabelSession) -> None:
        self._session = session
        self._out = console()
        self._skipped: list[str] = []
        self._answered: list[str] = []
        self._notes: dict[str, str] = {}
        self._keys = TerminalKeys()

    def run(self) -> int:
        """Ask until everything is answered or the labeller quits; returns how many cases were answered."""
        with self._keys:
            case = self._next_case()
            while case is not None:
                case = self._ask(case)
        for name in self._notes:
            self._out.say("[yellow]the note on {} was not stored: it needs an answer[/yellow]", name)
        return len(set(self._answered))

    def _next_case(self) -> str | None:
        open_cases = self._session.open_cases()
        fresh = [case for case in open_cases if case not in self._skipped]
        return fresh[0] if fresh else None

    def _ask(self, case: str) -> str | None:
        """Show a case and do what a key asks for; returns the case to show next, None to end."""
        from rightcall.show.judge_report import KEYS, print_label_case

        session = self._session
        question = session.question(case)
        own = session.own_label(case)
        total = len(session.order)
        print_label_case(
            self._out,
            question,
            done=total - len(session.open_cases()),
            total=total,
            own=own,
            note=self._notes.get(case, ""),
            show_judge=session.settings.show_judge,
        )
        began = time.monotonic()
        while True:
            self._keys.drop()  # what was pressed before this case was shown is no answer to it
            self._out.say("[dim]{}[/dim]", KEYS)
            key = self._keys.read().lower()
            if key in WORDS:
                note = self._notes.pop(case, "")
                seconds = time.monotonic() - began
                session.answer(case, WORDS[key], rule=question.rule, note=note, seconds=seconds)
                self._answered.append(case)
                return self._next_case()
            if key == "n":
                return self._note(case)
            if key == "b":
                return self._back(case)
            if key == "s":
                self._skipped.append(case)
                return self._next_case()
            if key in ("q", "", "\x04"):
                return None

    def _note(self, case: str) -> str:
        """Ask for a note, to be stored with the answer; at once if there is one."""
        try:
            with self._keys.whole_lines():
                text: str = ask(click.prompt, "note", default="", show_default=False)
        except click.Abort:
            return case
        own = self._session.own_label(case)
        if own is None:
            self._notes[case] = text
        elif text:
            question = self._session.question(case)
            self._session.answer(case, own.label, rule=question.rule, note=text, saw_judge=own.saw_judge)
        return case

    def _back(self, case: str) -> str:
        """The case that was answered before this one."""
        before = [name for name in self._answered if name != case] or self._session.previous_answers(case)
        if not before:
            return case
        if before[-1] in self._answered:
            self._answered.remove(before[-1])
        return before[-1]


COMMANDS = (label, export, import_)
