"""The effects of faults, for the terminal."""

from __future__ import annotations

from typing import Protocol

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
