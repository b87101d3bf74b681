"""`rightcall score`: score recorded behaviour."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import click


@click.command()
@click.argument("goldens", type=click.Path(path_type=Path))
@click.argument("trajectories", type=click.Path(path_type=Path))
@click.option(
    "--tools", type=click.Path(path_type=Path), help="Tool definitions, for defaults and schema checks."
)
@click.option("--metric", "metrics", multiple=True, help="A metric beside the dimensions; may be repeated.")
@click.option("--pass-rule", type=click.Choice(["strict", "score"]), default="strict", show_default=True)
@click.option("--partial", is_flag=True, help="Goldens without a trajectory are left out instead of refused.")
@click.option("--min", "least", type=click.FloatRange(0, 1), default=1.0, show_default=True,
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
    pass_rule: Literal["strict", "score"],
    partial: bool,
    least: float,
    failures: int,
    as_json: bool,
) -> None:
    """Score TRAJECTORIES (what an agent did) against GOLDENS (what it should have done).

    Nothing is run and nothing is sent. Exit code 1 when fewer cases pass than --min asks for.
    """
    import gc

    from rightcall.metrics import Rules, resolve_metrics
    from rightcall.metrics.tally import Tally
    from rightcall.report.rows import write_rows
    from rightcall.suite.recorded import score_recorded
    from rightcall.tools import load_tools

    gc.disable()  # cases make no cycles, and looking for some takes a tenth of the time
    results = score_recorded(
        goldens,
        trajectories,
        tools=load_tools(tools) if tools else (),
        rules=Rules(pass_rule=pass_rule),
        metrics=resolve_metrics(list(metrics)),
        partial=partial,
    )
    tally = Tally()
    if as_json:
        write_rows(tally.watch(results), sys.stdout.buffer)
    else:
        from rightcall.report.terminal import Watcher, print_summary  # rich only when it is shown

        watcher = Watcher("scoring", keep=failures)
        for _ in watcher.watch(tally.watch(results)):
            pass
        print_summary(tally.summary(), watcher.failed, hints=_hints(goldens, trajectories, tools))
    if tally.passed < least * tally.decided or not tally.decided:
        raise click.exceptions.Exit(1)


def _hints(goldens: Path, trajectories: Path, tools: Path | None) -> list[str]:
    hints = [f"rightcall score {goldens} {trajectories} --json | jq 'select(.passed | not)'"]
    if tools is None:
        hints.append(f"rightcall dataset check {goldens} --tools TOOLS.json")
    return hints
