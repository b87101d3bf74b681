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
    metric_option,
    observe_option,
    pass_rule_option,
    tools_option,
)
from rightcall.cli.output import import_from_here, tell

if TYPE_CHECKING:
    from rightcall.model.run import GroupSummary


@click.command()
@click.argument("goldens", type=FILE)
@click.argument("trajectories", type=FILE)
@tools_option
@metric_option
@observe_option
@pass_rule_option
@click.option("--weights", type=click.Choice(["default", "seed"]), default="default", show_default=True,
              help="Weights of the overall score; `seed` gives wrong values half credit")  # fmt: skip
@click.option("--partial", is_flag=True, help="Skip goldens without a trajectory instead of failing")
@click.option("--min", "least", type=FiniteRange(0, 1), default=1.0, show_default=True,
              help="Minimum pass rate for exit code 0")  # fmt: skip
@failures_option
@click.option("--json", "as_json", is_flag=True, help="Output JSON, one line per case")
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

    Runs and sends nothing. Exit code 1 if the pass rate is below --min.
    """
    import gc

    from rightcall.metrics import Scorer, ScoringRules, Tally, as_metrics, observed
    from rightcall.report import AskedMetrics, write_rows
    from rightcall.suite import score_recorded
    from rightcall.tools import load_tools

    gc.disable()  # cases create no reference cycles; collecting takes a tenth of the time
    import_from_here((*metrics, *observe))
    chosen = as_metrics(metrics)
    scorer = Scorer(chosen, observed(observe, chosen), ScoringRules(weights, pass_rule))
    missing: list[int] = []
    results = score_recorded(
        goldens,
        trajectories,
        tools=load_tools(tools) if tools else (),
        scorer=scorer,
        partial=partial,
        left_out=missing.append,
    )
    tally, beside = Tally(scorer.names), AskedMetrics(scorer.names)
    watched = tally.watch(beside.watch(results) if scorer.names else results)
    if as_json:
        write_rows(watched, sys.stdout.buffer)
        summary = tally.summary()
        for note in _left_out(missing):
            tell(note, err=True)
    else:
        from rightcall.report import Watcher, print_summary  # rich only when it is shown

        watcher = Watcher("scoring", keep=failures)
        for _ in watcher.watch(watched):
            pass
        summary = tally.summary()
        notes = [*_left_out(missing), *beside.lines(summary)]
        print_summary(summary, watcher.failed, notes=notes, hints=_hints(goldens, trajectories, tools))
    overall = summary.overall
    unanswered = _unanswered(overall, least)
    if unanswered:
        tell(unanswered, err=True)
    if unanswered or not overall.cases or overall.pass_rate < least - ROUNDING:
        raise click.exceptions.Exit(1)


ROUNDING = 1e-12


def _left_out(missing: list[int]) -> list[str]:
    return [f"{count:,} golden{'s' if count != 1 else ''} without a trajectory skipped" for count in missing]


def _unanswered(overall: GroupSummary, least: float) -> str:
    """Why cases without an answer leave --min unproven; empty when they cannot matter.

    They count in no rate, but a run in which 49 of 50 cases had no answer must not turn a build green.
    """
    everything = overall.cases + overall.errors
    worst = overall.pass_rate * overall.cases / everything if everything else 0.0
    if not overall.errors or overall.pass_rate < least - ROUNDING or worst >= least - ROUNDING:
        return ""
    return (
        f"{overall.errors:,} of {everything:,} cases have no answer; counted as failures, the pass rate is "
        f"{worst:.1%}, below --min {least:.1%}"
    )


def _hints(goldens: Path, trajectories: Path, tools: Path | None) -> list[str]:
    hints = [f"rightcall score {goldens} {trajectories} --json | jq 'select(.passed | not)'"]
    if tools is None:
        hints.append(f"rightcall dataset check {goldens} --tools TOOLS.json")
    return hints
