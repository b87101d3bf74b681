"""`rightcall runs`: the runs in the store."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import click
import msgspec

from rightcall.api.score_options import ScoreOptions
from rightcall.cli.command_options import CommandGroup, JsonLinesOption, YesOption, run_argument, takes_option
from rightcall.cli.driver_process import SUPERVISION
from rightcall.cli.interrupt import run_interruptible
from rightcall.cli.output import ask, console, print_json_line, store_argument, tell
from rightcall.cli.run_show import show
from rightcall.core.errors import InputError
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.own_output import OWN
from rightcall.core.text import percent, pluralize
from rightcall.files.atomic import atomic_write
from rightcall.show.lines import inert_json
from rightcall.show.text import one_line
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.store.base import StoredRun


@click.group(cls=CommandGroup)
def runs() -> None:
    """List, show, tag, export, rescore, move, delete and prune the runs in the store."""


runs.add_command(show)


@runs.command("list")
def list_(
    suite: Annotated[str, Option("Only runs of this suite")] = "",
    group: Annotated[str, Option("Only runs of this group")] = "",
    agent: Annotated[str, Option("Only runs of this agent")] = "",
    tag: Annotated[str, Option("Only runs with this tag")] = "",
    search: Annotated[str, Option("Only runs whose id, suite, agent or group contains this")] = "",
    unfinished: Annotated[bool, Option("Only runs that can be resumed")] = False,
    limit: Annotated[int, Option("Maximum number of runs", ge=1)] = 20,
    after: Annotated[str | None, Option("Only runs older than this one (next page)", metavar="RUN")] = None,
    store_url: StoreOption = None,
    as_json: JsonLinesOption = False,
) -> None:
    """List runs, newest first."""
    from rightcall.store.base import RunFilter

    state: Literal["unfinished", "any"] = "unfinished" if unfinished else "any"
    which = RunFilter(name=suite, group=group, agent=agent, tag=tag, text=search, state=state)
    with open_store(store_url, must_exist=True) as store:
        stored_runs = store.runs.page(which, limit=limit, after=after)
    if as_json:
        for run in stored_runs:
            print_json_line(run)
        return
    _print_table(stored_runs)
    where = store_argument(store_url)
    if len(stored_runs) == limit:
        tell(f"next: rightcall runs list --after {one_line(stored_runs[-1].id)}{where}")
    elif stored_runs:
        tell(f"next: rightcall runs show {one_line(stored_runs[0].id)}{where}")


@runs.command()
@click.argument("target")
def move(target: str, store_url: StoreOption = None, as_json: JsonOption = False) -> None:
    """Copy runs, results, notes, tags and datasets into the store TARGET, a file or a PostgreSQL URL.

    Existing data in the target is kept; an interrupted copy can be repeated.
    """
    from rightcall.store.sql.copy import copy_store

    def show_progress(run_id: str) -> None:
        tell(f"copying {run_id!r}", err=True)

    with open_store(store_url, must_exist=True) as source, open_store(target) as store:
        copied = copy_store(source, store, progress=show_progress if sys.stderr.isatty() else None)
        if as_json:
            print_json_line(msgspec.structs.asdict(copied))
            return
        tell(
            f"copied {pluralize(copied.runs, 'run')}, {pluralize(copied.results, 'result')} and "
            f"{pluralize(copied.datasets, 'dataset version')} to {store.name}\n"
            f"next: rightcall runs list --store {store.name}"
        )


@runs.command()
@click.argument("run")
@click.argument("tags", nargs=-1, required=True)
def tag(
    run: str,
    tags: tuple[str, ...],
    remove: Annotated[bool, Option("Remove the tags instead of adding them")] = False,
    store_url: StoreOption = None,
    as_json: JsonLinesOption = False,
) -> None:
    """Add TAGS to RUN. A tag names a run in every command, protects it from `runs prune` and filters lists.

    RUN is an id or a prefix of one, `last`, `last~1`, a tag or a git branch.
    """
    with open_store(store_url, must_exist=True) as store:
        stored = store.runs.get(run)
        store.runs.tag(stored.id, *tags, remove=remove)
        stored = store.runs.get(stored.id)
    if as_json:
        print_json_line(stored)
        return
    tell(f"{one_line(stored.id)}  tags: {one_line(', '.join(stored.tags)) or 'none'}")


@runs.command()
@run_argument
def export(
    run: str,
    output: Annotated[Path | None, Option("Output file [default: stdout]", flags=("--output", "-o"))] = None,
    trajectories: Annotated[
        bool, Option("Include trajectories [default: yes]", flags=("--trajectories/--no-trajectories",))
    ] = True,
    timings: Annotated[
        bool,
        Option(
            "Include timings, which differ between equal runs [default: yes]",
            flags=("--timings/--no-timings",),
        ),
    ] = True,
    store_url: StoreOption = None,
) -> None:
    """Write the results of a run as JSON Lines, ordered by golden and trial."""
    from contextlib import nullcontext

    from rightcall.store.sql.export import export_lines

    with open_store(store_url, must_exist=True) as store:
        written = atomic_write(output) if output and str(output) != "-" else nullcontext(OWN.stdout.buffer)
        with written as file:
            results = store.runs.results(run, trajectories=trajectories)
            for line in export_lines(results, timings=timings):
                file.write(inert_json(line))


@runs.command()
@run_argument
@takes_option(ScoreOptions, "metrics")
@takes_option(ScoreOptions, "measure")
@takes_option(ScoreOptions, "pass_rule")
def rescore(
    run: str,
    metrics: tuple[str, ...],
    measure: tuple[str, ...],
    pass_rule: Literal["strict", "score"],
    on: Annotated[str | None, Option("Score in shards, as tasks on Ray", metavar="ray[:ADDRESS]")] = None,
    workers: Annotated[int | None, Option("Shards scored at a time [default: CPUs]", ge=1, le=10000)] = None,
    store_url: StoreOption = None,
    as_json: JsonLinesOption = False,
) -> None:
    """Score the stored trajectories of a run again and store the results as a new run.

    Runs nothing. Judges are recorded and replayed as `record` of the run's suite says.

    Exit codes: 0 passed, 1 did not pass, 4 a metric could not be computed.
    """
    from rightcall.metrics.matching.verdict import ScoringRules
    from rightcall.run.recorded_scores import scorer_of
    from rightcall.run.rescorer import rescore_run
    from rightcall.run.suite_actions import recordings_of_run
    from rightcall.show.rows import write_outcome

    if on is not None or workers is not None:
        SUPERVISION.start()
    scorer = scorer_of(metrics, measure, ScoringRules(pass_rule=pass_rule))
    with open_store(store_url, must_exist=True) as store:
        if on is None and workers is None:
            recordings = recordings_of_run(store.runs.get(run))
            run_id, summary, verdict = run_interruptible(
                rescore_run(store, run, scorer, recordings=recordings)
            )
        else:
            from rightcall.api.evaluation import worker_pool
            from rightcall.cli.run_progress import tell_shards

            with worker_pool(workers, on) as shared:
                run_id, summary, verdict = shared.rescore(
                    store, run, scorer, done=tell_shards, tell=lambda line: tell(line, err=True)
                )
    if as_json:
        write_outcome(run_id, verdict.word, summary, OWN.stdout.buffer)
    else:
        from rightcall.show.terminal import print_summary

        print_summary(summary, (), hints=[f"rightcall runs show {run_id}", f"rightcall report {run_id}"])
        tell(verdict.sentence)
    raise click.exceptions.Exit(verdict.exit_code)


@runs.command()
@click.argument("group")
def trend(
    group: str,
    limit: Annotated[int, Option("Number of newest runs", ge=2)] = 20,
    store_url: StoreOption = None,
    as_json: JsonLinesOption = False,
) -> None:
    """Show the pass rates of the runs of GROUP over time, with intervals and what changed between them."""
    from rightcall.improve.run_matrix import group_trend
    from rightcall.show.comparison import print_trend

    with open_store(store_url, must_exist=True) as store:
        points = group_trend(store, group, limit)
    if not points:
        raise InputError(f"group '{group}'", "has no finished run", "see `rightcall runs list`")
    if as_json:
        for point in points:
            print_json_line(point)
    else:
        print_trend(console(), group, points)


@runs.command()
@click.argument("run", nargs=-1, required=True)
def delete(run: tuple[str, ...], yes: YesOption = False, store_url: StoreOption = None) -> None:
    """Delete runs with all their results."""
    with open_store(store_url, must_exist=True) as store:
        stored_runs = [store.runs.get(name) for name in run]
        _confirm(stored_runs, yes)
        for stored in stored_runs:
            store.runs.delete(stored.id)
    tell(f"deleted {_amount(stored_runs)}")


@runs.command()
def prune(
    keep: Annotated[int | None, Option("Keep the newest N runs of each suite", metavar="N", ge=0)] = None,
    older_than: Annotated[float | None, Option("Keep runs newer than this", metavar="DAYS", ge=0)] = None,
    dry_run: Annotated[bool, Option("Only show what would be deleted")] = False,
    yes: YesOption = False,
    store_url: StoreOption = None,
    as_json: JsonLinesOption = False,
) -> None:
    """Delete old runs, except tagged runs and runs in progress."""
    from rightcall.store.base import Retention

    retention = Retention(keep, older_than)
    with open_store(store_url, must_exist=True) as store:
        stored_runs = store.runs.prune(retention, dry_run=True)
        if stored_runs and not dry_run:
            _confirm(stored_runs, yes)
            stored_runs = store.runs.prune(retention)
    if as_json:
        for run in stored_runs:
            print_json_line(run)
    else:
        tell(f"{'would delete' if dry_run else 'deleted'} {_amount(stored_runs)}")


def _print_table(stored_runs: list[StoredRun]) -> None:
    from rightcall.show.screen import Screen, print_columns
    from rightcall.show.view.floor import floor_share

    if not stored_runs:
        tell("no runs yet; start one with `rightcall run SUITE`")
        return
    rows = []
    for run in stored_runs:
        rate = percent(run.pass_rate, 1) if run.judged else "–"
        verdict = run.verdict or ("" if run.finished else "unfinished")
        started = run.run.started_at[:16].replace("T", " ")
        floor = floor_share(run.run.summary.floor if run.run.summary else None)
        numbers = started, f"{run.results:,}", rate, percent(floor, 1)
        rows.append((run.id, run.run.name, run.run.agent, *numbers, verdict, ", ".join(run.tags)))
    titles = ("run", "suite", "agent", "started", "results", "passed", "floor", "verdict", "tags")
    # Ids are copied and pasted, so they are never shortened; names are.
    out = Screen(width=None if OWN.stdout.isatty() else 200)
    print_columns(out, titles, rows, texts=("suite", "agent", "tags"))


def _confirm(stored_runs: list[Any], yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise InputError("", f"this would delete {_amount(stored_runs)}", "pass --yes to confirm")
    ask(click.confirm, f"delete {_amount(stored_runs)}?", abort=True)


def _amount(stored_runs: list[Any]) -> str:
    results = sum(run.results for run in stored_runs)
    return f"{pluralize(len(stored_runs), 'run')} with {results:,} results"
