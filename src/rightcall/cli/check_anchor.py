"""`rightcall check --anchor`: has the agent declined since a release? Small drops that `check` accepts add up."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from rightcall.cli.output import console, print_json, tell
from rightcall.core.text import pluralize
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.check.options import CheckCommandOptions
    from rightcall.run.baseline_file import BaselinePool

NOTHING_COMPARED = 3


def compare_with_anchor(suites: tuple[Path, ...], anchor: Path, options: CheckCommandOptions) -> int:
    """Compare a suite's baseline with its anchor, or freeze the anchor, which compares nothing; the exit code."""
    from rightcall.run.baseline_anchor import check_anchor
    from rightcall.run.baseline_file import load_baseline
    from rightcall.run.baseline_pool import merged_baseline
    from rightcall.run.suite import load_suite

    if len(suites) > 1 or options.plan_only or options.comment or options.outputs:
        raise click.UsageError("--anchor takes one suite, and neither --plan, --comment nor -o")
    with open_store(options.store) as store:
        main = merged_baseline(store, options.baseline, load_suite(suites[0]).name)
    if not anchor.is_file():
        return _freeze(main, anchor)
    result = check_anchor(load_baseline(anchor), main)
    if options.as_json:
        print_json(result)
        return result.exit_code
    out, color = console(), {"PASS": "green", "DECLINED": "red"}.get(result.verdict, "yellow")
    out.say(f"[bold {color}]{{}}[/bold {color}]: {{}}", result.verdict, result.reason)
    for golden, before, now in result.worst:
        out.say("  [red]worse[/red]  {}  {} → {}", golden, before, now)
    for note in result.notes:
        out.say("[dim]{}[/dim]", note)
    return result.exit_code


def _freeze(main: BaselinePool, anchor: Path) -> int:
    """Write the newest nine trials per golden of a baseline."""
    from rightcall.run.baseline_anchor import ANCHOR_TRIALS, anchor_of
    from rightcall.run.baseline_file import write_baseline

    frozen = anchor_of(main)
    write_baseline(frozen, anchor)
    goldens = pluralize(len(frozen.lines), "golden")
    tell(f"{anchor}: {goldens}, {frozen.trials:,} trials frozen; nothing was compared", err=True)
    if (least := min(len(line.scores) for line in frozen.lines)) < ANCHOR_TRIALS:
        more = f"some goldens have {least} of {ANCHOR_TRIALS} trials: run the suite again on main, delete {anchor}"
        tell(f"{more} and freeze it again", err=True)
    return NOTHING_COMPARED
