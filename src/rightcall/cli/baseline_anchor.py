"""`rightcall baseline anchor`: a frozen baseline, against which a slow decline of main is seen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from rightcall.cli.command_options import CommandGroup
from rightcall.cli.options import OUTPUT
from rightcall.cli.output import console, print_json, print_next, tell
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.text import pluralize
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.run.baseline_file import BaselinePool

ANCHOR = Path("anchor.baseline.jsonl.gz")


@click.group(cls=CommandGroup)
def anchor() -> None:
    """Freeze a baseline at a release, and compare main with it every week: drops that `check` lets pass add up."""


@anchor.command()
@click.argument("which", default="branch:main")
def save(
    which: str,
    suite: Annotated[str | None, Option("Suite, for a baseline from the store")] = None,
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


@anchor.command()
@click.argument("which", default="branch:main")
def check(
    which: str,
    suite: Annotated[str | None, Option("Suite, for a baseline from the store")] = None,
    file: Annotated[Path, Option("File of the anchor", flags=("--anchor",))] = ANCHOR,
    store_url: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare the newest trials of main with the anchor, once a week: has the agent declined since the release?

    Exit codes: 0 no decline is seen, 1 DECLINED, 3 too few trials.
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
