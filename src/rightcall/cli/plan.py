"""`rightcall plan`: how many goldens a decision needs."""

from __future__ import annotations

import click

from rightcall.cli.command_options import DeclaredCommand, takes_options
from rightcall.cli.output import console, print_json, step_counter
from rightcall.decide.options import SampleSizeOptions


@click.command(cls=DeclaredCommand)
@takes_options(SampleSizeOptions)
def plan(options: SampleSizeOptions) -> None:
    """Compute how many goldens are needed to show a pass rate of --min when the true rate is --target, and the cost."""
    from rightcall.api.decisions import sample_size
    from rightcall.core.text import percent

    typed = dict(vars(options))
    as_json = typed.pop("as_json")
    with step_counter("simulating", "run", quiet=as_json) as watch:
        size = sample_size(**typed | {"watch": watch})
    if as_json:
        print_json(size)
        return
    out = console()
    out.print(size.sentence, soft_wrap=True)
    if size.evalue_goldens is not None:
        text = "[dim]with stop: evalue, on average: {:,.0f} goldens; {} of runs pass[/dim]"
        out.say(text, size.evalue_goldens, percent(size.evalue_pass or 0.0))
