"""`rightcall compare`: whether one run is really better than another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rightcall.cli.options import (
    alpha_option,
    cluster_option,
    json_option,
    margin_option,
    store_option,
    trust_option,
)
from rightcall.cli.output import as_object, console, print_json

if TYPE_CHECKING:
    from rightcall.decide.options import ClusterMode
    from rightcall.improve.attribution import WhatChanged
    from rightcall.improve.patch import UndoneEffect
    from rightcall.store.sql.store import Store


@click.command()
@click.argument("baseline")
@click.argument("candidates", nargs=-1, required=True)
@margin_option(default=0.0)
@alpha_option(default=0.05)
@click.option("--metric", help="Compare this metric instead of pass rates")
@cluster_option(default="declared")
@click.option("--anyway", is_flag=True, help="Compare even if metrics differ or a run is unfinished")
@click.option(
    "--bisect",
    is_flag=True,
    help="Run broken goldens again with one suspect change undone at a time (needs --suite)",
)
@click.option("--suite", type=click.Path(path_type=Path), default=Path("suite.yaml"), show_default=True,
              help="Suite of the runs, for --bisect")  # fmt: skip
@click.option(
    "--trials", type=click.IntRange(1, 100), default=3, show_default=True, help="Trials for --bisect"
)
@trust_option
@store_option
@json_option
def compare(
    baseline: str,
    candidates: tuple[str, ...],
    margin: float,
    alpha: float,
    metric: str | None,
    cluster: ClusterMode,
    anyway: bool,
    bisect: bool,
    suite: Path,
    trials: int,
    trust: bool,
    store_url: str | None,
    as_json: bool,
) -> None:
    """Compare CANDIDATES with BASELINE golden by golden: better, not worse, worse or undecided.

    Exit codes: 0 better or not worse, 1 worse, 2 the runs cannot be compared, 3 undecided.
    """
    from rightcall.improve.attribution import what_changed
    from rightcall.improve.run_matrix import golden_matrix
    from rightcall.run.decisions import compare_runs
    from rightcall.store.address import open_store

    with open_store(store_url, must_exist=True) as store:
        comparisons = compare_runs(
            store,
            baseline,
            list(candidates),
            margin=margin,
            alpha=alpha,
            metric=metric,
            anyway=anyway,
            cluster=cluster,
        )
        changed = {
            comparison.candidate: what_changed(
                store, store.runs.get(comparison.baseline), store.runs.get(comparison.candidate)
            )
            for comparison in comparisons
        }
        runs = [comparisons[0].baseline, *(comparison.candidate for comparison in comparisons)]
        matrix = golden_matrix(store, runs) if len(runs) > 2 else None
        undone = {
            run: undo_each(store, difference, suite, trials, trust) if bisect else []
            for run, difference in changed.items()
        }
    if as_json:
        print_json(
            [
                _as_object(comparison, changed[comparison.candidate], undone[comparison.candidate])
                for comparison in comparisons
            ]
        )
    else:
        from rightcall.show.comparison import print_changes, print_comparison, print_matrix, print_undone

        for comparison in comparisons:
            print_comparison(
                console(),
                comparison.baseline,
                comparison.candidate,
                comparison.comparison,
                comparison.p_adjusted,
                comparison.unlike + comparison.notes,
            )
            print_changes(console(), changed[comparison.candidate])
            print_undone(console(), undone[comparison.candidate])
        if matrix is not None:
            print_matrix(console(), matrix)
    raise click.exceptions.Exit(max(comparison.comparison.exit_code for comparison in comparisons))


def undo_each(
    store: Store, changed: WhatChanged, suite: Path, trials: int, trust: bool
) -> list[UndoneEffect]:
    """Run the goldens that broke with one suspect change undone at a time."""
    from rightcall.cli.interrupt import run_interruptible
    from rightcall.improve.bisection import bisect_changes
    from rightcall.run.suite import load_suite
    from rightcall.run.suite_plan import plan_suite
    from rightcall.run.trust import agent_of_run, require_trust

    loaded = load_suite(suite)
    require_trust(loaded, suite, trust=trust)
    agent = agent_of_run(loaded, suite.parent, store.runs.get(changed.after).run.agent)
    plan = plan_suite(loaded, suite.parent, model=agent)
    return run_interruptible(bisect_changes(plan, store, changed, trials=trials))


def _as_object(comparison: Any, changed: WhatChanged, undone: list[UndoneEffect]) -> dict[str, Any]:
    return as_object(comparison) | {"what_changed": changed} | ({"bisect": undone} if undone else {})
