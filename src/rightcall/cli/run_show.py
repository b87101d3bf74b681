"""`rightcall runs show`: a run with what did not pass, or one of its cases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from rightcall.cli.command_options import DeclaredCommand, run_argument
from rightcall.cli.output import console, print_json, print_json_line, print_next, store_argument, tell
from rightcall.core.codec import to_plain
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.text import percent
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.store.base import StoredRun
    from rightcall.store.sql.store import Store


@click.command(cls=DeclaredCommand)
@run_argument
@click.argument("case", required=False)
def show(
    run: str,
    case: str | None,
    trial: Annotated[
        int | None, Option("Trial of the case [default: the first that did not pass]", ge=0)
    ] = None,
    raw: Annotated[bool, Option("Show what was sent to the model, as JSON; null was not heard")] = False,
    failures: Annotated[int, Option("Maximum kinds of failures shown", ge=0)] = 20,
    why: Annotated[
        bool, Option("Show rules, bounds and error rates of the verdict; with CASE, every score")
    ] = False,
    matrix: Annotated[bool, Option("Show which case passed which metric")] = False,
    store_url: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show RUN: its verdict and the goldens that did not pass. With CASE (a golden's id), show that case.

    RUN is an id or a prefix of one, `last`, `last~1`, a tag, a git branch, or a baseline file [default: last].
    """
    if case is None and (raw or trial is not None):
        raise click.UsageError("--raw and --trial require a CASE: rightcall runs show RUN CASE")
    if Path(run).is_file():
        _show_baseline(Path(run), as_json=as_json)
        return
    from rightcall.show.whole_run import print_matrix, run_matrix, show_run

    with open_store(store_url, must_exist=True) as store:
        stored = store.runs.get(run)
        where = store_argument(store_url)
        if case is not None:
            _show_case(store, stored, case, trial, raw=raw, as_json=as_json, why=why, where=where)
            return
        if as_json:
            from rightcall.run.decisions import evidence_sentences

            print_json_line({**to_plain(stored), "people": evidence_sentences(store, stored)})
        elif matrix:
            print_matrix(console(), run_matrix(store, stored.id))
        elif why:
            _show_why(store, stored)
        else:
            show_run(console(), store, stored, kinds=failures, where=where)


def _show_why(store: Store, stored: StoredRun) -> None:
    """The rules of a gate; of a check what it compared, tried and risked."""
    from rightcall.check.stored_checks import StoredVerdicts
    from rightcall.run.run_record import CHECKED
    from rightcall.show.check_screen import check_why
    from rightcall.show.run_screen import print_why

    result = StoredVerdicts(store).of_run(stored.id) if CHECKED in stored.tags else None
    if result is None:
        print_why(console(), stored)
    for line in check_why(result) if result is not None else ():
        tell(line)


def _show_baseline(path: Path, *, as_json: bool) -> None:
    from rightcall.run.baseline_file import load_baseline, require_baseline

    require_baseline(path)
    pool = load_baseline(path)
    header = pool.header
    out = console()
    if as_json:
        print_json(header)
        return
    source = f" on {header.branch}" if header.branch else ""
    commit = f" at {header.commit[:10]}" if header.commit else ""
    passed = sum(sum(line.scores) for line in pool.lines) / max(1, pool.trials)
    counts = f"{len(pool.lines):,} goldens, {pool.trials:,} trials, {percent(passed, 1)} passed"
    out.say("[bold]{}[/bold]{}: {}", header.suite, f"{source}{commit}", counts)
    for kind, runs in (("compared", header.runs), ("history", header.older)):
        for entry in runs:
            out.say("  {}  {}  {}  {} trials", f"{kind:<8}", entry.id, entry.at, str(entry.trials))
    age = header.age_days()
    if age > 14:
        out.say("[yellow]{} days old: run the suite again on the main branch[/yellow]", f"{age:.0f}")


def _show_case(
    store: Store,
    run: StoredRun,
    golden_id: str,
    trial: int | None,
    *,
    raw: bool,
    as_json: bool,
    why: bool,
    where: str,
) -> None:
    from rightcall.improve.run_setup import run_record
    from rightcall.show.case_screen import show_case
    from rightcall.show.view.grouped_trials import model_request, rerun_command

    stored = store.runs.case(run.id, golden_id)
    if raw:
        print_json(model_request(run_record(store, run), stored.golden, stored.trial(trial)))
        return
    if as_json:
        print_json(stored)
        return
    show_case(console(), store, run, golden_id, trial=trial, why=why)
    rerun = rerun_command(run, stored.golden_id)
    if rerun.startswith("rightcall "):
        print_next(rerun + where)
    else:
        console().say("\n[dim]again[/dim]     {}", rerun, soft_wrap=True)
