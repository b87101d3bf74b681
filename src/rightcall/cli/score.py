"""`rightcall score`: score recorded trajectories against goldens."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from rightcall.cli.options import (
    FILE,
    FiniteRange,
    failures_option,
    measure_option,
    metric_option,
    pass_rule_option,
    tools_option,
)
from rightcall.cli.output import tell
from rightcall.core.text import counted

if TYPE_CHECKING:
    from rightcall.api.recorded_scores import RecordedScores


@click.command()
@click.argument("goldens", type=FILE)
@click.argument("trajectories", type=click.Path(path_type=Path))
@tools_option
@metric_option
@measure_option
@pass_rule_option
@click.option("--weights", type=click.Choice(["default", "seed"]), default="default", show_default=True,
              help="Weights of the overall score; `seed` gives wrong values half credit")  # fmt: skip
@click.option("--partial", is_flag=True, help="Skip goldens without a trajectory instead of failing")
@click.option("--include-unreviewed", is_flag=True, help="Also score by unreviewed goldens")
@click.option("--min", "least", type=FiniteRange(0, 1), default=1.0, show_default=True,
              help="Minimum pass rate for exit code 0")  # fmt: skip
@click.option("--on", metavar="ray[:ADDRESS]", help="Score in shards, as tasks on Ray; requires --out")
@click.option("--workers", type=click.IntRange(1, 10_000), help="Shards scored at a time [default: CPUs]")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False),
              help="Folder for the results of shards; the same command resumes there")  # fmt: skip
@failures_option
@click.option("--json", "as_json", is_flag=True, help="Output JSON, one line per case")
def score(
    goldens: Path,
    trajectories: Path,
    tools: Path | None,
    metrics: tuple[str, ...],
    measure: tuple[str, ...],
    pass_rule: Literal["strict", "score"],
    weights: str,
    partial: bool,
    include_unreviewed: bool,
    least: float,
    on: str | None,
    workers: int | None,
    out: Path | None,
    failures: int,
    as_json: bool,
) -> None:
    """Score TRAJECTORIES (what an agent did) against GOLDENS (what it should have done).

    TRAJECTORIES may also be traces of any kind that `rightcall traces import` reads, if goldens name their trace or
    spans name their golden (`rightcall.golden.id`). `-` reads one of the two from standard input, as JSON Lines.
    Runs and sends nothing. Exit code 1 if the pass rate is below --min, 3 if nothing was checked.
    """
    import gc

    from rightcall.api.recorded_scores import score as score_files
    from rightcall.cli.score_traces import as_trajectories, named_as_given, read_standard_input
    from rightcall.metrics.matching.verdict import ScoringRules
    from rightcall.show.rows import write_rows

    gc.disable()  # cases create no reference cycles; collecting takes a tenth of the time
    rules = ScoringRules(weights, pass_rule)
    if on is not None or out is not None or workers is not None:
        if out is None or as_json:
            raise click.UsageError(
                "--on writes the rows of --json to a folder: pass --out DIR, without --json"
            )
        from rightcall.core.seam import load

        load("services", "score_in_shards")(
            goldens,
            trajectories,
            out,
            on=on or "ray",
            workers=workers,
            tools=tools,
            metrics=metrics,
            observe=measure,
            rules=rules,
            partial=partial,
            least=least,
            include_unreviewed=include_unreviewed,
        )
        return
    hints = _hints(goldens, trajectories, tools)
    read = read_standard_input(goldens, trajectories)
    with named_as_given(*zip((goldens, trajectories), read, strict=True)):
        scores = score_files(
            read[0],
            as_trajectories(*read),
            tools=tools or (),
            metrics=metrics,
            measure=measure,
            rules=rules,
            partial=partial,
            include_unreviewed=include_unreviewed,
        )
        if as_json:
            write_rows(iter(scores), sys.stdout.buffer)
            for note in _left_out(scores.left_out):
                tell(note, err=True)
        else:
            _print_scores(scores, failures, hints, read[0])
    for notice in scores.notices:
        tell(f"warning: {notice}", err=True)
    shortfall = scores.shortfall(least)
    if shortfall:
        tell(shortfall, err=True)
    if shortfall is not None:
        raise click.exceptions.Exit(3 if scores.nothing_checked else 1)


def _print_scores(scores: RecordedScores, failures: int, hints: list[str], goldens: Path) -> None:
    """Show the progress of scoring, then the summary with the first failures."""
    from rightcall.datasets.goldens import load_goldens
    from rightcall.show.extra_metrics import AskedMetrics  # rich only when it is shown
    from rightcall.show.terminal import Watcher, print_summary
    from rightcall.show.view.case_names import names_of

    asked, watcher = AskedMetrics(scores.metric_names), Watcher("scoring", keep=failures)
    for _ in watcher.watch(asked.watch(scores) if scores.metric_names else iter(scores)):
        pass
    notes = [*_left_out(scores.left_out), *asked.lines(scores.summary)]
    name = names_of(lambda: load_goldens(goldens), [result.golden_id for result in watcher.failed])
    print_summary(scores.summary, watcher.failed, notes=notes, hints=hints, name=name)


def _left_out(count: int) -> list[str]:
    return [f"{counted(count, 'golden')} without a trajectory skipped"] if count else []


def _hints(goldens: Path, trajectories: Path, tools: Path | None) -> list[str]:
    hints = [f"rightcall score {goldens} {trajectories} --json | jq 'select(.passed | not)'"]
    if tools is None:
        hints.append(f"rightcall dataset check {goldens} --tools TOOLS.json")
    return hints
