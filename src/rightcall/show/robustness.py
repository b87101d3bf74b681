"""Effects of faults and perturbations, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rightcall.core.text import change_interval, hundredths, percent, percent_change
from rightcall.improve.robustness import PerturbEffect
from rightcall.show.columns import print_columns
from rightcall.show.screen import Screen
from rightcall.show.terminal import clean
from rightcall.tools.faults.measures import FaultSummary


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
    summary = report.summary
    out.say("\n[bold]faults[/bold] hit {:,} of {:,} trials", summary.struck, summary.trials)
    for name, value in (("recovery", summary.recovery), ("retention", summary.retention)):
        if value is not None:
            out.print(f"  {name:<10} {percent(value, 1)}")
    color = "red" if report.double_effects else "green"
    text = f"  [{color}]double effects {{:,}}[/{color}], lost effects {{:,}}, blind retries {{:,}}"
    out.say(text, report.double_effects, report.lost_effects, report.blind_retries)
    if report.verified_before_retry is not None:
        out.print(f"  checked before retrying: {percent(report.verified_before_retry, 1)}")
    for case, words in list(report.doubled.items())[:10]:
        out.say("  [red]✗[/red] {}: {}", clean(case), clean(words), soft_wrap=True)
    for name in summary.not_run:
        out.say("  [yellow]not run[/yellow] {}: never fired, so nothing is known about it", name)


PERTURB_TITLES = (
    "perturbation", "goldens", "clean", "perturbed", "difference", "interval", "flips", "p", "detects", "verdict",
)  # fmt: skip


def print_perturbations(out: Screen, effects: Sequence[PerturbEffect]) -> None:
    """A row for each kind."""
    rows = []
    for effect in effects:
        interval = change_interval(effect.low, effect.high, 0)
        rates = percent(effect.clean, 1), percent(effect.perturbed, 1), percent_change(effect.difference)
        detects = "–" if effect.mde is None else f"{hundredths(effect.mde, '.0f')} pts"
        numbers = percent_change(effect.flips), f"{effect.p_adjusted:.3g}", detects
        rows.append((effect.kind, f"{effect.goldens:,}", *rates, interval, *numbers, effect.verdict))
    print_columns(out, PERTURB_TITLES, rows, texts=("perturbation",))
    if any(effect.verdict == "not shown" for effect in effects):
        out.print("detects: the smallest difference that would probably have been detected", style="dim")
    for effect in effects:
        if effect.positions:
            out.print("\npass rate by position of the expected tool, clean and shuffled:", style="dim")
            _print_positions(out, effect)


def _print_positions(out: Screen, effect: PerturbEffect) -> None:
    places = [
        (f"{at.first}" if at.first == at.last else f"{at.first}–{at.last}", at) for at in effect.positions
    ]
    rows = [(place, f"{at.goldens:,}", percent(at.rate, 1)) for place, at in places]
    print_columns(out, ("position", "cases", "passed"), rows)
