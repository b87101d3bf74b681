"""Progress of a run: a bar on a terminal, plain lines elsewhere, always on stderr."""

from __future__ import annotations

import time
from typing import Self

from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from rightcall.core.text import percent, pluralize
from rightcall.records.record import Record
from rightcall.records.trajectory import Usage
from rightcall.show.screen import Screen

SECONDS_BETWEEN_LINES = 10.0
SHORTEST_BAR = 5


class ProgressState(Record, frozen=True):
    """The state of a run: stored results, usage, retries and concurrency."""

    done: int
    passed: int
    errors: int
    usage: Usage
    retries: int = 0
    at_once: int = 0
    workers: int = 0
    unchecked: int = 0


class RunProgress:
    """The progress display of a run; updated with every stored batch."""

    def __init__(
        self, planned: int, *, console: Screen | None = None, quiet: bool = False, word: str = "passed"
    ) -> None:
        self._console = console or Screen(stderr=True)
        self._planned = planned
        self._quiet = quiet
        self._word = word
        self._started = self._last_line = time.monotonic()
        self._live = Live(console=self._console, refresh_per_second=8, transient=True)
        self._new = 0

    def __enter__(self) -> Self:
        if self._console.is_terminal and not self._quiet:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live.is_started:
            self._live.stop()

    def update(self, state: ProgressState, *, new: int) -> None:
        """Update the display; `new` is the number of cases finished since the last update."""
        self._new += new
        if self._quiet:
            return
        if self._live.is_started:
            self._live.update(self._bar(state))
        elif time.monotonic() - self._last_line > SECONDS_BETWEEN_LINES:
            self._last_line = time.monotonic()
            self._console.print(self.words(state), soft_wrap=True)

    def words(self, state: ProgressState) -> str:
        """The state in one line: cases, pass rate, speed, tokens, cost, errors, time left."""
        return " · ".join(self._parts(state))

    def note(self, line: str) -> None:
        """Show a line above the display."""
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _bar(self, state: ProgressState) -> Table:
        grid = Table.grid(padding=(0, 1))
        words = self.words(state)
        room = self._console.width - len(words) - 1
        if room < SHORTEST_BAR:  # a line that wraps would be drawn below itself
            grid.add_row(Text(words, no_wrap=True, overflow="ellipsis"))
        else:
            bar = ProgressBar(total=max(1, self._planned), completed=state.done, width=min(30, room))
            grid.add_row(bar, words)
        return grid

    def _parts(self, state: ProgressState) -> list[str]:
        speed = self._new / max(1e-6, time.monotonic() - self._started)
        judged = state.done - state.errors - state.unchecked
        parts = [
            f"{state.done:,}/{self._planned:,}",
            f"{percent(state.passed / judged, 1) if judged else '–'} {self._word}",
            f"{speed:,.1f}/s",
        ]
        tokens = state.usage.tokens
        if tokens:
            parts.append(f"{tokens:,} tokens")
        if state.usage.cost_usd:
            parts.append(f"${state.usage.cost_usd:.4f}")
        if state.unchecked:
            parts.append(f"{state.unchecked:,} unchecked")
        if state.errors:
            parts.append(f"{state.errors:,} errors")
        if state.workers:
            parts.append(f"{pluralize(state.workers, 'worker')}, {state.at_once} at once")
        if state.retries:
            at_once = "" if state.workers else f", {state.at_once} at once"
            parts.append(f"{state.retries:,} retries{at_once}")
        if speed and state.done < self._planned:
            parts.append(f"{_duration((self._planned - state.done) / speed)} left")
        return parts


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


class CountProgress:
    """How many things are done, on one line of a terminal; nothing elsewhere, and nothing in the first second."""

    def __init__(self, verb: str, thing: str) -> None:
        self._verb = verb
        self._thing = thing
        self._screen = Screen(stderr=True)
        self._started = self._shown = time.monotonic()
        self._done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        if self._shown > self._started and self._screen.is_terminal:
            self._screen.print(" " * 60, end="\r")

    def advance(self) -> None:
        self._done += 1
        now = time.monotonic()
        if self._screen.is_terminal and now - self._started > 1 and now - self._shown > 0.2:
            self._shown = now
            speed = self._done / (now - self._started)
            words = f"{self._verb}: {pluralize(self._done, self._thing)} ({speed:,.0f}/s)"
            self._screen.print(words, end="\r", soft_wrap=True)
