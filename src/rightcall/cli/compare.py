"""`rightcall compare`: whether one run is really better than another."""

from __future__ import annotations

import click

from rightcall.cli.options import alpha_option, json_option, margin_option, store_option
from rightcall.cli.output import as_object, console, print_json


@click.command()
@click.argument("baseline")
@click.argument("candidates", nargs=-1, required=True)
@margin_option(default=0.0)
@alpha_option(default=0.05)
@click.option("--metric", help="Compare this metric instead of pass rates")
@click.option("--anyway", is_flag=True, help="Compare even if metrics differ or a run is unfinished")
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

    Exit codes: 0 better or not worse, 1 worse, 2 the runs cannot be compared, 3 undecided.
    """
    from rightcall.analysis import golden_matrix, what_changed
    from rightcall.store import open_store
    from rightcall.suite import compare_runs

    with open_store(store_url, must_exist=True) as store:
        found = compare_runs(
            store, baseline, list(candidates), margin=margin, alpha=alpha, metric=metric, anyway=anyway
        )
        changed = {
            one.candidate: what_changed(store, store.run(one.baseline), store.run(one.candidate))
            for one in found
        }
        runs = [found[0].baseline, *(one.candidate for one in found)]
        matrix = golden_matrix(store, runs) if len(runs) > 2 else None
    if as_json:
        print_json([as_object(one) | {"what_changed": changed[one.candidate]} for one in found])
    else:
        from rightcall.report import print_changes, print_comparison, print_matrix

        for one in found:
            print_comparison(
                console(), one.baseline, one.candidate, one.comparison, one.p_adjusted, one.unlike
            )
            print_changes(console(), changed[one.candidate])
        if matrix is not None:
            print_matrix(console(), matrix)
    raise click.exceptions.Exit(max(one.comparison.exit_code for one in found))
