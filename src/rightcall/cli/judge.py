"""`rightcall judge`: what labels say about a judge, and the rate that people would give."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click

from rightcall.cli.command_options import CommandGroup, run_argument, takes_options
from rightcall.cli.interrupt import run_interruptible
from rightcall.cli.judge_labels import COMMANDS, JudgedReportOptions, open_judged
from rightcall.cli.output import console, print_json, tell
from rightcall.core.errors import InputError
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.text import pluralize
from rightcall.store.address import open_store
from rightcall.store.base import RunFilter

if TYPE_CHECKING:
    from rightcall.records.label import JudgementRecord
    from rightcall.store.sql.store import Store

BELOW_FLOOR = 3


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
    about: Annotated[
        Literal["cases_like_these", "these_cases"],
        Option("Population of the rate: all cases like these, or these cases only"),
    ] = "cases_like_these",
    again: Annotated[
        bool, Option("First ask the judge, as it is in the suite now, about the labelled cases again")
    ] = False,
) -> None:
    """Estimate the share of RUN's cases that people would pass, from labels and the judge; and where the judge errs.

    Exit codes: 0 a rate from enough labels, 3 fewer labels than the suite requires (24).
    """
    from rightcall.run.judge_report import LABELS_FOR_BIAS, judge_again, judge_bias, judge_now, judge_report
    from rightcall.show.judge_report import print_bias, print_rate

    with open_judged(run, options) as (store, judged, folder):
        records = run_interruptible(judge_again(store, judged, folder, judge_now(judged))) if again else []
        report = judge_report(judged, folder, about=about)
        many = again or report.usable_labels >= LABELS_FOR_BIAS
        biases, drift = judge_bias(store, judged, folder) if many else ([], [])
    if options.as_json:
        print_json({"format": "rightcall/judge/1", **report.document(), "biases": biases, "drift": drift,
                    "judgements": records})  # fmt: skip
    else:
        if records:
            tell(_judgements_sentence(records))
        print_rate(console(), report)
        if many:
            print_bias(console(), biases, drift)
    raise click.exceptions.Exit(0 if report.is_calibrated else BELOW_FLOOR)


def _judgements_sentence(records: list[JudgementRecord]) -> str:
    broken = sum(record.share is None for record in records)
    return f"{records[0].described}: {pluralize(len(records), 'labelled case')} judged, {broken:,} without a verdict"


@judge.command()
@click.argument("where", metavar="[RUN|SUITE]", default="last")
def status(where: str, store: StoreOption = None, as_json: JsonOption = False) -> None:
    """Show the labels, agreement and rate of every judge of a run, or of the newest run of a suite."""
    from rightcall.run.judge_report import judge_report
    from rightcall.run.judged_run import label_folder, load_judged_run
    from rightcall.run.run_judges import judges_of, require_judge
    from rightcall.show.judge_report import print_status

    documents: list[dict[str, Any]] = []
    with open_store(store, must_exist=True) as opened:
        stored = opened.runs.get(_run_of(opened, where))
        judges = judges_of(opened, stored)
        if not judges:
            require_judge(opened, stored, "")
        for described in judges:
            judged = load_judged_run(opened, stored.id, described.metric)
            report = judge_report(judged, label_folder(stored))
            documents.append(report.document())
            if not as_json:
                print_status(console(), report)
    if as_json:
        print_json({"format": "rightcall/judge-status/1", "run": stored.id, "metrics": documents})


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
