"""`rightcall runs`: the runs in the store."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click
import msgspec

from rightcall.api.recorded_scores import ScoreOptions
from rightcall.cli.command_options import CommandGroup, JsonLinesOption, YesOption, run_argument, takes_option
from rightcall.cli.driver_process import SUPERVISION
from rightcall.cli.interrupt import run_interruptible
from rightcall.cli.output import ask, console, print_json, print_json_line, store_argument, tell
from rightcall.cli.run_report import report
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
    """List, show, report, tag, export, rescore, move and delete the runs in the store."""


runs.add_command(show)
runs.add_command(report)


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
    flaky: Annotated[
        str,
        Option(
            "Instead list goldens whose trials disagree in this run (without a value: the last), worst first",
            metavar="[RUN]",
            alone="last",
        ),
    ] = "",
    trend: Annotated[
        bool, Option("Instead show the pass rates of --group over time, and what changed between its runs")
    ] = False,
    store_url: StoreOption = None,
    as_json: JsonLinesOption = False,
) -> None:
    """List runs, newest first."""
    if flaky:
        print_flaky(store_url, flaky, as_json=as_json)
        return
    if trend:
        print_trends(store_url, group, limit, as_json=as_json)
        return
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
    """Copy runs, results, tags and datasets into the store TARGET, a file or a PostgreSQL URL.

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
    """Add TAGS to RUN. A tag names a run in every command, keeps it from `runs delete --older` and filters lists.

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
    output: Annotated[
        Path | None, Option("Output file [default: stdout]", flags=("--output", "-o"), writes="document")
    ] = None,
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

    from rightcall.store.sql.results import export_lines

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
@takes_option(ScoreOptions, "rules")
def rescore(
    run: str,
    metrics: tuple[str, ...],
    measure: tuple[str, ...],
    rules: Literal["default", "seed"],
    on: Annotated[str | None, Option("Score in shards, as tasks on Ray", metavar="ray[:ADDRESS]")] = None,
    workers: Annotated[int | None, Option("Shards scored at a time [default: CPUs]", ge=1, le=10000)] = None,
    store_url: StoreOption = None,
    as_json: JsonLinesOption = False,
) -> None:
    """Score the stored trajectories of a run again and store the results as a new run.

    Runs nothing. Judges are recorded and replayed as `record` of the run's suite says.

    Exit codes: 0 passed, 1 did not pass, 4 a metric could not be computed.
    """
    from rightcall.run.recorded_scores import scorer_of
    from rightcall.run.rescorer import rescore_run
    from rightcall.run.suite_actions import recordings_of_run
    from rightcall.show.rows import write_outcome

    if on is not None or workers is not None:
        SUPERVISION.start()
    scorer = scorer_of(metrics, measure, rules)
    with open_store(store_url, must_exist=True) as store:
        if on is None and workers is None:
            recordings = recordings_of_run(store.runs.get(run))
            run_id, summary, verdict = run_interruptible(
                rescore_run(store, run, scorer, recordings=recordings)
            )
        else:
            from rightcall.api.evaluation import worker_pool
            from rightcall.cli.run_execution import tell_shards

            with worker_pool(workers, on) as shared:
                run_id, summary, verdict = shared.rescore(
                    store, run, scorer, done=tell_shards, tell=lambda line: tell(line, err=True)
                )
    if as_json:
        write_outcome(run_id, verdict.word, summary, OWN.stdout.buffer)
    else:
        from rightcall.show.run_screen import print_steps
        from rightcall.show.safety import print_finished

        out = console()
        with open_store(store_url) as store:
            where = store_argument(store_url)
            screen = print_finished(out, store, run_id, summary, verdict=verdict, where=where)
        print_steps(out, screen.steps)
    raise click.exceptions.Exit(verdict.exit_code)


@runs.command()
@click.argument("run", nargs=-1)
def delete(
    run: tuple[str, ...],
    older: Annotated[
        str, Option("All runs that started longer ago and have no tag, such as 30d or 12h", metavar="AGE")
    ] = "",
    recordings: Annotated[
        Path | None,
        Option("Recorded model answers that no golden of this suite uses, instead of runs", metavar="SUITE"),
    ] = None,
    yes: YesOption = False,
    store_url: StoreOption = None,
) -> None:
    """Delete runs with all their results: those named, or old ones. Runs in progress are not old."""
    if (bool(run), bool(older), recordings is not None).count(True) != 1:
        raise click.UsageError("name one of RUN…, --older AGE and --recordings SUITE")
    if recordings is not None:
        _delete_recordings(recordings, yes)
        return
    with open_store(store_url, must_exist=True) as store:
        stored_runs = store.runs.old_runs(_age(older)) if older else [store.runs.get(name) for name in run]
        if stored_runs:
            results = sum(stored.results for stored in stored_runs)
            _confirm(f"{pluralize(len(stored_runs), 'run')} with {results:,} results", yes)
            store.runs.delete(*(stored.id for stored in stored_runs))
        else:
            tell("no such old runs")


def _age(text: str) -> timedelta:
    """`30d`, `12h` or `4w`."""
    number = text[:-1]
    unit = {"h": "hours", "d": "days", "w": "weeks"}.get(text[-1:])
    if unit is None or not number.isdecimal() or len(number) > 5:
        raise click.UsageError(f"--older {text}: write a number and h, d or w, such as 30d")
    return timedelta(**{unit: int(number)})


def _delete_recordings(suite: Path, yes: bool) -> None:
    from rightcall.datasets.goldens import load_goldens
    from rightcall.recording.library import Recordings, RecordSettings
    from rightcall.run.suite_actions import recordings_of_suite

    loaded, folder = recordings_of_suite(suite)
    kept = Recordings(RecordSettings("replay"), folder)
    unused = kept.orphan_files(golden.id for golden in load_goldens(suite.parent / loaded.dataset))
    if not unused:
        tell("no recordings that no golden uses")
        return
    _confirm(pluralize(len(unused), "recording"), yes)
    for path in unused:
        path.unlink()


def _print_table(stored_runs: list[StoredRun]) -> None:
    from rightcall.show.screen import Screen, print_columns

    if not stored_runs:
        tell("no runs yet; start one with `rightcall run SUITE`")
        return
    rows = []
    for run in stored_runs:
        rate = percent(run.pass_rate, 1) if run.judged else "–"
        verdict = run.verdict or ("" if run.finished else "unfinished")
        started = run.run.started_at[:16].replace("T", " ")
        numbers = started, f"{run.results:,}", rate
        rows.append((run.id, run.run.name, run.run.agent, *numbers, verdict, ", ".join(run.tags)))
    titles = ("run", "suite", "agent", "started", "results", "passed", "verdict", "tags")
    # Ids are copied and pasted, so they are never shortened; names are.
    out = Screen(width=None if OWN.stdout.isatty() else 200)
    print_columns(out, titles, rows, texts=("suite", "agent", "tags"))


def _confirm(amount: str, yes: bool) -> None:
    """Go on to delete what was asked for, and say so; or not."""
    if not yes:
        if not sys.stdin.isatty():
            raise InputError("", f"this would delete {amount}", "pass --yes to confirm")
        ask(click.confirm, f"delete {amount}?", abort=True)
    tell(f"deleted {amount}")


MOST_SHOWN = 50


def print_flaky(store_url: str | Path | None, run: str, *, as_json: bool) -> None:
    """The goldens of a run with several trials whose trials disagree."""
    from rightcall.run.decisions import flakiness
    from rightcall.show.view.failures import case_names

    with open_store(store_url, must_exist=True) as store:
        report = flakiness(store, run)
        name = case_names(store, run)
        shown = () if as_json else report.flaky[:MOST_SHOWN]
        names = [name(case.golden_id) for case in shown]
    if as_json:
        print_json(report)
        return
    out = console()
    out.print(
        f"{pluralize(report.goldens, 'golden')}: {report.stable_pass:,} always pass, {report.stable_fail:,} never, "
        f"{len(report.flaky):,} sometimes"
    )
    if report.rate is None:
        out.say("[dim]only one trial per golden; run with --trials 5 to find flaky ones[/dim]")
    else:
        out.say("[dim]two trials of a golden disagree with probability {}[/dim]", percent(report.rate, 1))
    for case, title in zip(shown, names, strict=True):
        mark = "  quarantine?" if case.quarantine else ""
        out.print(f"  {title}  {case.passed}/{case.trials}{mark}")
    if quarantined := [case.golden_id for case in report.flaky if case.quarantine]:
        out.say("[dim]to run these without affecting the verdict, add to the suite:[/dim]")
        out.print(f"  quarantine: [{', '.join(quarantined)}]", soft_wrap=True)


def print_trends(store_url: str | Path | None, group: str, limit: int, *, as_json: bool) -> None:
    """The pass rates of the newest runs of a group, with intervals and what changed between them."""
    from rightcall.improve.run_matrix import group_runs, run_trend
    from rightcall.show.comparison import print_trend

    if not group:
        raise click.UsageError("--trend requires --group NAME")
    with open_store(store_url, must_exist=True) as store:
        points = run_trend(group_runs(store, group, limit))
    if not points:
        raise InputError(f"group '{group}'", "has no finished run", "see `rightcall runs list`")
    if as_json:
        for point in points:
            print_json_line(point)
    else:
        print_trend(console(), group, points)
