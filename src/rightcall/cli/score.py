"""`rightcall score`: score recorded behaviour."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import click

from rightcall.cli.output import FiniteRange, import_from_here, tell


@click.command()
@click.argument("goldens", type=click.Path(path_type=Path))
@click.argument("trajectories", type=click.Path(path_type=Path))
@click.option(
    "--tools", type=click.Path(path_type=Path), help="Tool definitions, for defaults and schema checks."
)
@click.option("--metric", "metrics", multiple=True, help="A metric that must pass too; may be repeated.")
@click.option("--observe", multiple=True, help="A metric that only measures; may be repeated.")
@click.option("--pass-rule", type=click.Choice(["strict", "score"]), default="strict", show_default=True)
@click.option("--weights", type=click.Choice(["default", "seed"]), default="default", show_default=True,
              help="Weighting of the overall score; seed counts tool names, and half for a wrong value.")  # fmt: skip
@click.option("--partial", is_flag=True, help="Goldens without a trajectory are left out instead of refused.")
@click.option("--min", "least", type=FiniteRange(0, 1), default=1.0, show_default=True,
              help="The pass rate from which the exit code is 0.")  # fmt: skip
@click.option("--failures", type=click.IntRange(0), default=20, show_default=True, help="How many to show.")
@click.option(
    "--json", "as_json", is_flag=True, help="One JSON object a line, one line a case, nothing else."
)
def score(
    goldens: Path,
    trajectories: Path,
    tools: Path | None,
    metrics: tuple[str, ...],
    observe: tuple[str, ...],
    pass_rule: Literal["strict", "score"],
    weights: str,
    partial: bool,
    least: float,
    failures: int,
    as_json: bool,
) -> None:
    """Score TRAJECTORIES (what an agent did) against GOLDENS (what it should have done).

    Nothing is run and nothing is sent. Exit code 1 when fewer cases pass than --min asks for.
    """
    import gc

    from rightcall.api import score as score_files
    from rightcall.metrics import ScoringRules
    from rightcall.report import AskedMetrics, write_rows

    gc.disable()  # cases make no cycles, and looking for some takes a tenth of the time
    import_from_here((*metrics, *observe))
    scores = score_files(
        goldens,
        trajectories,
        tools=tools or (),
        metrics=metrics,
        observe=observe,
        rules=ScoringRules(weights, pass_rule),
        partial=partial,
    )
    beside = AskedMetrics(scores.metric_names)
    watched = beside.watch(iter(scores)) if scores.metric_names else iter(scores)
    if as_json:
        write_rows(watched, sys.stdout.buffer)
        for note in _left_out(scores.left_out):
            tell(note, err=True)
    else:
        from rightcall.report import Watcher, print_summary  # rich only when it is shown

        watcher = Watcher("scoring", keep=failures)
        for _ in watcher.watch(watched):
            pass
        notes = [*_left_out(scores.left_out), *beside.lines(scores.summary)]
        print_summary(scores.summary, watcher.failed, notes=notes, hints=_hints(goldens, trajectories, tools))
    shortfall = scores.shortfall(least)
    if shortfall:
        tell(shortfall, err=True)
    if shortfall is not None:
        raise click.exceptions.Exit(1)


def _left_out(count: int) -> list[str]:
    return [f"{count:,} golden{'s' if count != 1 else ''} without a trajectory left out"] if count else []


def _hints(goldens: Path, trajectories: Path, tools: Path | None) -> list[str]:
    hints = [f"rightcall score {goldens} {trajectories} --json | jq 'select(.passed | not)'"]
    if tools is None:
        hints.append(f"rightcall dataset check {goldens} --tools TOOLS.json")
    return hints
