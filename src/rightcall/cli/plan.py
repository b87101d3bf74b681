"""`rightcall plan`: how many goldens a decision needs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rightcall.cli.options import (
    ABOUT,
    ABOUT_HELP,
    FILE,
    RATE,
    FiniteRange,
    alpha_option,
    cluster_option,
    json_option,
    trials_option,
)
from rightcall.cli.output import console, print_json

if TYPE_CHECKING:
    from rightcall.decide.config import About, ClusterMode

PATIENCE = 1.0
"""Seconds of simulation before progress is shown."""


@click.command()
@click.option("--min", "least", type=FiniteRange(0, 1, min_open=True, max_open=True), required=True,
              help="Required pass rate")  # fmt: skip
@click.option("--target", type=RATE, required=True,
              help="Expected pass rate")  # fmt: skip
@click.option("--power", type=FiniteRange(0, 1, min_open=True, max_open=True), default=0.8, show_default=True,
              help="Probability of PASS at the expected pass rate")  # fmt: skip
@alpha_option(default=0.05)
@trials_option(default=1)
@click.option("--icc", type=FiniteRange(0, 1), default=0.5, show_default=True,
              help="Correlation between trials of one golden: 0 independent, 1 identical")  # fmt: skip
@click.option("--about", type=click.Choice(ABOUT), default="cases_like_these",
              show_default=True, help=ABOUT_HELP)  # fmt: skip
@click.option("--dataset", type=FILE, help="Evaluate the plan for these goldens")
@cluster_option(default="declared")
@click.option("--cost-per-case", type=FiniteRange(0), help="Cost of one trial of one golden, in US dollars")
@json_option
def plan(
    least: float,
    target: float,
    power: float,
    alpha: float,
    trials: int,
    icc: float,
    about: About,
    dataset: Path | None,
    cluster: ClusterMode,
    cost_per_case: float | None,
    as_json: bool,
) -> None:
    """Compute how many goldens are needed to show a pass rate of --min when the true rate is --target, and the cost."""
    from rightcall.api.decisions import sample_size
    from rightcall.core.text import percent

    with simulating(quiet=as_json) as watch:
        found = sample_size(
            least,
            target,
            power=power,
            alpha=alpha,
            trials=trials,
            icc=icc,
            about=about,
            dataset=dataset,
            cluster=cluster,
            cost_per_case=cost_per_case,
            watch=watch,
        )
    if as_json:
        print_json(found)
        return
    out = console()
    out.print(found.sentence, soft_wrap=True)
    if found.curtail_goldens is not None and found.evalue_goldens is not None:
        text = (
            "[dim]with early stop, on average: {:,.0f} goldens (stop: curtail), {:,.0f} (stop: evalue, which "
            "then passes {} of runs)[/dim]"
        )
        shown = found.curtail_goldens, found.evalue_goldens, percent(found.evalue_pass or 0.0)
        out.say(text, *shown)


@contextmanager
def simulating(*, quiet: bool) -> Iterator[Callable[[], None] | None]:
    """Show the number of simulated runs once the simulation takes longer than a second."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rightcall.show.screen import Screen

    started, runs = time.monotonic(), 0
    status = Screen(stderr=True).status("simulating")

    def watch() -> None:
        nonlocal runs
        runs += 1
        if time.monotonic() - started > PATIENCE:
            status.start()
            status.update(f"simulating: {runs:,} runs")

    try:
        yield watch
    finally:
        status.stop()
