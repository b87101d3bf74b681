"""Effects of faults and perturbations, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rich.table import Table

from rightcall.analysis import PerturbEffect
from rightcall.report.numbers import percent
from rightcall.report.screen import Screen
from rightcall.report.terminal import clean
from rightcall.tools.faults import FaultSummary


class FaultReportView(Protocol):
    """The shown fields of a fault report."""

    @property
    def summary(self) -> FaultSummary: ...
    @property
    def double_effects(self) -> int: ...
    @property
    def lost_effects(self) -> int: ...
    @property
    def blind_retries(self) -> int: ...
    @property
    def verified_before_retry(self) -> float | None: ...
    @property
    def doubled(self) -> dict[str, str]: ...


def print_fault_report(out: Screen, report: FaultReportView) -> None:
    """Print how many cases faults hit, how many survived, what was repeated, and which faults never fired."""
    found = report.summary
    out.say("\n[bold]faults[/bold] hit {:,} of {:,} trials", found.struck, found.trials)
    for name, value in (("recovery", found.recovery), ("retention", found.retention)):
        if value is not None:
            out.print(f"  {name:<10} {percent(value)}")
    color = "red" if report.double_effects else "green"
    text = f"  [{color}]double effects {{:,}}[/{color}], lost effects {{:,}}, blind retries {{:,}}"
    out.say(text, report.double_effects, report.lost_effects, report.blind_retries)
    if report.verified_before_retry is not None:
        out.print(f"  checked before retrying: {percent(report.verified_before_retry)}")
    for case, words in list(report.doubled.items())[:10]:
        out.say("  [red]✗[/red] {}: {}", clean(case), clean(words), soft_wrap=True)
    for name in found.not_run:
        out.say("  [yellow]not run[/yellow] {}: never fired, so nothing is known about it", name)


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
        "detects",
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
            "–" if one.mde is None else f"{100 * one.mde:.0f} pts",
            one.verdict,
        )
    out.print(table)
    if any(one.verdict == "not shown" for one in effects):
        out.print("detects: the smallest difference that would probably have been detected", style="dim")
    for one in effects:
        if one.positions:
            out.print("\npass rate by position of the expected tool, clean and shuffled:", style="dim")
            out.print(_positions(one))


def _positions(one: PerturbEffect) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("position", "cases", "passed"):
        table.add_column(title, justify="right")
    for at in one.positions:
        place = f"{at.first}" if at.first == at.last else f"{at.first}–{at.last}"
        table.add_row(place, f"{at.goldens:,}", percent(at.rate))
    return table
