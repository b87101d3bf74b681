"""`rightcall judge`: labels of people, what they say about a judge, and the rate that people would give."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from rightcall.cli.command_options import CommandGroup, takes_options
from rightcall.cli.interrupt import run_interruptible
from rightcall.cli.options import FILE, OUTPUT, run_argument
from rightcall.cli.output import console, print_json, print_next, tell
from rightcall.core.codec import to_plain
from rightcall.core.errors import ConfigError, InputError
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.text import pluralize
from rightcall.files.atomic import write_file
from rightcall.show.lines import inert_json
from rightcall.store.address import open_store
from rightcall.store.base import RunFilter, user_name

if TYPE_CHECKING:
    from rightcall.run.judged_run import JudgedRun
    from rightcall.run.label_session import LabelSession
    from rightcall.store.labels import LabelFolder
    from rightcall.store.sql.store import Store

BELOW_FLOOR = 3
About = Literal["cases_like_these", "these_cases"]
AboutOption = Annotated[About, Option("What the rate is of")]
LabelsOption = Annotated[
    Path | None, Option("Folder of labels", metavar="FOLDER", default="labels, next to the suite")
]
LabellerOption = Annotated[str, Option("Labeller", metavar="NAME", default="user name")]


@dataclass(frozen=True, kw_only=True)
class JudgedOptions:
    """A judged metric of a run, and where its labels are."""

    metric: Annotated[str, Option("Judged metric", metavar="NAME", default="the run's only one")] = ""
    labels: LabelsOption = None
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
            default="0.2 from the second labeller on",
        ),
    ] = None
    at_random: Annotated[
        bool, Option("Draw cases at random, whatever the judge says", flags=("--random",))
    ] = False
    show_judge: Annotated[bool, Option("Show the judge's verdict; such labels do not rate the judge")] = False
    again: Annotated[bool, Option("Ask again about cases that you have labelled")] = False
    cases: Annotated[
        tuple[str, ...], Option("Label this case; says nothing about a rate", flags=("--case",), metavar="ID")
    ] = ()


@click.group(cls=CommandGroup)
def judge() -> None:
    """Label cases, and find out what a judge is worth."""


@judge.command()
@run_argument
@takes_options(LabelOptions, "settings")
@takes_options(JudgedOptions)
def label(
    run: str,
    settings: LabelOptions,
    options: JudgedOptions,
    by: LabellerOption = "",
    people: Annotated[str, Option("Share the cases out among these labellers", metavar="A,B")] = "",
) -> None:
    """Label the cases of RUN one after the other: p pass, f fail, u unsure.

    Answers are stored at once, in labels/METRIC.jsonl. `rightcall view` does the same in the browser.
    """
    from rightcall.cli.label_terminal import LabelTerminal

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
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


@judge.command()
@run_argument
@takes_options(JudgedReportOptions)
def rate(
    run: str,
    options: JudgedReportOptions,
    about: AboutOption = "cases_like_these",
    conf: Annotated[float, Option("Confidence of the interval", gt=0, le=1)] = 0.95,
) -> None:
    """Estimate the share of RUN's cases that people would pass, from labels and the judge.

    Exit codes: 0 a rate from enough labels, 3 fewer labels than the suite demands (24).
    """
    from rightcall.run.judge_report import judge_report
    from rightcall.show.judge_report import print_rate

    with _open_judged(run, options) as (_, judged, folder):
        report = judge_report(judged, folder, about=about, conf=conf)
    if options.as_json:
        print_json({"format": "rightcall/judge/1", **report.document()})
    else:
        print_rate(console(), report)
    raise click.exceptions.Exit(0 if report.is_calibrated else BELOW_FLOOR)


@judge.command()
@click.argument("where", metavar="[RUN|SUITE]", default="last")
def status(
    where: str, labels: LabelsOption = None, store: StoreOption = None, as_json: JsonOption = False
) -> None:
    """Show the judges of a run, or of the newest run of a suite: labels, agreement, rate, and biases from 48 labels."""
    from rightcall.run.judge_report import LABELS_FOR_BIAS, judge_bias, judge_report
    from rightcall.run.judged_run import label_folder, load_judged_run
    from rightcall.run.run_judges import judges_of, require_judge
    from rightcall.show.judge_report import print_bias, print_status

    documents = []
    with open_store(store, must_exist=True) as opened:
        stored = opened.runs.get(_run_of(opened, where))
        judges = judges_of(opened, stored)
        if not judges:
            require_judge(opened, stored, "")
        for described in judges:
            judged = load_judged_run(opened, stored.id, described.metric)
            folder = label_folder(stored, labels)
            report = judge_report(judged, folder)
            many = report.usable_labels >= LABELS_FOR_BIAS
            biases, drift = judge_bias(opened, judged, folder) if many else ([], [])
            documents.append({**report.document(), "biases": biases, "drift": drift})
            if not as_json:
                print_status(console(), report)
                if many:
                    print_bias(console(), biases, drift)
    if as_json:
        print_json({"format": "rightcall/judge-status/1", "run": stored.id, "metrics": documents})


@judge.command()
@run_argument
@takes_options(JudgedReportOptions)
def plan(
    run: str,
    options: JudgedReportOptions,
    width: Annotated[float | None, Option("Width of the 95% interval to reach", gt=0, le=1)] = None,
    minimum: Annotated[
        float | None, Option("Minimum of the gate to decide about", flags=("--min",), gt=0, le=1)
    ] = None,
    about: AboutOption = "cases_like_these",
) -> None:
    """Forecast how many labels RUN needs for an interval of a width, or for a decision about a minimum."""
    from rightcall.run.label_session import LabelSession, LabelSettings, labels_needed

    if (width is None) == (minimum is None):
        raise click.UsageError("pass either --width or --min")
    with _open_judged(run, options) as (store, judged, folder):
        session = LabelSession(store, judged, folder, LabelSettings(user_name() or "plan"))
        need = labels_needed(session, width=width, minimum=minimum, about=about)
        labelled = len(session.labels().plan_labels(judged.population, judged.judge_hash))
    goal = f"a 95% interval of {width:.2f}" if width is not None else f"a decision about {minimum:.2f}"
    if options.as_json:
        print_json({"format": "rightcall/label-plan/1", "run": judged.run.id, "metric": judged.metric,
                    "drawn": session.kind, "labelled": labelled, "goal": goal, "need": need})  # fmt: skip
    elif need.labels is None:
        tell(f"not even labels of all {need.cases:,} cases give {goal}; run more cases")
    else:
        drawn = "chosen by the judge's split votes" if session.kind == "chosen" else "drawn at random"
        tell(f"{need.labels:,} labels {drawn} give {goal}; there are {labelled:,}")


@judge.command()
@run_argument
@takes_options(JudgedReportOptions)
def bias(run: str, options: JudgedReportOptions) -> None:
    """Report where the judge of RUN errs: leniency, length, position, self-preference, kinds of cases, drift."""
    from rightcall.run.judge_report import judge_bias
    from rightcall.show.judge_report import print_bias

    with _open_judged(run, options) as (store, judged, folder):
        biases, drift = judge_bias(store, judged, folder)
    if options.as_json:
        print_json({"format": "rightcall/judge-bias/1", "run": judged.run.id, "metric": judged.metric,
                    "biases": biases, "drift": drift})  # fmt: skip
    else:
        print_bias(console(), biases, drift)


@judge.command()
@run_argument
@takes_options(JudgedReportOptions)
def again(
    run: str,
    options: JudgedReportOptions,
    expression: Annotated[
        str, Option("Judge to ask", flags=("--with",), metavar="METRIC", default="the suite's")
    ] = "",
) -> None:
    """Ask the judge again about the labelled cases of RUN, after its model, prompt, settings or votes changed."""
    from rightcall.run.judge_report import judge_bias
    from rightcall.run.judge_requests import judge_again, judge_now
    from rightcall.show.judge_report import print_drift

    with _open_judged(run, options) as (store, judged, folder):
        judge_metric = judge_now(judged, expression)
        records = run_interruptible(judge_again(store, judged, folder, judge_metric))
        _, drift = judge_bias(store, judged, folder)
    if options.as_json:
        print_json({"format": "rightcall/judge-again/1", "run": judged.run.id, "metric": judged.metric,
                    "judgements": records, "drift": drift})  # fmt: skip
        return
    broken = sum(record.share is None for record in records)
    tell(
        f"{records[0].described}: {pluralize(len(records), 'labelled case')} judged, {broken:,} without a verdict"
    )
    print_drift(console(), drift)


@judge.command()
@click.argument("case")
@click.argument("verdict", type=click.Choice(("pass", "fail")))
@takes_options(JudgedReportOptions)
def settle(
    case: str,
    verdict: Literal["pass", "fail"],
    options: JudgedReportOptions,
    run: Annotated[str, Option("Run of the case", metavar="RUN")] = "last",
    by: LabellerOption = "",
    note: Annotated[str, Option("Why")] = "",
) -> None:
    """End a dispute about CASE, a golden or GOLDEN#TRIAL: this verdict stands."""
    from rightcall.run.label_session import settle as settle_case

    with _open_judged(run, options) as (store, judged, folder):
        name = by or user_name() or "unknown"
        settlement = settle_case(store, judged, folder, case, verdict, by=name, note=note)
    if options.as_json:
        print_json(settlement)
    else:
        tell(f"{case}: {verdict}, settled by {settlement.by}")


@judge.command()
@run_argument
@takes_options(JudgedOptions)
def export(
    run: str,
    options: JudgedOptions,
    output: Annotated[
        Path | None, Option("Output file: .csv or .jsonl", flags=OUTPUT, default="CSV on stdout")
    ] = None,
    n: Annotated[int | None, Option("Also list the first N cases of the plan, without a label", ge=1)] = None,
) -> None:
    """Write the labels of RUN for another program; with --n the cases to label too."""
    import msgspec

    from rightcall.run.label_transfer import csv_text, export_rows

    if output is not None and output.suffix.lower() not in (".csv", ".jsonl"):
        raise InputError(str(output), "labels are exported to a .csv or .jsonl file")
    with _session(run, options) as session:
        rows = export_rows(session, open_cases=n or 0)
    lines = output is not None and output.suffix.lower() == ".jsonl"
    text = b"".join(msgspec.json.encode(row) + b"\n" for row in rows) if lines else csv_text(rows).encode()
    if output is None:
        sys.stdout.buffer.write(inert_json(text))
    else:
        write_file(output, text)
        tell(f"{pluralize(len(rows), 'row')} written to {output}")


@judge.command()
@click.argument("a")
@click.argument("b")
def prefers(
    a: str,
    b: str,
    model: Annotated[str, Option("Judge: provider:model or a name of models", metavar="MODEL")],
    rubric: Annotated[str, Option("What makes an answer better", metavar="TEXT")],
    base_url: Annotated[str, Option("Base URL of a compatible server", metavar="URL")] = "",
    as_json: JsonOption = False,
    store_url: StoreOption = None,
) -> None:
    """Ask a judge which answers it prefers, of run A or of run B, always in both orders.

    A pair on which the two orders disagree is a tie, and never a win. It decides nothing: the exit code is 0.
    """
    from rightcall.core.event_loop import run_blocking
    from rightcall.metrics.judged.preference import prefers as judge_of_pairs
    from rightcall.metrics.judged.rubric import judge_endpoint
    from rightcall.models.resolver import check
    from rightcall.run.judge_requests import count_preferences

    endpoint = judge_endpoint(model, base_url, "judge prefers")
    if problems := run_blocking(check(endpoint)):
        raise ConfigError(*problems)
    with open_store(store_url, must_exist=True) as store:
        counts = run_blocking(count_preferences(store, a, b, judge_of_pairs(endpoint, rubric)))
    if as_json:
        print_json({**to_plain(counts), "sentence": counts.sentence})
    else:
        tell(counts.sentence)


@judge.command("import")
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
        tell(
            "these cases are not those of the plan: they say nothing about a rate, unless --random states it"
        )


def _mapping(words: str) -> dict[str, str]:
    pairs = [pair.partition("=") for pair in words.split(",") if pair.strip()]
    if any(not separator for _, separator, _ in pairs):
        raise click.UsageError("--map takes WORD=LABEL, such as success=pass,failure=fail")
    return {word.strip(): label.strip() for word, _, label in pairs}


def _run_of(store: Store, where: str) -> str:
    """A run as typed, or the newest run of a suite file."""
    path = Path(where)
    if path.suffix.lower() not in (".yaml", ".yml", ".json") or not path.is_file():
        return where
    from rightcall.run.suite import load_suite

    name = load_suite(path).name
    runs = store.runs.page(RunFilter(name=name, state="finished"), limit=1)
    if not runs:
        raise InputError(str(path), "has no finished run in the store", f"rightcall run {path}")
    return runs[0].id


@contextmanager
def _open_judged(run: str, options: JudgedOptions) -> Iterator[tuple[Store, JudgedRun, LabelFolder]]:
    from rightcall.run.judged_run import label_folder, load_judged_run

    with open_store(options.store, must_exist=True) as store:
        judged = load_judged_run(store, run, options.metric)
        folder = label_folder(judged.run, options.labels)
        for place in folder.labels(judged.metric).torn:
            tell(f"warning: {place}: half a line, left by a crash; label that case again", err=True)
        yield store, judged, folder


@contextmanager
def _session(run: str, options: JudgedOptions, by: str = "", **settings: Any) -> Iterator[LabelSession]:
    from rightcall.run.label_session import LabelSession, LabelSettings

    with _open_judged(run, options) as (store, judged, folder):
        yield LabelSession(store, judged, folder, LabelSettings(by or user_name() or "unknown", **settings))
