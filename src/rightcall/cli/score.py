"""`rightcall score`: score recorded behaviour."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from rightcall.cli.output import FiniteRange, import_from_here, tell

if TYPE_CHECKING:
    from rightcall.model.run import GroupSummary


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

    from rightcall.metrics import Rules, Scorer, Tally, as_metrics, observed
    from rightcall.report import AskedMetrics, write_rows
    from rightcall.suite import score_recorded
    from rightcall.tools import load_tools

    gc.disable()  # cases make no cycles, and looking for some takes a tenth of the time
    import_from_here((*metrics, *observe))
    chosen = as_metrics(metrics)
    scorer = Scorer(chosen, observed(observe, chosen), Rules(weights, pass_rule))
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
    return [f"{count:,} golden{'s' if count != 1 else ''} without a trajectory left out" for count in missing]


def _unanswered(overall: GroupSummary, least: float) -> str:
    """Why cases without an answer keep the rate from being reached; empty when they could not.

    They are in no rate, but forty-nine of fifty of them must not make a build green.
    """
    everything = overall.cases + overall.errors
    worst = overall.pass_rate * overall.cases / everything if everything else 0.0
    if not overall.errors or overall.pass_rate < least - ROUNDING or worst >= least - ROUNDING:
        return ""
    return (
        f"{overall.errors:,} of {everything:,} cases have no answer; had they failed, {worst:.1%} would have passed, "
        f"--min asks for {least:.1%}"
    )


def _hints(goldens: Path, trajectories: Path, tools: Path | None) -> list[str]:
    hints = [f"rightcall score {goldens} {trajectories} --json | jq 'select(.passed | not)'"]
    if tools is None:
        hints.append(f"rightcall dataset check {goldens} --tools TOOLS.json")
    return hints
