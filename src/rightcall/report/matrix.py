"""Several runs side by side, and a group of runs over time, in the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

from rightcall.analysis import GoldenMatrix, TrendPoint
from rightcall.model.text import counted
from rightcall.report.numbers import percent
from rightcall.report.screen import Screen

MOST_SHOWN = 30
WIDTH = 24
TITLES = ("run", "started", "agent", "rate", "0% … 100%", "interval", "changed")


def print_matrix(out: Screen, found: GoldenMatrix) -> None:
    """Goldens on which the runs differ, one column a run."""
    out.print()
    agree = found.goldens - len(found.rows)
    table = Table(title="goldens by runs", title_justify="left", box=None, pad_edge=False, header_style="dim")
    table.add_column("golden")
    for run, agent in zip(found.runs, found.agents, strict=True):
        table.add_column(f"{run}\n{agent}", justify="right")
    for row in found.rows[:MOST_SHOWN]:
        table.add_row(row.golden, *(f"{passed}/{judged}" if judged else "–" for passed, judged in row.cells))
    out.print(table)
    if len(found.rows) > MOST_SHOWN:
        out.print(f"… {len(found.rows) - MOST_SHOWN:,} more goldens differ: --json", style="dim")
    out.print(f"the runs agree on {agree:,} of {found.goldens:,} goldens", style="dim")
    for number, items in enumerate(found.changes):
        words = "; ".join(f"{item.place}: {item.what}" for item in items[:5]) or "nothing changed"
        out.print(f"{found.runs[number]} → {found.runs[number + 1]}: {words}", style="dim", soft_wrap=True)


def print_trend(out: Screen, group: str, points: Sequence[TrendPoint]) -> None:
    """Pass rates of a group over time, with intervals and what changed."""
    out.say("[bold]{}[/bold]  {}", group, counted(len(points), "run"))
    table = Table(box=None, pad_edge=False, header_style="dim")
    agents = len({point.agent for point in points}) > 1
    for title in TITLES:
        if title != "agent" or agents:
            right = "right" if title == "rate" else "left"
            table.add_column(title, justify=right, no_wrap=title not in ("agent", "changed"))  # type: ignore[arg-type]
    for point in points:
        changed = ", ".join(point.changed) + ("" if point.joined else " (other goldens: not comparable)")
        table.add_row(
            point.run,
            point.started_at[:16].replace("T", " "),
            *([point.agent] if agents else []),
            percent(point.rate),
            _bar(point),
            f"{point.low:.0%}–{point.high:.0%}",
            changed,
        )
    out.print(table)


def _bar(point: TrendPoint) -> str:
    low, high, at = (round(value * (WIDTH - 1)) for value in (point.low, point.high, point.rate))
    cells = ["─" if low <= n <= high else " " for n in range(WIDTH)]
    cells[at] = "●"
    return "".join(cells)
