"""`rightcall flaky`: goldens that pass only sometimes."""

from __future__ import annotations

import click

from rightcall.cli.command_options import DeclaredCommand, run_argument
from rightcall.cli.output import console, print_json
from rightcall.core.options import JsonOption, StoreOption
from rightcall.core.text import percent, pluralize
from rightcall.store.address import open_store

MOST_SHOWN = 50


@click.command(cls=DeclaredCommand)
@run_argument
def flaky(run: str, store_url: StoreOption = None, as_json: JsonOption = False) -> None:
    """List goldens of RUN whose trials disagree, worst first. Requires a run with several trials."""
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
