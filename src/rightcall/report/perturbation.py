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
            _verdict(one),
        )
    out.print(table)
    for one in effects:
        if one.positions:
            out.print(_positions(one))


def _verdict(one: PerturbEffect) -> str:
    if one.verdict == "not shown" and one.mde is not None:
        return f"not shown (sees {100 * one.mde:.0f} points or more)"
    return one.verdict


def _positions(one: PerturbEffect) -> Table:
    table = Table(
        title="place of the wanted tool", title_justify="left", box=None, pad_edge=False, header_style="dim"
    )
    for title in ("place", "cases", "passed"):
        table.add_column(title, justify="right")
    for at in one.positions:
        place = f"{at.first}" if at.first == at.last else f"{at.first}–{at.last}"
        table.add_row(place, f"{at.goldens:,}", percent(at.rate))
    return table
