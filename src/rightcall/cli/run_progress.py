"""Running a plan from a command: the event loop, the progress bar and the message on interruption."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import click

from rightcall.cli.interrupt import INTERRUPTED, run_interruptible
from rightcall.errors import InfrastructureError, RightCallError, RunTakenOver
from rightcall.model.run import CaseResult, Run
from rightcall.report import one_line, tell, write_rows
from rightcall.report.view import outcome_of, reason_of
from rightcall.store import Store, open_store
from rightcall.suite import Plan, PlanWarning, Progress, RunOutcome, run_plan

if TYPE_CHECKING:
    from rightcall.distributed import Workers
    from rightcall.report import RunProgress

LiveMode = Literal["auto", "plain", "off"]


class ReaderGone(Exception):  # noqa: N818  a signal, not an error
    """The reader of stdout is gone, so the rest of the run is not needed."""


class Watching:
    """Keeps the first failures and shows the progress bar, or prints a line of JSON or of text per case."""

    def __init__(
        self, keep: int, as_json: bool, warned: set[str] | None = None, live: LiveMode = "auto"
    ) -> None:
        self._warned = set() if warned is None else warned
        self.failed: list[CaseResult] = []
        self.run: Run | None = None
        self._keep, self._as_json, self._live = keep, as_json, live
        self._bar: RunProgress | None = None
        self._shown: type[RunProgress] | None = None
        if (
            live == "auto" and not as_json
        ):  # rich only when it is shown, and before a case can wait for its import
            from rightcall.report import RunProgress

            self._shown = RunProgress

    def warn(self, warning: PlanWarning) -> None:
        """Say what can never come out well, once for all runs of a command: they have much in common."""
        if warning.text not in self._warned:
            self._warned.add(warning.text)
            tell(f"warning: {warning.text}", err=True)

    def started(self, run: Run) -> None:
        self.run = run

    def watch(self, progress: Progress, batch: Sequence[CaseResult]) -> None:
        self.failed += [r for r in batch if not r.passed][: max(0, self._keep - len(self.failed))]
        if self._as_json:
            try:
                write_rows(batch, sys.stdout.buffer)
            except BrokenPipeError:
                raise ReaderGone from None
        if self._live == "plain":
            self._print_lines(progress, batch)
        if self._shown is not None:
            self._show(self._shown, progress, len(batch))

    def _show(self, kind: type[RunProgress], progress: Progress, new: int) -> None:
        from rightcall.report import ProgressState

        if self._bar is None:
            self._bar = kind(progress.planned).__enter__()
        tally = progress.tally
        state = ProgressState(
            tally.decided + tally.errors,
            tally.passed,
            tally.errors,
            tally.usage,
            progress.retries,
            progress.at_once,
            progress.workers,
        )
        self._bar.update(state, new=new)

    def _print_lines(self, progress: Progress, batch: Sequence[CaseResult]) -> None:
        """A line per finished case, for logs: `12/40 FAIL hanoi: wrong_value …`."""
        before = progress.done - len(batch)
        for number, result in enumerate(batch, start=before + 1):
            trial = f" trial {result.trial}" if result.trial else ""
            why = f": {reason_of(result)}" if not result.passed else ""
            word = {"passed": "PASS", "failed": "FAIL", "error": "ERROR"}[outcome_of(result)]
            line = f"{number}/{progress.planned} {word} {one_line(result.golden_id)}{trial}{why}"
            tell(line, err=True)

    def tell(self, line: str) -> None:
        """Show a line of news of workers, above the progress bar."""
        if self._bar is None:
            tell(line, err=True)
        else:
            self._bar.note(line)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)


def run_to_end(
    plan: Plan,
    store_url: str | None,
    resume: str | None,
    watching: Watching,
    again: str,
    *,
    run_id: str | None = None,
    workers: Workers | None = None,
) -> RunOutcome:
    """Run a plan; if it ends early, finished results are stored and the resume command is printed."""
    with open_store(store_url) as store:

        def say(why: str) -> None:
            watching.close()
            if watching.run is not None:
                tell(f"\n{why}: {_how_to_go_on(store, watching.run.id, again)}", err=True)

        if run_id is not None:
            from rightcall.suite import require_same_setup, run_named, stored_outcome

            known = run_named(store, run_id)
            if known is not None and known.finished:
                run_interruptible(require_same_setup(plan, known))
                return stored_outcome(plan, store, known)
            if known is not None:
                resume, run_id = known.id, None
        work = run_plan(
            plan,
            store,
            resume=resume,
            run_id=run_id,
            watch=watching.watch,
            started=watching.started,
            warn=watching.warn,
            backend=workers.backend(plan, store, watching.tell) if workers else None,
        )
        try:
            return run_interruptible(work, _fast_loop())
        except KeyboardInterrupt:
            say("interrupted")
            raise
        except ReaderGone:
            say("stopped because stdout was closed")
            raise click.exceptions.Exit(INTERRUPTED) from None
        except RunTakenOver:  # nothing to resume: the other process finishes it
            watching.close()
            raise
        except InfrastructureError:
            say("stopped because of an error")
            raise
        finally:
            watching.close()


def _how_to_go_on(store: Store, run_id: str, again: str) -> str:
    """How much of a run is stored, and the command that resumes it."""
    resume = f"{again} --resume {run_id}"
    try:
        stored = store.run(run_id)
    except InfrastructureError:
        return (
            f"once the store is available, resume with:\n  {resume}\n"
            f"if its contents are lost, start again with:\n  {again}"
        )
    except RightCallError:
        return f"the run is no longer in the store; start again with:\n  {again}"
    return f"{stored.results:,} of {stored.planned:,} cases stored; resume with:\n  {resume}"


def _fast_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop if installed; it saves about a quarter of the CPU time of a request."""
    try:
        import uvloop
    except ImportError:
        return None
    made: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return made
