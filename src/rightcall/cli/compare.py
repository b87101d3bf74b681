"""`rightcall compare`: whether one run is really better than another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import click

from rightcall.cli.command_options import DeclaredCommand, takes_options
from rightcall.cli.output import console, print_json, store_argument
from rightcall.core.codec import to_plain
from rightcall.core.errors import InputError
from rightcall.core.options import JsonOption, StoreOption
from rightcall.decide.options import CompareOptions
from rightcall.store.address import open_store
from rightcall.store.base import RunFilter

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store


@dataclass(frozen=True, kw_only=True)
class CompareCommandOptions(CompareOptions):
    """The options of `rightcall compare`."""

    store: StoreOption = None
    as_json: JsonOption = False


@click.command(cls=DeclaredCommand)
@click.argument("baseline")
@click.argument("candidates", nargs=-1)
@takes_options(CompareCommandOptions)
def compare(baseline: str, candidates: Sequence[str], options: CompareCommandOptions) -> None:
    """Compare CANDIDATES with BASELINE golden by golden: better, not worse, worse or undecided.

    With one run alone, it is compared with the run of its suite before it.

    Exit codes: 0 better or not worse, 1 worse, 2 the runs cannot be compared, 3 undecided.
    """
    from rightcall.improve.attribution import what_changed
    from rightcall.improve.run_matrix import golden_matrix
    from rightcall.run.decisions import compare_runs
    from rightcall.show.comparison import WORDS, print_comparison, print_matrix
    from rightcall.show.run_screen import NextStep, print_steps, shell_word
    from rightcall.show.view.failure_kinds import failure_kinds

    how = {field.name: getattr(options, field.name) for field in fields(CompareOptions)}
    with open_store(options.store, must_exist=True) as store:
        if not candidates:
            baseline, candidates = run_before(store, baseline), (baseline,)
        comparisons = compare_runs(store, baseline, list(candidates), **how)
        runs = [comparisons[0].baseline, *(comparison.candidate for comparison in comparisons)]
        before, *after = map(store.runs.get, runs)
        changed = {stored.id: what_changed(store, before, stored) for stored in after}
        matrix = golden_matrix(store, runs) if len(runs) > 2 else None
        still = {stored.id: failure_kinds(store, stored.id, 1) for stored in after}
    if options.as_json:
        documents = []
        for comparison in comparisons:
            word = WORDS.get(comparison.comparison.change, comparison.comparison.change)
            what = {"word": word, "what_changed": changed[comparison.candidate]}
            documents.append(to_plain(comparison) | what)
        print_json(documents)
    else:
        out = console()
        where = store_argument(options.store)
        for comparison in comparisons:
            run = comparison.candidate
            if len(comparisons) > 1:
                out.print(run, style="bold")
            print_comparison(out, comparison, changed[run], still[run])
        if matrix is not None:
            print_matrix(out, matrix)
        case = next((kinds.first for kinds in still.values() if kinds.first), "")
        steps = [NextStep(f"rightcall runs show {runs[-1]} {shell_word(case)}{where}", "one case in full")]
        print_steps(out, steps if case else [])
    raise click.exceptions.Exit(max(comparison.comparison.exit_code for comparison in comparisons))


def run_before(store: Store, run: str) -> str:
    """The newest finished run of the same suite before a run."""
    stored = store.runs.get(run).run
    listed = store.runs.page(RunFilter(name=stored.name, state="finished", until=stored.started_at), limit=1)
    if not listed:
        raise InputError(f"run {stored.id}", "its suite has no earlier run", "name the run to compare with")
    return listed[0].id
