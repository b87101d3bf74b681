"""`rightcall judge`: labels of people, what they say about a judge, and the rate that people would give."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from rightcall.cli.command_options import FiniteRange
from rightcall.cli.options import FILE, RATE, json_option, output_option, run_argument, store_option
from rightcall.cli.output import console, print_json, print_next, tell
from rightcall.core.codec import to_plain
from rightcall.core.errors import ConfigError, InputError
from rightcall.core.text import pluralize

if TYPE_CHECKING:
    from rightcall.run.judged_run import JudgedRun
    from rightcall.run.label_session import LabelSession
    from rightcall.store.labels import LabelFolder
    from rightcall.store.sql.store import Store

BELOW_FLOOR = 3
ABOUT = ("cases_like_these", "these_cases")

metric_option = click.option(
    "--metric", default="", metavar="NAME", help="Judged metric [default: the run's only one]"
)
labels_option = click.option(
    "--labels", type=FILE, metavar="FOLDER", help="Folder of labels [default: labels, next to the suite]"
)
by_option = click.option("--by", default="", metavar="NAME", help="Labeller [default: user name]")


@click.group()
def judge() -> None:
    """Label cases, and find out what a judge is worth."""


@judge.command()
@run_argument
@metric_option
@click.option("--n", type=click.IntRange(1), default=48, show_default=True, help="Cases of the plan")
@by_option
@click.option(
    "--overlap",
    type=FiniteRange(0, 1),
    help="Share of the cases that every labeller gets [default: 0.2 from the second labeller on]",
)
@click.option("--people", default="", metavar="A,B", help="Share the cases out among these labellers")
@click.option("--random", "at_random", is_flag=True, help="Draw cases at random, whatever the judge says")
@click.option(
    "--show-judge", is_flag=True, help="Show the judge's verdict; such labels do not rate the judge"
)
@click.option("--again", is_flag=True, help="Ask again about cases that you have labelled")
@click.option(
    "--case", "cases", multiple=True, metavar="ID", help="Label this case; says nothing about a rate"
)
@labels_option
@store_option
def label(
    run: str, metric: str, by: str, people: str, labels: Path | None, store_url: str | None, **words: Any
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
    with _session(run, metric, by, labels, store_url, people=names, **words) as session:
        if session.kind == "random" and not words["at_random"] and not session.splits:
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
@metric_option
@click.option(
    "--about", type=click.Choice(ABOUT), default=ABOUT[0], show_default=True, help="What the rate is of"
)
@click.option("--conf", type=RATE, default=0.95, show_default=True, help="Confidence of the interval")
@labels_option
@store_option
@json_option
def rate(
    run: str,
    metric: str,
    about: Literal["cases_like_these", "these_cases"],
    conf: float,
    labels: Path | None,
    store_url: str | None,
    as_json: bool,
) -> None:
    """Estimate the share of RUN's cases that people would pass, from labels and the judge.

    Exit codes: 0 a rate from enough labels, 3 fewer labels than the suite demands (24).
    """
    from rightcall.run.judge_report import judge_report
    from rightcall.show.judge_report import print_rate

    with _open_judged(run, metric, labels, store_url) as (_, judged, folder):
        report = judge_report(judged, folder, about=about, conf=conf)
    if as_json:
        print_json({"format": "rightcall/judge/1", **report.document()})
    else:
        print_rate(console(), report)
    raise click.exceptions.Exit(0 if report.is_calibrated else BELOW_FLOOR)


@judge.command()
@click.argument("where", metavar="[RUN|SUITE]", default="last")
@labels_option
@store_option
@json_option
def status(where: str, labels: Path | None, store_url: str | None, as_json: bool) -> None:
    """Show the judges of a run, or of the newest run of a suite: labels, agreement, rate, and biases from 48 labels."""
    from rightcall.run.judge_report import LABELS_FOR_BIAS, judge_bias, judge_report
    from rightcall.run.judged_run import label_folder, load_judged_run
    from rightcall.run.run_judges import judges_of, require_judge
    from rightcall.show.judge_report import print_bias, print_status

    documents = []
    with _store(store_url) as store:
        stored = store.runs.get(_run_of(store, where))
        judges = judges_of(store, stored)
        if not judges:
            require_judge(store, stored, "")
        for described in judges:
            judged = load_judged_run(store, stored.id, described.metric)
            folder = label_folder(stored, labels)
            report = judge_report(judged, folder)
            many = report.usable_labels >= LABELS_FOR_BIAS
            biases, drift = judge_bias(store, judged, folder) if many else ([], [])
            documents.append({**report.document(), "biases": biases, "drift": drift})
            if not as_json:
                print_status(console(), report)
                if many:
                    print_bias(console(), biases, drift)
    if as_json:
        print_json({"format": "rightcall/judge-status/1", "run": stored.id, "metrics": documents})


@judge.command()
@run_argument
@metric_option
@click.option("--width", type=FiniteRange(0, 1, min_open=True), help="Width of the 95 % interval to reach")
@click.option("--min", "minimum", type=RATE, help="Minimum of the gate to decide about")
@click.option(
    "--about", type=click.Choice(ABOUT), default=ABOUT[0], show_default=True, help="What the rate is of"
)
@labels_option
@store_option
@json_option
def plan(
    run: str,
    metric: str,
    width: float | None,
    minimum: float | None,
    about: Literal["cases_like_these", "these_cases"],
    labels: Path | None,
    store_url: str | None,
    as_json: bool,
) -> None:
    """Forecast how many labels RUN needs for an interval of a width, or for a decision about a minimum."""
    from rightcall.run.label_session import LabelSession, LabelSettings, labels_needed
    from rightcall.store.base import user_name

    if (width is None) == (minimum is None):
        raise click.UsageError("pass either --width or --min")
    with _open_judged(run, metric, labels, store_url) as (store, judged, folder):
        session = LabelSession(store, judged, folder, LabelSettings(user_name() or "plan"))
        need = labels_needed(session, width=width, minimum=minimum, about=about)
        labelled = len(session.labels().plan_labels(judged.population, judged.judge_hash))
    goal = f"a 95 % interval of {width:.2f}" if width is not None else f"a decision about {minimum:.2f}"
    if as_json:
        print_json({"format": "rightcall/label-plan/1", "run": judged.run.id, "metric": judged.metric,
                    "drawn": session.kind, "labelled": labelled, "goal": goal, "need": need})  # fmt: skip
    elif need.labels is None:
        tell(f"not even labels of all {need.cases:,} cases give {goal}; run more cases")
    else:
        drawn = "chosen by the judge's split votes" if session.kind == "chosen" else "drawn at random"
        tell(f"{need.labels:,} labels {drawn} give {goal}; there are {labelled:,}")


@judge.command()
@run_argument
@metric_option
@labels_option
@store_option
@json_option
def bias(run: str, metric: str, labels: Path | None, store_url: str | None, as_json: bool) -> None:
    """Report where the judge of RUN errs: leniency, length, position, self-preference, kinds of cases, drift."""
    from rightcall.run.judge_report import judge_bias
    from rightcall.show.judge_report import print_bias

    with _open_judged(run, metric, labels, store_url) as (store, judged, folder):
        biases, drift = judge_bias(store, judged, folder)
    if as_json:
        print_json({"format": "rightcall/judge-bias/1", "run": judged.run.id, "metric": judged.metric,
                    "biases": biases, "drift": drift})  # fmt: skip
    else:
        print_bias(console(), biases, drift)


@judge.command()
@run_argument
@metric_option
@click.option(
    "--with", "expression", default="", metavar="METRIC", help="Judge to ask [default: the suite's]"
)
@labels_option
@store_option
@json_option
def again(
    run: str, metric: str, expression: str, labels: Path | None, store_url: str | None, as_json: bool
) -> None:
    """Ask the judge again about the labelled cases of RUN, after its model, prompt, settings or votes changed."""
    from rightcall.cli.interrupt import run_interruptible
    from rightcall.run.judge_again import judge_again, judge_now
    from rightcall.run.judge_report import judge_bias
    from rightcall.show.judge_report import print_drift

    with _open_judged(run, metric, labels, store_url) as (store, judged, folder):
        judge_metric = judge_now(judged, expression)
        records = run_interruptible(judge_again(store, judged, folder, judge_metric))
        _, drift = judge_bias(store, judged, folder)
    if as_json:
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
@click.option("--run", default="last", show_default=True, metavar="RUN", help="Run of the case")
@metric_option
@by_option
@click.option("--note", default="", help="Why")
@labels_option
@store_option
@json_option
def settle(
    case: str,
    verdict: Literal["pass", "fail"],
    run: str,
    metric: str,
    by: str,
    note: str,
    labels: Path | None,
    store_url: str | None,
    as_json: bool,
) -> None:
    """End a dispute about CASE, a golden or GOLDEN#TRIAL: this verdict stands."""
    from rightcall.run.label_session import settle as settle_case
    from rightcall.store.base import user_name

    with _open_judged(run, metric, labels, store_url) as (store, judged, folder):
        name = by or user_name() or "unknown"
        settlement = settle_case(store, judged, folder, case, verdict, by=name, note=note)
    if as_json:
        print_json(settlement)
    else:
        tell(f"{case}: {verdict}, settled by {settlement.by}")


@judge.command()
@run_argument
@metric_option
@output_option("Output file: .csv or .jsonl [default: CSV on stdout]")
@click.option("--n", type=click.IntRange(1), help="Also list the first N cases of the plan, without a label")
@labels_option
@store_option
def export(
    run: str, metric: str, output: Path | None, n: int | None, labels: Path | None, store_url: str | None
) -> None:
    """Write the labels of RUN for another program; with --n the cases to label too."""
    import msgspec

    from rightcall.files.atomic import write_file
    from rightcall.run.label_transfer import csv_text, export_rows
    from rightcall.show.lines import inert_json

    if output is not None and output.suffix.lower() not in (".csv", ".jsonl"):
        raise InputError(str(output), "labels are exported to a .csv or .jsonl file")
    with _session(run, metric, "", labels, store_url) as session:
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
@click.option("--model", required=True, metavar="MODEL", help="Judge: provider:model or a name of models")
@click.option("--rubric", required=True, metavar="TEXT", help="What makes an answer better")
@click.option("--base-url", default="", metavar="URL", help="Base URL of a compatible server")
@json_option
@store_option
def prefers(
    a: str, b: str, model: str, rubric: str, base_url: str, as_json: bool, store_url: str | None
) -> None:
    """Ask a judge which answers it prefers, of run A or of run B, always in both orders.

    A pair on which the two orders disagree is a tie, and never a win. It decides nothing: the exit code is 0.
    """
    from rightcall.core.event_loop import run_blocking
    from rightcall.metrics.judged.preference import prefers as judge_of_pairs
    from rightcall.metrics.judged.rubric import judge_endpoint
    from rightcall.models.resolver import check
    from rightcall.run.preferences import count_preferences
    from rightcall.store.address import open_store

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
@metric_option
@click.option(
    "--map", "words", default="", metavar="WORD=LABEL,…", help="Other words for pass, fail and unsure"
)
@click.option("--random", "at_random", is_flag=True, help="The labelled cases were drawn at random")
@by_option
@labels_option
@store_option
@json_option
def import_(
    run: str,
    file: Path,
    metric: str,
    words: str,
    at_random: bool,
    by: str,
    labels: Path | None,
    store_url: str | None,
    as_json: bool,
) -> None:
    """Add the labels of FILE to RUN: CSV or JSON Lines with golden, trial, label, note, by, at.

    Importing a file twice adds nothing. A changed answer of the same labeller replaces the earlier one.
    """
    from rightcall.run.label_transfer import import_labels

    mapping = _mapping(words)
    with _session(run, metric, by, labels, store_url) as session:
        count = import_labels(session, file, words=mapping, at_random=at_random)
    if as_json:
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
    from rightcall.store.base import RunFilter

    name = load_suite(path).name
    runs = store.runs.page(RunFilter(name=name, state="finished"), limit=1)
    if not runs:
        raise InputError(str(path), "has no finished run in the store", f"rightcall run {path}")
    return runs[0].id


@contextmanager
def _store(store_url: str | None) -> Iterator[Store]:
    from rightcall.store.address import open_store

    with open_store(store_url, must_exist=True) as store:
        yield store


@contextmanager
def _open_judged(
    run: str, metric: str, labels: Path | None, store_url: str | None
) -> Iterator[tuple[Store, JudgedRun, LabelFolder]]:
    from rightcall.run.judged_run import label_folder, load_judged_run

    with _store(store_url) as store:
        judged = load_judged_run(store, run, metric)
        folder = label_folder(judged.run, labels)
        for place in folder.labels(judged.metric).torn:
            tell(f"warning: {place}: half a line, left by a crash; label that case again", err=True)
        yield store, judged, folder


@contextmanager
def _session(
    run: str, metric: str, by: str, labels: Path | None, store_url: str | None, **settings: Any
) -> Iterator[LabelSession]:
    from rightcall.run.label_session import LabelSession, LabelSettings
    from rightcall.store.base import user_name

    with _open_judged(run, metric, labels, store_url) as (store, judged, folder):
        yield LabelSession(store, judged, folder, LabelSettings(by or user_name() or "unknown", **settings))
