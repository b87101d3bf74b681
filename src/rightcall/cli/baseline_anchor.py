"""`rightcall baseline anchor`: a frozen baseline, against which a slow decline of main is seen."""

from __future__ import annotations

from pathlib import Path

import click

from rightcall.cli.named_baseline import load_pool
from rightcall.cli.options import json_option, store_option
from rightcall.cli.output import console, print_json, print_next, tell

ANCHOR = Path("anchor.baseline.jsonl.gz")
file_option = click.option(
    "--anchor",
    "file",
    type=click.Path(path_type=Path),
    default=ANCHOR,
    show_default=True,
    help="File of the anchor",
)


@click.group()
def anchor() -> None:
    """Freeze a baseline at a release, and compare main with it every week: drops that `check` lets pass add up."""


@anchor.command()
@click.argument("which", default="branch:main")
@click.option("--suite", help="Suite, for a baseline from the store")
@store_option
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=ANCHOR,
    show_default=True,
    help="File of the anchor",
)
def save(which: str, suite: str | None, store_url: str | None, output: Path) -> None:
    """Freeze the newest nine trials per golden of a baseline: a file, branch:NAME, or a run."""
    from rightcall.core.text import pluralize
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
@click.option("--suite", help="Suite, for a baseline from the store")
@file_option
@store_option
@json_option
def check(which: str, suite: str | None, file: Path, store_url: str | None, as_json: bool) -> None:
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
