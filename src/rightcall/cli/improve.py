"""`rightcall improve`: propose changes of definitions and prove that one helps."""

from __future__ import annotations

from pathlib import Path

import click

from rightcall.cli.options import json_option, run_argument, store_option
from rightcall.cli.output import console, print_json, tell


@click.command()
@run_argument
@click.option("--suite", type=click.Path(path_type=Path), default=Path("suite.yaml"), show_default=True,
              help="The suite that RUN came from")  # fmt: skip
@click.option("--model", help="A model that rewrites descriptions, besides what findings and lint propose")
@click.option(
    "--proposals", type=click.IntRange(1, 50), default=10, show_default=True, help="How many to try"
)
@click.option(
    "--trials",
    type=click.IntRange(1, 100),
    default=3,
    show_default=True,
    help="Trials of each golden in proof",
)
@click.option(
    "--budget", type=click.IntRange(1), help="The most calls of the agent; refuse when more are needed"
)
@click.option(
    "--unproven", is_flag=True, help="Write the best patch even where goldens are too few to prove it"
)
@click.option("--output", "-o", type=click.Path(path_type=Path), default=Path("improve.patch"), show_default=True,
              help="Where the patch goes")  # fmt: skip
@click.option(
    "--trust", is_flag=True, help="Let a suite from outside this project start and import what it names"
)
@store_option
@json_option
def improve(
    run: str,
    suite: Path,
    model: str | None,
    proposals: int,
    trials: int,
    budget: int | None,
    unproven: bool,
    output: Path,
    trust: bool,
    store_url: str | None,
    as_json: bool,
) -> None:
    """Propose changes of definitions for RUN, try them on held-out goldens, and write a patch for the one that helps.

    Your files are never changed. Exit codes: 0 accepted, 1 shown worse, 3 not shown or too few goldens.
    """
    import asyncio

    from rightcall.files import write_file
    from rightcall.store import open_store
    from rightcall.suite import (
        ImproveOptions,
        Rewriter,
        improve_plan,
        load_suite,
        newest_of_suites,
        plan_suite,
        require_trust,
    )

    loaded = load_suite(suite)
    require_trust(loaded, suite, trust=trust)
    with open_store(store_url, must_exist=True) as store:
        stored = newest_of_suites(store) if run == "last" else store.run(run)
        plan = plan_suite(loaded, suite.parent, model=stored.run.agent)
        options = ImproveOptions(proposals, trials, unproven, budget, Rewriter(model) if model else None)
        found = asyncio.run(improve_plan(plan, store, stored.id, options))
    if as_json:
        print_json(found)
    else:
        from rightcall.report import print_improvement

        print_improvement(console(), found)
    if found.patch:
        write_file(output, found.patch.encode())
        tell(f"wrote {output}{'' if found.proven else ' (UNPROVEN)'}; your files are unchanged", err=as_json)
    raise click.exceptions.Exit(found.exit_code)
