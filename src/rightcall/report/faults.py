"""What faults did to a run, in the terminal."""

from __future__ import annotations

from typing import Protocol

from rich.console import Console
from rich.markup import escape

from rightcall.report.numbers import percent
from rightcall.report.terminal import clean
from rightcall.tools.fault_measures import FaultSummary


class Report(Protocol):
    """What is shown of a fault report."""

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


def print_fault_report(out: Console, report: Report) -> None:
    """How many cases were struck and held, what was done twice, and which faults never came about."""
    found = report.summary
    out.print(f"\n[bold]faults[/bold] struck {found.struck:,} of {found.trials:,} trials")
    for name, value in (("recovery", found.recovery), ("retention", found.retention)):
        if value is not None:
            out.print(f"  {name:<10} {percent(value)}")
    color = "red" if report.double_effects else "green"
    out.print(
        f"  [{color}]double effects {report.double_effects:,}[/{color}], "
        f"lost effects {report.lost_effects:,}, blind retries {report.blind_retries:,}"
    )
    if report.verified_before_retry is not None:
        out.print(f"  looked before trying again: {percent(report.verified_before_retry)}")
    for case, words in list(report.doubled.items())[:10]:
        out.print(f"  [red]✗[/red] {escape(clean(case))}: {escape(clean(words))}", soft_wrap=True)
    for name in found.not_run:
        out.print(f"  [yellow]not run[/yellow] {escape(name)}: it never fired, so nothing is known about it")
