"""`rightcall plan`: how many goldens a decision needs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields

import click

from rightcall.cli.command_options import takes_options
from rightcall.cli.output import console, print_json
from rightcall.decide.options import SampleSizeOptions

PATIENCE = 1.0
"""Seconds of simulation before progress is shown."""


@click.command()
@takes_options(SampleSizeOptions)
def plan(options: SampleSizeOptions) -> None:
    """Compute how many goldens are needed to show a pass rate of --min when the true rate is --target, and the cost."""
    from rightcall.api.decisions import sample_size
    from rightcall.core.text import percent

    typed = {field.name: getattr(options, field.name) for field in fields(options)}
    as_json = typed.pop("as_json")
    with simulation_status(quiet=as_json) as watch:
        size = sample_size(**typed | {"watch": watch})
    if as_json:
        print_json(size)
        return
    out = console()
    out.print(size.sentence, soft_wrap=True)
    if size.curtail_goldens is not None and size.evalue_goldens is not None:
        text = (
            "[dim]with early stop, on average: {:,.0f} goldens (stop: curtail), {:,.0f} (stop: evalue, which "
            "then passes {} of runs)[/dim]"
        )
        shown = size.curtail_goldens, size.evalue_goldens, percent(size.evalue_pass or 0.0)
        out.say(text, *shown)


@contextmanager
def simulation_status(*, quiet: bool) -> Iterator[Callable[[], None] | None]:
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
