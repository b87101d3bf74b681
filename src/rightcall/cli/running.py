"""What commands that run suites share: the loop, the live bar, and what Ctrl-C says."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence

from rightcall.model.run import CaseResult, Run
from rightcall.report.lines import tell
from rightcall.report.progress import RunProgress, State
from rightcall.report.rows import write_rows
from rightcall.store import open_store
from rightcall.suite.plan import Plan
from rightcall.suite.runner import Progress, RunOutcome, run_plan


class Watching:
    """Keeps the first failures, shows the live bar, or prints a JSON line for each case."""

    def __init__(self, keep: int, as_json: bool) -> None:
        self.failed: list[CaseResult] = []
        self.run: Run | None = None
        self._keep, self._as_json = keep, as_json
        self._bar: RunProgress | None = None

    def started(self, run: Run) -> None:
        self.run = run

    def watch(self, progress: Progress, batch: Sequence[CaseResult]) -> None:
        if self._bar is None:
            self._bar = RunProgress(progress.planned, quiet=self._as_json).__enter__()
        self.failed += [r for r in batch if not r.passed][: max(0, self._keep - len(self.failed))]
        if self._as_json:
            write_rows(batch, sys.stdout.buffer)
        tally = progress.tally
        done = tally.decided + tally.errors
        state = State(done, tally.passed, tally.errors, tally.usage, progress.retries, progress.at_once)
        self._bar.update(state, new=len(batch))

    def close(self) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)


def run_to_end(
    plan: Plan, store_url: str | None, resume: str | None, watching: Watching, again: str
) -> RunOutcome:
    """Run a plan; an interruption leaves finished results stored and says how to go on."""
    store = open_store(store_url)
    try:
        with asyncio.Runner(loop_factory=_fast_loop()) as runner:
            return runner.run(
                run_plan(plan, store, resume=resume, watch=watching.watch, started=watching.started)
            )
    except KeyboardInterrupt:
        watching.close()
        if watching.run is not None:
            stored = store.run(watching.run.id)
            tell(
                f"\ninterrupted: {stored.results:,} of {stored.planned:,} cases are stored; go on with:\n"
                f"  {again} --resume {watching.run.id}",
                err=True,
            )
        raise
    finally:
        watching.close()
        store.close()


def _fast_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop where it is installed; it saves about a quarter of the CPU time of a request."""
    try:
        import uvloop
    except ImportError:
        return None
    made: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return made
