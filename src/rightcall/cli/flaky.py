"""`rightcall flaky`: goldens that pass sometimes."""

from __future__ import annotations

import click

from rightcall.cli.output import as_json_option, console, print_json


@click.command()
@click.argument("run", default="last")
@click.option("--store", "store_url", help="Where results are kept.")
@as_json_option
def flaky(run: str, store_url: str | None, as_json: bool) -> None:
    """Goldens of RUN whose trials do not agree, the worst first. Needs a run with several trials."""
    from rightcall.store import open_store
    from rightcall.suite import flakiness

    with open_store(store_url, must_exist=True) as store:
        found = flakiness(store, run)
    if as_json:
        print_json(found)
        return
    out = console()
    out.print(
        f"{found.goldens:,} goldens: {found.stable_pass:,} always pass, {found.stable_fail:,} never, "
        f"{len(found.flaky):,} sometimes"
    )
    if found.rate is None:
        out.say("[dim]every golden was tried once: run with --trials 5 to see which are flaky[/dim]")
    else:
        out.say("[dim]two trials of a golden disagree with a chance of {:.1%}[/dim]", found.rate)
    for case in found.flaky[:50]:
        mark = "  quarantine?" if case.quarantine else ""
        out.print(f"  {case.golden_id}  {case.passed}/{case.trials}{mark}")
    if names := [case.golden_id for case in found.flaky if case.quarantine]:
        out.say("[dim]to run these without letting them decide, write into the suite:[/dim]")
        out.print(f"  quarantine: [{', '.join(names)}]", soft_wrap=True)
