"""Whether and where `evaluate` shows its progress."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Self

from rightcall.model.run import CaseResult
from rightcall.suite import Progress

if TYPE_CHECKING:
    from rightcall.report import RunProgress


class RunDisplay:
    """A progress bar of a run: below the cell of a notebook, else on stderr.

    Without a wish (`None`) it is shown in notebooks and on terminals, so that a program whose output goes to a file
    stays silent.
    """

    def __init__(self, wished: bool | None = None) -> None:
        self._notebook = in_notebook()
        self._shown = wished if wished is not None else self._notebook or sys.stderr.isatty()
        self._bar: RunProgress | None = None

    def watch(self, progress: Progress, batch: Sequence[CaseResult]) -> None:
        """Show the results that were just stored."""
        if not self._shown:
            return
        from rightcall.report import NotebookProgress, ProgressState, RunProgress

        if self._bar is None:
            bar = NotebookProgress(progress.planned) if self._notebook else RunProgress(progress.planned)
            self._bar = bar.__enter__()
        tally = progress.tally
        state = ProgressState(
            tally.decided + tally.errors,
            tally.passed,
            tally.errors,
            tally.usage,
            progress.retries,
            progress.at_once,
        )
        self._bar.update(state, new=len(batch))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.__exit__(kind, error, trace)


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook. Imports nothing."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None
