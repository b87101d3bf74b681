"""`rightcall improve`: propose changes to definitions and prove that one helps."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from rightcall.cli.options import base_url_option, json_option, run_argument, store_option, trust_option
from rightcall.cli.output import console, print_json, print_next, tell


@click.command()
@run_argument
@click.option("--suite", type=click.Path(path_type=Path), default=Path("suite.yaml"), show_default=True,
              help="Suite of RUN")  # fmt: skip
@click.option(
    "--model",
    help="Model that rewrites descriptions, in addition to what findings and lint propose: provider:model or a name"
    " of models",
)
@base_url_option
@click.option(
    "--engine",
    type=click.Choice(["rewrite", "gepa"]),
    default="rewrite",
    show_default=True,
    help="How --model is used: three rewrites per finding, or a search with the gepa package",
)
@click.option(
    "--proposals", type=click.IntRange(1, 50), default=10, show_default=True, help="Maximum proposals to try"
)
@click.option(
    "--trials",
    type=click.IntRange(1, 100),
    default=3,
    show_default=True,
    help="Trials per golden in the proof",
)
@click.option(
    "--stop",
    type=click.Choice(["end", "evalue"]),
    default="end",
    show_default=True,
    help="When the proof ends: after every golden, or as soon as an e-value decides",
)
@click.option(
    "--budget",
    type=click.IntRange(1),
    help="Maximum number of agent calls; refuse to start if more are needed",
)
@click.option(
    "--unproven", is_flag=True, help="Write the best patch even if there are too few goldens to prove it"
)
@click.option("--output", "-o", type=click.Path(path_type=Path), default=Path("improve.patch"), show_default=True,
              help="File for the patch")  # fmt: skip
@trust_option
@store_option
@json_option
def improve(
    run: str,
    suite: Path,
    model: str | None,
    base_url: str | None,
    engine: Literal["rewrite", "gepa"],
    proposals: int,
    trials: int,
    stop: Literal["end", "evalue"],
    budget: int | None,
    unproven: bool,
    output: Path,
    trust: bool,
    store_url: str | None,
    as_json: bool,
) -> None:
    """Propose changes to the tool definitions of RUN, test them on held-out goldens, and write what helps as a patch.

    Your files are never changed. Exit codes: 0 accepted, 1 worse, 3 not proven or too few goldens.
    """

    from msgspec.structs import replace

    from rightcall.cli.interrupt import run_interruptible
    from rightcall.files.atomic import write_file
    from rightcall.improve.proof.file_patch import file_patch
    from rightcall.improve.proof.options import ImproveOptions, proposer
    from rightcall.improve.proof.protocol import improve_plan
    from rightcall.models.resolver import endpoint_of
    from rightcall.run.suite import load_suite
    from rightcall.run.suite_plan import plan_suite
    from rightcall.run.trust import agent_of_run, require_trust
    from rightcall.store.address import open_store

    loaded = load_suite(suite)
    require_trust(loaded, suite, trust=trust)
    with open_store(store_url, must_exist=True) as store:
        stored = store.runs.get(run)
        plan = plan_suite(loaded, suite.parent, model=agent_of_run(loaded, suite.parent, stored.run.agent))
        writer = endpoint_of(model, base_url=base_url, catalog=plan.models) if model else None
        if engine == "gepa":
            writer = writer or plan.models.default("generator")
            if writer is None:
                raise click.UsageError("--engine gepa needs --model: the model that reflects on failed cases")
        options = ImproveOptions(
            proposals, trials, unproven, budget, proposer(writer, engine), stop, lambda s: tell(s, err=True)
        )
        try:
            improvement = run_interruptible(improve_plan(plan, store, stored.id, options))
        except KeyboardInterrupt:
            tell("no patch was written; the same command starts again", err=True)
            raise
    improvement = replace(
        improvement, patch=file_patch(loaded, suite, improvement.edits) or improvement.patch
    )
    if as_json:
        print_json(improvement)
    else:
        from rightcall.show.improvement import print_improvement

        print_improvement(console(), improvement)
    if improvement.patch:
        write_file(output, improvement.patch.encode())
        tell(
            f"wrote {output}{'' if improvement.proven else ' (UNPROVEN)'}; your files are unchanged",
            err=as_json,
        )
        if not as_json:
            print_next(f"git apply {output}", f"rightcall run {suite}")
    raise click.exceptions.Exit(improvement.exit_code)
