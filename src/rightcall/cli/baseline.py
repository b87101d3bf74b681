"""`rightcall baseline`: results of the main branch, in a file that CI can keep."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from rightcall.cli.command_options import OUTPUT, CommandGroup
from rightcall.cli.output import console, print_json, print_next, tell
from rightcall.core.errors import InputError
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.text import percent, pluralize
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.run.baseline_file import BaselinePool

ANCHOR = Path("anchor.baseline.jsonl.gz")
SuiteOption = Annotated[str | None, Option("Suite, for a baseline from the store")]
OutputOption = Annotated[Path, Option("Output file; .gz is compressed", flags=OUTPUT)]


@click.group(cls=CommandGroup)
def baseline() -> None:
    """Save, show and merge baselines for `rightcall check` and `rightcall gate`."""


@baseline.command()
@click.argument("runs", nargs=-1, metavar="[RUN]...")
def save(
    runs: tuple[str, ...],
    output: OutputOption,
    suite: Annotated[str | None, Option("Suite whose newest runs are pooled")] = None,
    branch: Annotated[str, Option("Branch whose newest runs are pooled")] = "main",
    force: Annotated[bool, Option("Save a baseline in which nothing passed")] = False,
    store_url: StoreOption = None,
) -> None:
    """Save RUNs as a baseline, or the newest runs of a suite on a branch.

    Runs with equal inputs are pooled, at most 10 of the last 30 days; earlier runs are kept as history.
    """
    from rightcall.run.baseline_file import require_passed, write_baseline
    from rightcall.run.baseline_pool import find_baseline, pool_runs

    with open_store(store_url, must_exist=True) as store:
        newest_first = sorted(map(store.runs.get, runs), key=lambda run: run.run.started_at, reverse=True)
        if len(newest_first) > 1:
            pool = pool_runs(store, newest_first)
        elif newest_first:
            pool = find_baseline(store, newest_first[0].id, newest_first[0].run.name)
        else:
            name = suite or store.runs.get("last").run.name
            pool = find_baseline(store, f"branch:{branch}", name)
    if not force:
        require_passed(pool, "nothing could be worse than it; save it all the same with --force")
    write_baseline(pool, output)
    size = output.stat().st_size
    runs_of = pluralize(len(pool.header.runs), "run")
    tell(
        f"{output}: {pluralize(len(pool.lines), 'golden')}, {pool.trials:,} trials of {runs_of}, {size:,} bytes"
    )
    print_next(f"rightcall check SUITE --baseline {output}")


@baseline.command()
@click.argument("which", default="branch:main")
def show(
    which: str,
    suite: SuiteOption = None,
    store_url: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a baseline: a file, branch:NAME, or a run."""
    pool = load_pool(which, suite, store_url)
    if as_json:
        print_json(pool.header)
        return
    header, out = pool.header, console()
    source = f" on {header.branch}" if header.branch else ""
    commit = f" at {header.commit[:10]}" if header.commit else ""
    passed = sum(sum(line.scores) for line in pool.lines) / max(1, pool.trials)
    counts = f"{len(pool.lines):,} goldens, {pool.trials:,} trials, {percent(passed, 1)} passed"
    out.say("[bold]{}[/bold]{}: {}", header.suite, f"{source}{commit}", counts)
    for kind, runs in (("compared", header.runs), ("history", header.older)):
        for run in runs:
            out.say("  {}  {}  {}  {} trials", f"{kind:<8}", run.id, run.at, str(run.trials))
    age = header.age_days()
    if age > 14:
        out.say("[yellow]{} days old: run the suite again on the main branch[/yellow]", f"{age:.0f}")


@baseline.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def merge(files: tuple[Path, ...], output: OutputOption) -> None:
    """Merge baseline files of one suite: runs with the newest inputs are pooled, the others become history."""
    from rightcall.run.baseline_file import load_baseline, merge_baselines, write_baseline

    missing = [file for file in files if not file.is_file()]
    if missing:
        raise InputError(str(missing[0]), "no such file")
    pool = merge_baselines(map(load_baseline, files))
    write_baseline(pool, output)
    tell(
        f"{output}: {pluralize(len(pool.header.runs), 'run')} pooled, {len(pool.header.older)} kept as history"
    )


@baseline.group(cls=CommandGroup)
def anchor() -> None:
    """Freeze a baseline at a release, and compare main with it weekly: small drops that `check` accepts add up."""


@anchor.command("save")
@click.argument("which", default="branch:main")
def save_anchor(
    which: str,
    suite: SuiteOption = None,
    store_url: StoreOption = None,
    output: Annotated[Path, Option("File of the anchor", flags=OUTPUT)] = ANCHOR,
) -> None:
    """Freeze the newest nine trials per golden of a baseline: a file, branch:NAME, or a run."""
    from rightcall.run.baseline_anchor import ANCHOR_TRIALS, anchor_of
    from rightcall.run.baseline_file import write_baseline

    frozen = anchor_of(load_pool(which, suite, store_url))
    write_baseline(frozen, output)
    least = min(len(line.scores) for line in frozen.lines)
    tell(f"{output}: {pluralize(len(frozen.lines), 'golden')}, {frozen.trials:,} trials")
    if least < ANCHOR_TRIALS:
        more = f"some goldens have {least} of {ANCHOR_TRIALS} trials: run the suite again on main, then save it again"
        tell(more, err=True)
    print_next(f"rightcall baseline anchor check --anchor {output}")


@anchor.command("check")
@click.argument("which", default="branch:main")
def check_decline(
    which: str,
    suite: SuiteOption = None,
    file: Annotated[Path, Option("File of the anchor", flags=("--anchor",))] = ANCHOR,
    store_url: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare the newest trials of main with the anchor, once a week: has the agent declined since the release?

    Exit codes: 0 no decline detected, 1 DECLINED, 3 too few trials.
    """
    from rightcall.run.baseline_anchor import check_anchor
    from rightcall.run.baseline_file import load_baseline

    frozen = load_baseline(file)
    result = check_anchor(frozen, load_pool(which, suite or frozen.header.suite, store_url))
    if as_json:
        print_json(result)
    else:
        out, color = console(), {"PASS": "green", "DECLINED": "red"}.get(result.verdict, "yellow")
        word, _, rest = result.sentence.partition(":")
        out.say(f"[bold {color}]{{}}[/bold {color}]:{{}}", word, rest)
        for golden, before, now in result.worst:
            out.say("  [red]worse[/red]  {}  {} → {}", golden, before, now)
        for note in result.notes:
            out.say("[dim]{}[/dim]", note)
    raise click.exceptions.Exit(result.exit_code)


def load_pool(which: str, suite: str | None, store_url: str | Path | None) -> BaselinePool:
    """A file, branch:NAME, or a run; `suite` is needed for those in a store [default: that of the last run]."""
    from rightcall.run.baseline_file import load_baseline
    from rightcall.run.baseline_pool import find_baseline

    if Path(which).is_file():
        return load_baseline(Path(which))
    with open_store(store_url, must_exist=True) as store:
        return find_baseline(store, which, suite or store.runs.get("last").run.name)
