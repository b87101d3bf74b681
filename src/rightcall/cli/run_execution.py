"""One plan run by a command: to its end, or to the message that says how to resume it, with its results printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from rightcall.api.run_display import RunDisplay
from rightcall.cli.driver_process import SUPERVISION
from rightcall.cli.interrupt import INTERRUPTED, INTERRUPTS, run_interruptible
from rightcall.cli.output import console, store_argument, tell
from rightcall.core.errors import InfrastructureError, RightCallError, RunTakenOver
from rightcall.core.event_loop import prefer_uvloop
from rightcall.core.own_output import OWN
from rightcall.records.failure import NO_TOOLS
from rightcall.records.run import CaseResult, Run
from rightcall.records.tool import Tool
from rightcall.run.cost_estimate import role_hosts
from rightcall.run.live_run import Progress, RunOutcome
from rightcall.run.options import RunOptions
from rightcall.run.plan import Plan
from rightcall.run.preparation import PlanWarning
from rightcall.run.runner import run_plan
from rightcall.show.rows import write_rows
from rightcall.store.address import Persistence, open_store
from rightcall.store.sql.store import Store

if TYPE_CHECKING:
    from rightcall.decide.safety_numbers import SafetyNumbers
    from rightcall.run.backend import WorkerPool


WORTH_A_WARNING_MS = 50
"""Delay added by this machine from which latencies deserve a warning."""


class Execution(msgspec.Struct, frozen=True):
    """How a command runs its plans and shows them; a warning that several plans share is shown once."""

    options: RunOptions
    workers: WorkerPool | None = None
    warned: set[str] = msgspec.field(default_factory=set)

    def run(self, plan: Plan, again: str, *, resume: str | None = None) -> RunOutcome:
        """Run one plan and print its results; if it ends early, print how to resume. `again` repeats the run."""
        options = self.options
        watching = Watching(options.as_json, self.warned)
        for role in role_hosts(plan):
            if role.host and (words := f"asks: {role.words}") not in self.warned:
                self.warned.add(words)
                tell(words, err=True)
        outcome = run_to_end(plan, options.store, resume, watching, again=again, workers=self.workers)
        _warn_of(outcome)
        if options.as_json:
            from rightcall.show.rows import write_outcome

            run = outcome.run.id
            word = outcome.verdict.word
            numbers = self._attack_numbers(outcome)
            write_outcome(
                run, word, outcome.summary, OWN.stdout.buffer, people=watching.judged, safety=numbers
            )
        else:
            self._print(outcome, watching, again)
        return outcome

    def _attack_numbers(self, outcome: RunOutcome) -> SafetyNumbers | None:
        """What attacks did; nothing is read for a run without them."""
        if not outcome.summary.about_safety:
            return None
        from rightcall.run.attacks import attack_numbers

        with open_store(self.options.store) as store:
            return attack_numbers(store, outcome.run.id)

    def _print(self, outcome: RunOutcome, watching: Watching, again: str) -> None:
        from rightcall.show.run_screen import NextStep, print_steps
        from rightcall.show.safety import print_finished

        out = console()
        if len(self.options.models) > 1:
            out.print(outcome.run.agent, style="bold")
        with open_store(self.options.store) as store:
            screen = print_finished(
                out,
                store,
                outcome.run.id,
                outcome.summary,
                verdict=outcome.verdict,
                notes=watching.judged,
                kinds=self.options.failures,
                where=store_argument(self.options.store),
            )
        steps = screen.steps
        if outcome.stopped:
            steps = (NextStep(f"{again} --resume {outcome.run.id}", "go on"), *steps[:1])
        print_steps(out, steps)


def _warn_of(outcome: RunOutcome) -> None:
    """Warn of what the backend reported, and of latencies that are this machine's."""
    for notice in outcome.notices:
        tell(f"warning: {notice}", err=True)
    if outcome.lag_ms >= WORTH_A_WARNING_MS:
        tell(
            f"warning: this machine was overloaded and added up to {outcome.lag_ms:,.0f} ms to latencies; "
            "latency limits exceeded by less than that are not enforced; lower --concurrency for exact latencies",
            err=True,
        )


def run_to_end(
    plan: Plan,
    store_url: str | Path | None,
    resume: str | None,
    watching: Watching,
    again: str,
    *,
    workers: WorkerPool | None = None,
) -> RunOutcome:
    """Run a plan; if it ends early, finished results are stored and the resume command is printed."""
    prefer_uvloop()
    with open_store(store_url) as store:

        def say(why: str) -> None:
            watching.close()
            if watching.run is not None:
                tell(f"\n{why}: {_how_to_go_on(store, watching.run.id, again)}", err=True)

        stored = Persistence()(partial(store.runs.get, resume)) if resume else None
        # A store that failed at the very end may have finished the run whose command is repeated here.
        if stored is not None and stored.finished:
            from rightcall.api.suite_run import outcome_of, require_same_setup

            run_interruptible(require_same_setup(plan, stored))
            Persistence()(lambda: watching.ended(stored.id, store))
            return outcome_of(plan, store, stored)
        resume = stored.id if stored is not None else None

        def note_start(run: Run) -> None:
            Persistence()(lambda: watching.started(run, store))
            SUPERVISION.note(f"finished results are stored; resume with:\n  {again} --resume {run.id}")

        work = run_plan(
            plan,
            store,
            resume=resume,
            watch=watching.watch,
            started=note_start,
            warn=watching.warn,
            backend=workers.backend(plan, store, watching.tell) if workers else None,
        )
        try:
            outcome = run_interruptible(work)
            Persistence()(lambda: watching.ended(outcome.run.id, store))
            return outcome
        except KeyboardInterrupt:
            say(INTERRUPTS.reason)
            raise
        except ReaderGone:
            say("stopped because stdout was closed")
            raise click.exceptions.Exit(INTERRUPTED) from None
        except InfrastructureError as error:
            if not isinstance(error, RunTakenOver):  # which leaves nothing to resume: another process goes on
                say("stopped because of an error")
            raise
        finally:
            watching.close()


def _how_to_go_on(store: Store, run_id: str, again: str) -> str:
    """How much of a run is stored, and the command that resumes it."""
    resume = f"{again} --resume {run_id}"
    try:
        stored = store.runs.get(run_id)
    except InfrastructureError:
        return (
            f"once the store is available, resume with:\n  {resume}\n"
            f"if its contents are lost, start again with:\n  {again}"
        )
    except RightCallError:
        return f"the run is no longer in the store; start again with:\n  {again}"
    return f"{stored.results:,} of {stored.planned:,} cases stored; resume with:\n  {resume}"


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
