"""`rightcall judge`: what labels say about a judge, and the rate that people would give."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from rightcall.cli.command_options import CommandGroup, run_argument, takes_options
from rightcall.cli.interrupt import run_interruptible
from rightcall.cli.judge_labels import COMMANDS, JudgedReportOptions, LabelsOption, open_judged
from rightcall.cli.output import console, print_json, tell
from rightcall.core.codec import to_plain
from rightcall.core.errors import ConfigError, InputError
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.text import pluralize
from rightcall.store.address import open_store
from rightcall.store.base import RunFilter, user_name

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store

BELOW_FLOOR = 3
AboutOption = Annotated[
    Literal["cases_like_these", "these_cases"],
    Option("Population of the rate: all cases like these, or these cases only"),
]


@click.group(cls=CommandGroup)
def judge() -> None:
    """Label cases, and measure how far a judge can be trusted."""


for command in COMMANDS:
    judge.add_command(command)


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

    Exit codes: 0 a rate from enough labels, 3 fewer labels than the suite requires (24).
    """
    from rightcall.run.judge_report import judge_report
    from rightcall.show.judge_report import print_rate

    with open_judged(run, options) as (_, judged, folder):
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
    """Show the judges of a run, or of the newest run of a suite: labels, agreement, rate, biases (from 48 labels)."""
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
    """Forecast how many labels RUN needs for an interval of a given width, or to decide about a minimum."""
    from rightcall.run.label_session import LabelSession, LabelSettings, labels_needed

    if (width is None) == (minimum is None):
        raise click.UsageError("pass either --width or --min")
    with open_judged(run, options) as (store, judged, folder):
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

    with open_judged(run, options) as (store, judged, folder):
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

    with open_judged(run, options) as (store, judged, folder):
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
@click.argument("a")
@click.argument("b")
def prefers(
    a: str,
    b: str,
    model: Annotated[str, Option("Judge: provider:model[@URL] or a name from models", metavar="MODEL")],
    rubric: Annotated[str, Option("What makes an answer better", metavar="TEXT")],
    as_json: JsonOption = False,
    store_url: StoreOption = None,
) -> None:
    """Ask a judge whether it prefers the answers of run A or of run B, in both orders.

    If the two orders disagree, the pair is a tie. Nothing is decided: the exit code is always 0.
    """
    from rightcall.core.event_loop import run_blocking
    from rightcall.metrics.judged.preference import prefers as judge_of_pairs
    from rightcall.metrics.judged.rubric import judge_endpoint
    from rightcall.models.resolver import check
    from rightcall.run.judge_requests import count_preferences

    endpoint = judge_endpoint(model, "", "judge prefers")
    if problems := run_blocking(check(endpoint)):
        raise ConfigError(*problems)
    with open_store(store_url, must_exist=True) as store:
        counts = run_blocking(count_preferences(store, a, b, judge_of_pairs(endpoint, rubric)))
    if as_json:
        print_json({**to_plain(counts), "sentence": counts.sentence})
    else:
        tell(counts.sentence)


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
