"""What a command shows of a run in progress: a bar or lines of JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rightcall.api.run_display import RunDisplay
from rightcall.core.own_output import OWN
from rightcall.records.danger import NO_TOOLS
from rightcall.records.run import CaseResult, Run
from rightcall.records.tool import Tool
from rightcall.run.live_run import Progress
from rightcall.run.preparation import PlanWarning
from rightcall.show.lines import tell
from rightcall.show.rows import write_rows

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store


def tell_shards(finished: int, of: int) -> None:
    """Say how many shards are done, at most twenty times."""
    if finished == of or finished % max(1, of // 20) == 0:
        tell(f"{finished:,} of {of:,} shards", err=True)


class ReaderGone(Exception):  # noqa: N818  a signal, not an error
    """The reader of stdout is gone, so the rest of the run is not needed."""


class Watching:
    """Shows the progress bar, or prints a line of JSON per case."""

    def __init__(self, as_json: bool, warned: set[str] | None = None) -> None:
        self._warned = set() if warned is None else warned
        self.judged: tuple[str, ...] = ()
        self._tools: Mapping[str, Tool] = NO_TOOLS
        self.run: Run | None = None
        self._as_json = as_json
        self._display = None if as_json else RunDisplay(True)

    def warn(self, warning: PlanWarning) -> None:
        """Warn about what cannot succeed, once for all runs of a command: they have much in common."""
        if warning.text not in self._warned:
            self._warned.add(warning.text)
            tell(f"warning: {warning.text}", err=True)

    def started(self, run: Run, store: Store) -> None:
        """Take the names of cases and the definitions of tools from the stored run."""
        self.run = run
        self._tools = store.tools_of(store.runs.get(run.id))

    def ended(self, run_id: str, store: Store) -> None:
        """Read what documents of the run say of it."""
        from rightcall.run.decisions import evidence_sentences  # with what compares runs

        self.judged = evidence_sentences(store, store.runs.get(run_id))

    def watch(self, progress: Progress, batch: Sequence[CaseResult]) -> None:
        if self._as_json:
            try:
                write_rows(batch, OWN.stdout.buffer, self._tools)
            except BrokenPipeError:
                raise ReaderGone from None
        if self._display is not None:
            self._display.watch(progress, batch)

    def tell(self, line: str) -> None:
        """Show a line about workers, above the progress bar."""
        if self._display is None or not self._display.note(line):
            tell(line, err=True)

    def close(self) -> None:
        if self._display is not None:
            self._display.close()
