"""`rightcall compare`: whether one run is really better than another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import click

from rightcall.cli.command_options import DeclaredCommand, takes_options
from rightcall.cli.output import console, print_json
from rightcall.core.codec import to_plain
from rightcall.core.options import JsonOption, StoreOption
from rightcall.decide.options import CompareOptions
from rightcall.store.address import open_store


@dataclass(frozen=True, kw_only=True)
class CompareCommandOptions(CompareOptions):
    """The options of `rightcall compare`."""

    store: StoreOption = None
    as_json: JsonOption = False


@click.command(cls=DeclaredCommand)
@click.argument("baseline")
@click.argument("candidates", nargs=-1, required=True)
@takes_options(CompareCommandOptions)
def compare(baseline: str, candidates: Sequence[str], options: CompareCommandOptions) -> None:
    """Compare CANDIDATES with BASELINE golden by golden: better, not worse, worse or undecided.

    Exit codes: 0 better or not worse, 1 worse, 2 the runs cannot be compared, 3 undecided.
    """
    from rightcall.improve.attribution import what_changed
    from rightcall.improve.run_matrix import golden_matrix
    from rightcall.run.decisions import compare_runs

    how = {field.name: getattr(options, field.name) for field in fields(CompareOptions)}
    with open_store(options.store, must_exist=True) as store:
        comparisons = compare_runs(store, baseline, list(candidates), **how)
        runs = [comparisons[0].baseline, *(comparison.candidate for comparison in comparisons)]
        before, *after = map(store.runs.get, runs)
        changed = {stored.id: what_changed(store, before, stored) for stored in after}
        matrix = golden_matrix(store, runs) if len(runs) > 2 else None
    if options.as_json:
        documents = []
        for comparison in comparisons:
            documents.append(to_plain(comparison) | {"what_changed": changed[comparison.candidate]})
        print_json(documents)
    else:
        from rightcall.show.comparison import print_changes, print_comparison, print_matrix

        for comparison in comparisons:
            print_comparison(console(), comparison)
            print_changes(console(), changed[comparison.candidate])
        if matrix is not None:
            print_matrix(console(), matrix)
    raise click.exceptions.Exit(max(comparison.comparison.exit_code for comparison in comparisons))
