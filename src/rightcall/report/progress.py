"""How far a run is: a live bar on a terminal, plain lines elsewhere, always on stderr."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table

from rightcall.model.run import CaseResult, Summary
from rightcall.report.numbers import percent

SECONDS_BETWEEN_LINES = 10.0


class RunProgress:
    """Shown while a run is under way; told of every batch that is on disk."""

    def __init__(self, planned: int, *, console: Console | None = None, quiet: bool = False) -> None:
        self._console = console or Console(stderr=True, highlight=False)
        self._planned, self._quiet = planned, quiet
        self._started = self._last_line = time.monotonic()
        self._live = Live(console=self._console, refresh_per_second=8, transient=True)
        self._new = 0

    def __enter__(self) -> Self:
        if self._console.is_terminal and not self._quiet:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live.is_started:
            self._live.stop()

    def update(
        self, summary: Summary, done: int, batch: Sequence[CaseResult], *, retries: int, at_once: int
    ) -> None:
        """Show where things stand."""
        self._new += len(batch)
        if self._quiet:
            return
        if self._live.is_started:
            self._live.update(self._bar(summary, done, retries, at_once))
        elif time.monotonic() - self._last_line > SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            print(" · ".join(self._parts(summary, done, retries, at_once)), file=sys.stderr, flush=True)  # noqa: T201

    def _bar(self, summary: Summary, done: int, retries: int, at_once: int) -> Table:
        grid = Table.grid(padding=(0, 1))
        bar = ProgressBar(total=max(1, self._planned), completed=done, width=30)
        grid.add_row(bar, " · ".join(self._parts(summary, done, retries, at_once)))
        return grid

    def _parts(self, summary: Summary, done: int, retries: int, at_once: int) -> list[str]:
        elapsed = max(1e-6, time.monotonic() - self._started)
        speed = self._new / elapsed
        parts = [
            f"{done:,}/{self._planned:,}",
            f"{percent(summary.overall.pass_rate)} passed",
            f"{speed:,.1f}/s",
        ]
        tokens = summary.usage.input_tokens + summary.usage.output_tokens
        if tokens:
            parts.append(f"{tokens:,} tokens")
        if summary.usage.cost_usd:
            parts.append(f"${summary.usage.cost_usd:.4f}")
        if summary.overall.errors:
            parts.append(f"{summary.overall.errors:,} errors")
        if retries:
            parts.append(f"{retries:,} retries, {at_once} at once")
        if speed and done < self._planned:
            parts.append(f"{_duration((self._planned - done) / speed)} left")
        return parts


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return (
        f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
    )
