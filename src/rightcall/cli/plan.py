"""`rightcall plan`: how many goldens does a decision take?"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rightcall.cli.output import FiniteRange, as_json_option, console, print_json

if TYPE_CHECKING:
    from rightcall.gate import About

PATIENCE = 1.0
"""Seconds of simulating before anything is said about it."""


@click.command()
@click.option("--min", "least", type=FiniteRange(0, 1, min_open=True, max_open=True), required=True,
              help="The pass rate that must be shown.")  # fmt: skip
@click.option("--target", type=FiniteRange(0, 1, min_open=True), required=True,
              help="The pass rate you believe the agent has.")  # fmt: skip
@click.option("--power", type=FiniteRange(0, 1, min_open=True, max_open=True), default=0.8, show_default=True,
              help="The chance of PASS if it truly has it.")  # fmt: skip
@click.option("--alpha", type=FiniteRange(0, 0.5, min_open=True), default=0.05, show_default=True)
@click.option("--trials", type=click.IntRange(1), default=1, show_default=True)
@click.option("--icc", type=FiniteRange(0, 1), default=0.5, show_default=True,
              help="How alike trials of one golden are: 0 not at all, 1 always the same.")  # fmt: skip
@click.option("--about", type=click.Choice(["cases_like_these", "these_goldens"]), default="cases_like_these",
              show_default=True, help="What the rate is claimed of.")  # fmt: skip
@click.option("--dataset", type=click.Path(path_type=Path), help="What these goldens are good for.")
@click.option("--cost-per-case", type=FiniteRange(0), help="US dollars for one trial of one golden.")
@as_json_option
def plan(
    least: float,
    target: float,
    power: float,
    alpha: float,
    trials: int,
    icc: float,
    about: About,
    dataset: Path | None,
    cost_per_case: float | None,
    as_json: bool,
) -> None:
    """How many goldens it takes to show a pass rate of --min when it truly is --target, and what that costs."""
    from rightcall.datasets import load_goldens
    from rightcall.gate import cluster_sizes, percent, plan as planned

    have = clusters = None
    if dataset:
        named = [golden.cluster for golden in load_goldens(dataset)]
        have, clusters = len(named), cluster_sizes(named)
    with simulating(quiet=as_json) as watch:
        found = planned(
            least,
            target,
            power=power,
            alpha=alpha,
            trials=trials,
            icc=icc,
            about=about,
            cost_per_trial=cost_per_case,
            have=have,
            clusters=clusters,
            watch=watch,
        )
    if as_json:
        print_json(found)
        return
    out = console()
    out.print(found.sentence, soft_wrap=True)
    if found.curtail_goldens is not None and found.evalue_goldens is not None:
        text = (
            "[dim]with early stop, on average: {:,.0f} goldens (stop: curtail), {:,.0f} (stop: evalue, which then "
            "says PASS in {} of runs)[/dim]"
        )
        shown = found.curtail_goldens, found.evalue_goldens, percent(found.evalue_pass or 0.0)
        out.say(text, *shown)


@contextmanager
def simulating(*, quiet: bool) -> Iterator[Callable[[], None] | None]:
    """Count simulated runs on the terminal once it takes longer than a second."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rightcall.report import Screen

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
