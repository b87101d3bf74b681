"""`rightcall baseline`: results of the main branch, in a file that CI can keep."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from rightcall.cli.baseline_anchor import anchor, load_pool
from rightcall.cli.command_options import CommandGroup
from rightcall.cli.options import OUTPUT
from rightcall.cli.output import console, print_json, print_next, tell
from rightcall.core.errors import InputError
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.text import percent, pluralize
from rightcall.store.address import open_store

OutputOption = Annotated[Path, Option("Output file; .gz is compressed", flags=OUTPUT)]


@click.group(cls=CommandGroup)
def baseline() -> None:
    """Save, show and merge baselines for `rightcall check` and `rightcall gate`."""


baseline.add_command(anchor)


@baseline.command()
@click.argument("runs", nargs=-1, metavar="[RUN]...")
def save(
    runs: tuple[str, ...],
    output: OutputOption,
    suite: Annotated[str | None, Option("Suite whose newest runs are pooled")] = None,
    branch: Annotated[str, Option("Branch whose newest runs are pooled")] = "main",
    store_url: StoreOption = None,
) -> None:
    """Save RUNs as a baseline, or the newest runs of a suite on a branch.

    Runs with equal inputs are pooled, at most 10 of the last 30 days; earlier runs are kept as history.
    """
    from rightcall.check.stored_checks import with_ledger
    from rightcall.run.baseline_file import write_baseline
    from rightcall.run.baseline_pool import find_baseline, pool_runs

    with open_store(store_url, must_exist=True) as store:
        if runs:
            stored_runs = sorted(
                (store.runs.get(run) for run in runs), key=lambda run: run.run.started_at, reverse=True
            )
            pool = (
                pool_runs(store, stored_runs)
                if len(stored_runs) > 1
                else find_baseline(store, stored_runs[0].id, stored_runs[0].run.name)
            )
        else:
            name = suite or store.runs.get("last").run.name
            pool = find_baseline(store, f"branch:{branch}", name)
        pool = with_ledger(pool, store)
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
    suite: Annotated[str | None, Option("Suite, for a baseline from the store")] = None,
    store_url: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a baseline: a file, branch:NAME, or a run."""
    from rightcall.check.stored_checks import ledger_words

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
    if words := ledger_words(pool.checks):
        out.say("  {}", words)
    age = header.age_days()
    if age > 14:
        out.say("[yellow]{} days old: run the suite again on the main branch[/yellow]", f"{age:.0f}")


@baseline.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def merge(files: tuple[Path, ...], output: OutputOption) -> None:
    """Merge baseline files of one suite: runs with the newest inputs are pooled, the others become history.

    `check.json` files of the suite may be among them: their checks are added to the ledger of the baseline.
    """
    from rightcall.check.stored_checks import merge_files
    from rightcall.run.baseline_file import write_baseline

    missing = [file for file in files if not file.is_file()]
    if missing:
        raise InputError(str(missing[0]), "no such file")
    pool = merge_files(files)
    write_baseline(pool, output)
    checks = f", {pluralize(len(pool.checks), 'check')} in the ledger" if pool.checks else ""
    tell(
        f"{output}: {pluralize(len(pool.header.runs), 'run')} pooled, {len(pool.header.older)} kept as history{checks}"
    )
