"""`rightcall compare`: whether one run is really better than another."""

from __future__ import annotations

import click

from rightcall.cli.options import alpha_option, json_option, margin_option, store_option
from rightcall.cli.output import console, print_json


@click.command()
@click.argument("baseline")
@click.argument("candidates", nargs=-1, required=True)
@margin_option(default=0.0)
@alpha_option(default=0.05)
@click.option("--metric", help="Compare this metric instead of pass rates")
@click.option("--anyway", is_flag=True, help="Compare even if datasets or metrics differ")
@store_option
@json_option
def compare(
    baseline: str,
    candidates: tuple[str, ...],
    margin: float,
    alpha: float,
    metric: str | None,
    anyway: bool,
    store_url: str | None,
    as_json: bool,
) -> None:
    """Compare CANDIDATES with BASELINE golden by golden: better, not worse, worse or undecided.

    Exit codes: 0 better or not worse, 1 worse, 3 undecided.
    """
    from rightcall import api

    found = api.compare(
        baseline, *candidates, margin=margin, alpha=alpha, metric=metric, anyway=anyway, store=store_url
    )
    if as_json:
        print_json(found)
    else:
        from rightcall.report import print_comparison

        for one in found:
            print_comparison(
                console(), one.baseline, one.candidate, one.comparison, one.p_adjusted, one.unlike
            )
    raise click.exceptions.Exit(max(one.comparison.exit_code for one in found))
