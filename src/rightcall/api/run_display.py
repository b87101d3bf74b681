"""Whether and where a run shows its progress."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from rightcall.records.run import CaseResult
from rightcall.run.live_run import Progress

if TYPE_CHECKING:
    from rightcall.show.progress import RunProgress


class RunDisplay:
    """A progress bar of a run: below the cell of a notebook, otherwise on stderr.

    By default (`None`) it is shown in notebooks and on terminals, so that a program whose output goes to a file
    stays silent.
    """

    def __init__(self, wished: bool | None = None) -> None:
        self._kind: type[RunProgress] | None = None
        self._bar: RunProgress | None = None
        notebook = in_notebook()
        if wished if wished is not None else notebook or sys.stderr.isatty():
            # Rich only when it is shown, and before a case can wait for its import.
            from rightcall.show.notebook import NotebookProgress
            from rightcall.show.progress import RunProgress

            self._kind = NotebookProgress if notebook else RunProgress

    def watch(self, progress: Progress, batch: Sequence[CaseResult]) -> None:
        """Show the results that were just stored."""
        if self._kind is None:
            return
        from rightcall.show.progress import ProgressState

        if self._bar is None:
            self._bar = self._kind(progress.planned).__enter__()
        tally = progress.tally
        state = ProgressState(
            tally.decided + tally.errors + tally.unchecked,
            tally.passed,
            tally.errors,
            tally.usage,
            retries=progress.retries,
            at_once=progress.at_once,
            workers=progress.workers,
            unchecked=tally.unchecked,
        )
        self._bar.update(state, new=len(batch))

    def note(self, line: str) -> bool:
        """Show a line above the bar; False when there is no bar yet."""
        if self._bar is None:
            return False
        self._bar.note(line)
        return True

    def close(self) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook. Imports nothing."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None
