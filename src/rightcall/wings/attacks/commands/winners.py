"""`rightcall attacks winners`: the attacks that an adaptive search found, as goldens."""

from __future__ import annotations

from pathlib import Path

import click

from rightcall.cli.options import store_option
from rightcall.cli.output import print_next, tell
from rightcall.core.errors import InputError
from rightcall.core.text import pluralize


@click.command()
@click.argument("run", default="last")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), required=True, help="File of goldens to write"
)
@store_option
def winners(run: str, output: Path, store_url: str | None) -> None:
    """Write the attacks with which the adaptive search of RUN moved the agent as goldens, for the next fixed plan.

    They run as any goldens: add the file to a dataset, and later runs count and gate them.
    """
    from rightcall.datasets.goldens import save_goldens
    from rightcall.run.attack_search import search_of_run
    from rightcall.store.address import open_store

    with open_store(store_url, must_exist=True) as store:
        stored = store.runs.get(run)
        search = search_of_run(store, stored.run)
    if search is None:
        raise InputError(
            f"run {stored.id}",
            "has no adaptive search that has ended",
            "write `adaptive: {budget: 200}` in the plan of attacks, and run the suite",
        )
    if not search.winners:
        tell(f"run {stored.id}: the search broke nothing; no file was written")
        return
    save_goldens(search.winners, output)
    tell(f"{output}: {pluralize(len(search.winners), 'attempt')}")
    print_next(f"rightcall dataset check {output}")
