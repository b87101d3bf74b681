"""`rightcall analyze`: why a run fails, and what to change."""

from __future__ import annotations

import click

from rightcall.cli.options import json_option, run_argument, store_option
from rightcall.cli.output import console, print_json, print_next


@click.command()
@run_argument
@click.option("--against", multiple=True, metavar="RUN",
              help="Run of another model on the same goldens; where several models agree, the golden may be wrong"
        " [default: the newest run of each]")  # fmt: skip
@click.option("--weak", is_flag=True, help="Also show findings that chance could explain")
@store_option
@json_option
def analyze(run: str, against: tuple[str, ...], weak: bool, store_url: str | None, as_json: bool) -> None:
    """Explain the failures of RUN: findings with evidence, the change each suggests, and the goldens it could win back.

    Runs nothing and asks no model. Exit codes: 0 analyzed, even if there are findings; 2 no such run.
    """
    from rightcall.improve.run_analysis import analyze_run
    from rightcall.store.address import open_store

    with open_store(store_url, must_exist=True) as store:
        analysis = analyze_run(store, run, against=against or None)
    if as_json:
        print_json(analysis)
        return
    from rightcall.show.analysis import print_analysis

    print_analysis(console(), analysis, weak=weak)
    if analysis.findings:
        print_next(f"rightcall improve {analysis.run}", f"rightcall analyze {analysis.run} --json")
