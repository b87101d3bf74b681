"""`rightcall plan`: how many goldens does a decision take?"""

from __future__ import annotations

from pathlib import Path

import click

from rightcall.cli.output import FiniteRange, as_json_option, console, print_json


@click.command()
@click.option("--min", "least", type=FiniteRange(0, 1, min_open=True, max_open=True), required=True,
              help="The pass rate that must be shown.")  # fmt: skip
@click.option("--target", type=FiniteRange(0, 1, min_open=True), required=True,
              help="The pass rate you believe the agent has.")  # fmt: skip
@click.option("--power", type=FiniteRange(0, 1, min_open=True, max_open=True), default=0.8, show_default=True,
              help="The chance of PASS if it truly has it.")  # fmt: skip
@click.option("--alpha", type=FiniteRange(0, 0.5, min_open=True), default=0.05, show_default=True)
@click.option("--trials", type=click.IntRange(1), default=1, show_default=True)
@click.option("--dataset", type=click.Path(path_type=Path), help="What these goldens are good for.")
@click.option("--cost-per-case", type=FiniteRange(0), help="US dollars for one trial of one golden.")
@as_json_option
def plan(
    least: float,
    target: float,
    power: float,
    alpha: float,
    trials: int,
    dataset: Path | None,
    cost_per_case: float | None,
    as_json: bool,
) -> None:
    """How many goldens it takes to show a pass rate of --min when it truly is --target, and what that costs."""
    from rightcall.datasets import load_goldens
    from rightcall.gate import plan as planned

    have = sum(1 for _ in load_goldens(dataset)) if dataset else None
    found = planned(
        least, target, power=power, alpha=alpha, trials=trials, cost_per_trial=cost_per_case, have=have
    )
    if as_json:
        print_json(found)
        return
    out = console()
    out.print(found.sentence, soft_wrap=True)
    if found.curtail_goldens is not None and found.evalue_goldens is not None:
        text = (
            "[dim]with early stop, on average: {:,.0f} goldens (stop: curtail), {:,.0f} (stop: evalue)[/dim]"
        )
        out.say(text, found.curtail_goldens, found.evalue_goldens)
