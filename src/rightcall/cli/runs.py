"""`rightcall runs`: what is in the store."""

from __future__ import annotations

import sys
from typing import IO, TYPE_CHECKING, Any, Literal

import click

from rightcall.cli.output import FiniteRange, print_json_line, tell
from rightcall.errors import InputError
from rightcall.report import inert_json, one_line

if TYPE_CHECKING:
    from rightcall.store import Store, StoredRun

at_store = click.option(
    "--store", "url", metavar="URL", help="A file or a PostgreSQL URL; by default .rightcall/rightcall.db."
)
as_json = click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")


@click.group()
def runs() -> None:
    """List, show, export, rescore, delete and prune the runs in the store."""


@runs.command("list")
@click.option("--suite", "name", default="", help="Runs of this suite.")
@click.option("--group", default="", help="Runs of this group.")
@click.option("--agent", default="", help="Runs of this agent.")
@click.option("--tag", default="", help="Runs with this tag.")
@click.option("--search", "text", default="", help="Runs with this in id, suite, agent or group.")
@click.option("--unfinished", is_flag=True, help="Only runs that can be resumed.")
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, help="How many, newest first."
)
@click.option("--after", metavar="RUN", help="Only runs older than this one: the next page.")
@at_store
@as_json
def list_(
    unfinished: bool, limit: int, after: str | None, url: str | None, as_json: bool, **words: str
) -> None:
    """The runs, newest first."""
    from rightcall.store import RunFilter

    state: Literal["unfinished", "any"] = "unfinished" if unfinished else "any"
    which = RunFilter(state=state, **words)
    with _opened(url) as store:
        found = store.runs(which, limit=limit, after=after)
    if as_json:
        for run in found:
            print_json_line(run)
        return
    _print_table(found)
    if len(found) == limit:
        tell(f"next: rightcall runs list --after {one_line(found[-1].id)}")
    elif found:
        tell(f"next: rightcall runs show {one_line(found[0].id)}")


@runs.command()
@click.argument("run", default="last")
@at_store
@as_json
def show(run: str, url: str | None, as_json: bool) -> None:
    """One run: an id, the beginning of one, `last`, `last~1`, a tag or a git branch."""
    with _opened(url) as store:
        found = store.run(run)
        codes = store.code_counts(found.id)
    if as_json:
        print_json_line(found)
        return
    for label, value in _facts(found):
        tell(f"{label:<12} {one_line(value)}")
    for code, count in sorted(codes.items(), key=lambda item: (-item[1], item[0])):
        tell(f"{'':<12} {count:>6} × {code}")
    step = "report" if found.finished else "run SUITE --resume"
    tell(f"next: rightcall {step} {one_line(found.id)}")


@runs.command()
@click.argument("run", default="last")
@click.option("--output", "-o", type=click.File("wb"), default="-", help="A file instead of the terminal.")
@click.option(
    "--trajectories/--no-trajectories", default=True, help="With what the agent did, or only scores."
)
@click.option("--timings/--no-timings", default=True, help="Without, equal runs are equal files.")
@at_store
def export(run: str, output: IO[bytes], trajectories: bool, timings: bool, url: str | None) -> None:
    """The results of a run as JSON Lines, by golden and trial."""
    with _opened(url) as store:
        for line in store.export(run, trajectories=trajectories, timings=timings):
            output.write(inert_json(line))


@runs.command()
@click.argument("run", default="last")
@click.option("--metric", "metrics", multiple=True, help="A metric that must pass; may be repeated.")
@click.option("--observe", multiple=True, help="A metric that only measures; may be repeated.")
@click.option("--pass-rule", type=click.Choice(["strict", "score"]), default="strict", show_default=True)
@at_store
@as_json
def rescore(
    run: str,
    metrics: tuple[str, ...],
    observe: tuple[str, ...],
    pass_rule: Literal["strict", "score"],
    url: str | None,
    as_json: bool,
) -> None:
    """Score the stored trajectories of a run again and keep the results as a new run.

    Nothing is run. Exit codes: 0 passed, 1 did not pass, 4 a metric could not be computed.
    """
    import asyncio

    from rightcall.cli.output import import_from_here
    from rightcall.metrics import Rules, Scorer, as_metrics, observed
    from rightcall.report import write_outcome
    from rightcall.suite import rescore_run

    import_from_here((*metrics, *observe))
    chosen = as_metrics(metrics)
    scorer = Scorer(chosen, observed(observe, chosen), Rules(pass_rule=pass_rule))
    with _opened(url) as store:
        made, summary, verdict = asyncio.run(rescore_run(store, run, scorer))
    if as_json:
        write_outcome(made, verdict.word, summary, sys.stdout.buffer)
    else:
        from rightcall.report import print_summary

        print_summary(summary, (), hints=[f"rightcall runs show {made}", f"rightcall report {made}"])
        tell(verdict.sentence)
    raise click.exceptions.Exit(verdict.exit_code)


@runs.command()
@click.argument("run", nargs=-1, required=True)
@click.option("--yes", is_flag=True, help="Do not ask.")
@at_store
def delete(run: tuple[str, ...], yes: bool, url: str | None) -> None:
    """Delete runs with all their results."""
    with _opened(url) as store:
        found = [store.run(wanted) for wanted in run]
        _confirm(found, yes)
        for one in found:
            store.delete_run(one.id)
    tell(f"deleted {_amount(found)}")


@runs.command()
@click.option("--keep", type=click.IntRange(0), help="Keep the newest N runs of each suite.", metavar="N")
@click.option("--older-than", type=FiniteRange(0), help="Keep runs younger than this.", metavar="DAYS")
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@at_store
@as_json
def prune(
    keep: int | None, older_than: float | None, dry_run: bool, yes: bool, url: str | None, as_json: bool
) -> None:
    """Delete old runs; those with a tag, and those still being written, stay."""
    from rightcall.store import Retention

    retention = Retention(keep, older_than)
    with _opened(url) as store:
        found = store.prunable(retention)
        if found and not dry_run:
            _confirm(found, yes)
            found = store.prune(retention)
    if as_json:
        for run in found:
            print_json_line(run)
    else:
        tell(f"{'would delete' if dry_run else 'deleted'} {_amount(found)}")


def _opened(url: str | None) -> Store:
    from rightcall.store import open_store

    return open_store(url, must_exist=True)


def _facts(run: StoredRun) -> list[tuple[str, str]]:
    usage = run.usage
    cost = "" if usage.cost_usd is None else f", {usage.cost_usd:.4f} USD"
    planned = f" of {run.planned:,}" if run.planned else ""
    facts = {
        "run": run.id,
        "suite": run.run.name,
        "group": run.run.group,
        "agent": run.run.agent,
        "started": run.run.started_at,
        "finished": run.run.finished_at or f"no; last written {run.updated_at}",
        "verdict": run.verdict,
        "results": f"{run.results:,}{planned}, {run.passed:,} passed, {run.errors:,} errors",
        "pass rate": f"{run.pass_rate:.1%}" if run.results > run.errors else "",
        "tokens": f"{usage.input_tokens:,} in, {usage.output_tokens:,} out{cost}",
        "tags": ", ".join(run.tags),
        "git": " ".join(
            run.run.versions[part] for part in ("git_branch", "git_commit") if part in run.run.versions
        ),
    }
    facts |= {f"{kind[:10]}": fingerprint for kind, fingerprint in run.run.fingerprints.items()}
    return [(label, value) for label, value in facts.items() if value]


def _print_table(found: list[StoredRun]) -> None:
    from rich.table import Table
    from rich.text import Text

    from rightcall.report import Screen

    if not found:
        tell("no runs here; rightcall run SUITE makes one")
        return
    table = Table(box=None)
    for heading in ("run", "suite", "agent", "started", "results", "passed", "verdict", "tags"):
        # An id is typed again, so it is never cut; names give way first.
        table.add_column(
            heading, no_wrap=True, min_width=None if heading in ("suite", "agent", "tags") else 6
        )
    table.columns[0].min_width = max(len(run.id) for run in found)
    for run in found:
        rate = f"{run.pass_rate:.1%}" if run.results > run.errors else "–"
        verdict = run.verdict or ("" if run.finished else "unfinished")
        cells = (
            run.id,
            run.run.name,
            run.run.agent,
            run.run.started_at[:16].replace("T", " "),
            f"{run.results:,}",
            rate,
            verdict,
        )
        table.add_row(*(Text(one_line(cell)) for cell in (*cells, ", ".join(run.tags))))
    Screen(width=None if sys.stdout.isatty() else 200).print(table)


def _confirm(found: list[Any], yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise InputError("", f"this would delete {_amount(found)}", "add --yes to do it without being asked")
    click.confirm(f"delete {_amount(found)}?", abort=True)


def _amount(found: list[Any]) -> str:
    results = sum(run.results for run in found)
    return f"{len(found):,} {'run' if len(found) == 1 else 'runs'} with {results:,} results"
