"""`rightcall runs list --flaky` and `--trend`: goldens that pass only sometimes, and rates over time."""

from __future__ import annotations

from pathlib import Path

import click

from rightcall.cli.output import console, print_json, print_json_line
from rightcall.core.errors import InputError
from rightcall.core.text import percent, pluralize
from rightcall.store.address import open_store

MOST_SHOWN = 50


def print_flaky(store_url: str | Path | None, run: str, *, as_json: bool) -> None:
    """The goldens of a run with several trials whose trials disagree."""
    from rightcall.run.decisions import flakiness
    from rightcall.show.view.failures import case_names

    with open_store(store_url, must_exist=True) as store:
        report = flakiness(store, run)
        name, shown = case_names(store, run), () if as_json else report.flaky[:MOST_SHOWN]
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
        points = run_trend(store, group_runs(store, group, limit))
    if not points:
        raise InputError(f"group '{group}'", "has no finished run", "see `rightcall runs list`")
    if as_json:
        for point in points:
            print_json_line(point)
    else:
        print_trend(console(), group, points)
