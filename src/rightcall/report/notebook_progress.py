"""Progress of a run in a notebook: a bar below the cell, replaced as cases finish."""

from __future__ import annotations

import time
from html import escape
from importlib import import_module
from types import TracebackType
from typing import Any, Self

from rightcall.report.progress import ProgressState, RunProgress

SECONDS_BETWEEN_UPDATES = 0.2
"""Every update is a message to the browser; more of them would not be seen."""


class NotebookProgress(RunProgress):
    """The progress display of a run in a notebook; the last state stays."""

    def __init__(self, planned: int) -> None:
        super().__init__(planned)
        self._handle: Any = None
        self._html: Any = None
        self._shown = 0.0

    def __enter__(self) -> Self:
        screen = import_module("IPython.display")
        self._handle, self._html = screen.display(screen.HTML(""), display_id=True), screen.HTML
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._handle = None

    def update(self, state: ProgressState, *, new: int) -> None:
        """Update the bar, seldom enough for a browser, and always at the end."""
        self._new += new
        now = time.monotonic()
        if self._handle is None or (
            state.done < self._planned and now - self._shown < SECONDS_BETWEEN_UPDATES
        ):
            return
        self._shown = now
        self._handle.update(self._html(self.html(state)))

    def html(self, state: ProgressState) -> str:
        """The bar and the words after it."""
        bar = f'<progress value="{state.done}" max="{max(1, self._planned)}"></progress>'
        return f'<div style="font-family: monospace">{bar} {escape(self.words(state))}</div>'
