"""`rightcall compare`: is it really better?"""

from __future__ import annotations

import click

from rightcall.cli.output import FiniteRange, as_json_option, console, print_json


@click.command()
@click.argument("baseline")
@click.argument("candidates", nargs=-1, required=True)
@click.option("--margin", type=FiniteRange(0, 1, max_open=True), default=0.0, show_default=True,
              help="How much worse still counts as not worse.")  # fmt: skip
@click.option("--alpha", type=FiniteRange(0, 0.5, min_open=True), default=0.05, show_default=True)
@click.option("--metric", help="Compare this metric instead of passing.")
@click.option("--anyway", is_flag=True, help="Compare runs even if their dataset or metrics differ.")
@click.option("--store", "store_url", help="Where results are kept.")
@as_json_option
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
    """Compare CANDIDATES with BASELINE golden by golden: better, not worse, worse, or not settled.

    Exit codes: 0 better or not worse, 1 worse, 3 not settled.
    """
    from rightcall.store import open_store
    from rightcall.suite import compare_runs

    with open_store(store_url, must_exist=True) as store:
        found = compare_runs(
            store, baseline, list(candidates), margin=margin, alpha=alpha, metric=metric, anyway=anyway
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
