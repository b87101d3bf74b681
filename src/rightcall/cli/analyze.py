"""`rightcall analyze`: why a run fails, and what to change."""

from __future__ import annotations

from typing import Annotated

import click

from rightcall.cli.command_options import DeclaredCommand, run_argument
from rightcall.cli.output import console, print_json, print_next, store_argument
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.store.address import open_store


@click.command(cls=DeclaredCommand)
@run_argument
def analyze(
    run: str,
    against: Annotated[
        tuple[str, ...],
        Option(
            "Run of another model on the same goldens; where several models agree, the golden may be wrong",
            metavar="RUN",
            default="the newest run of each",
        ),
    ] = (),
    weak: Annotated[bool, Option("Also show findings that chance could explain")] = False,
    store_url: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Explain the failures of RUN: findings with evidence, the change each suggests, and the goldens it could recover.

    Runs nothing and asks no model. Exit codes: 0 analyzed, even if there are findings; 2 no such run.
    """
    from rightcall.improve.run_analysis import analyze_run

    with open_store(store_url, must_exist=True) as store:
        analysis = analyze_run(store, run, against=against or None)
    if as_json:
        print_json(analysis)
        return
    from rightcall.show.analysis import print_analysis, shown_findings

    print_analysis(console(), analysis, weak=weak)
    where = store_argument(store_url)
    run_id = analysis.run
    shown = shown_findings(analysis)
    if shown and shown[0].since:
        print_next(f"rightcall compare {shown[0].since} {run_id}{where}")
    elif shown and analysis.owned:
        print_next(f"rightcall improve {run_id}{where}")
    elif analysis.findings:
        print_next(f"rightcall runs show {run_id} {analysis.findings[0].goldens[0]}{where}")
