"""Effects of perturbations, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from rightcall.analysis import PerturbEffect
from rightcall.report.numbers import percent
from rightcall.report.screen import Screen


def print_perturbations(out: Screen, effects: Sequence[PerturbEffect]) -> None:
    """A row for each kind."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in (
        "perturbation",
        "goldens",
        "clean",
        "perturbed",
        "difference",
        "interval",
        "flips",
        "p",
        "verdict",
    ):
        table.add_column(title, justify="left" if title in ("perturbation", "verdict") else "right")
    for one in effects:
        interval = "–" if one.low is None or one.high is None else f"{one.low:+.0%} … {one.high:+.0%}"
        rates = percent(one.clean), percent(one.perturbed), f"{one.difference:+.1%}"
        table.add_row(
            one.kind,
            f"{one.goldens:,}",
            *rates,
            interval,
            f"{one.flips:+.1%}",
            f"{one.p_adjusted:.3g}",
            one.verdict,
        )
    out.print(table)
