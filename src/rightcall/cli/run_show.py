"""`rightcall runs show`: a run with what did not pass, or one of its cases."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from rightcall.cli.command_options import DeclaredCommand, run_argument
from rightcall.cli.output import console, print_json, print_json_line, print_next, store_argument
from rightcall.core.codec import to_plain
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.text import percent
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.store.base import StoredRun
    from rightcall.store.sql.store import Store

SECONDS_BETWEEN_LOOKS = 1.0


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
    failures: Annotated[int, Option("Maximum number of goldens shown that did not pass", ge=0)] = 20,
    watch: Annotated[bool, Option("Refresh until the run has finished")] = False,
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
    with open_store(store_url, must_exist=True) as store:
        stored, where = store.runs.get(run), store_argument(store_url)
        if case is not None:
            _show_case(store, stored, case, trial, raw=raw, as_json=as_json, where=where)
            return
        while watch and not stored.finished and not as_json:
            console().clear()
            _show_run(store, stored, failures, where)
            time.sleep(SECONDS_BETWEEN_LOOKS)
            stored = store.runs.get(stored.id)
        if as_json:
            from rightcall.run.outcome import label_sentences

            print_json_line({**to_plain(stored), "people": label_sentences(store, stored)})
        else:
            _show_run(store, stored, failures, where)


def _show_baseline(path: Path, *, as_json: bool) -> None:
    from rightcall.run.baseline_file import load_baseline, require_baseline

    require_baseline(path)
    pool = load_baseline(path)
    header, out = pool.header, console()
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


def _show_run(store: Store, stored: StoredRun, keep: int, where: str) -> None:
    from rightcall.metrics.dimensions import AGENTS_KNOWN
    from rightcall.metrics.tally import Tally
    from rightcall.run.outcome import label_sentences
    from rightcall.show.terminal import print_run
    from rightcall.show.view.grouped_trials import failed_goldens
    from rightcall.show.view.tools import agent_rows

    failed, more = failed_goldens(store, stored.id, keep)
    # An unfinished run has no summary: what its results add up to so far is shown.
    summary = stored.run.summary or Tally().add_all(store.runs.results(stored.id)).summary()
    agents = agent_rows(store, stored.id) if AGENTS_KNOWN in summary.overall.means else ()
    print_run(console(), stored, summary, failed, more, label_sentences(store, stored), agents)
    if summary.about_safety:
        from rightcall.show.safety import print_run_safety

        print_run_safety(console(), store, stored.id)
    steps = [f"rightcall runs show {stored.id} {shlex.quote(failed[0].golden_id)}{where}"] if failed else []
    if failed and stored.finished:
        steps.append(f"rightcall analyze {stored.id}{where}")
    if not stored.finished:
        steps.append(f"rightcall run SUITE --resume {stored.id}{where}")
    print_next(*steps, f"rightcall runs report {stored.id}{where}")


def _show_case(
    store: Store, run: StoredRun, golden_id: str, trial: int | None, *, raw: bool, as_json: bool, where: str
) -> None:
    from rightcall.improve.run_setup import run_record
    from rightcall.show.case_screen import print_case
    from rightcall.show.view.case import case_view
    from rightcall.show.view.grouped_trials import (
        golden_history,
        golden_row,
        model_request,
        rerun_command,
        system_prompt,
    )

    stored = store.runs.case(run.id, golden_id)
    result = stored.trial(trial)
    record = run_record(store, run)
    golden = stored.golden
    if raw:
        print_json(model_request(record, golden, result))
        return
    if as_json:
        print_json(stored)
        return
    tools = {tool.name: tool for tool in record.tools}
    print_case(
        console(),
        case_view(golden, result, tools),
        trials=golden_row(stored.golden_id, stored.results, tools),
        system=system_prompt(record, golden),
        history=golden_history(store, run, stored.golden_id),
    )
    rerun = rerun_command(run, stored.golden_id)
    if rerun.startswith("rightcall "):
        rerun += where
    print_next(rerun, f"rightcall runs show {run.id} {shlex.quote(stored.golden_id)} --raw{where}")
