"""`rightcall improve`: propose changes to definitions and prove that one helps."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import click

from rightcall.cli.command_options import DeclaredCommand, run_argument, takes_options
from rightcall.cli.interrupt import run_interruptible
from rightcall.cli.output import console, print_json, print_next, store_argument, tell
from rightcall.core.options import JsonOption, Option, TrustOption
from rightcall.files.atomic import PATCH_MARK, write_file
from rightcall.improve.proof.options import ImproveRequest
from rightcall.store.address import open_store


@dataclass(frozen=True, kw_only=True)
class ImproveCommandOptions(ImproveRequest):
    """The options of `rightcall improve`."""

    suite: Annotated[Path | None, Option("Suite to run [default: the suite of RUN, or suite.yaml]")] = None
    output: Annotated[Path, Option("File for the patch", flags=("-o", "--output"), writes="report")] = Path(
        "improve.patch"
    )
    trust: TrustOption = False
    as_json: JsonOption = False


@click.command(cls=DeclaredCommand)
@run_argument
@takes_options(ImproveCommandOptions)
def improve(run: str, options: ImproveCommandOptions) -> None:
    """Propose changes to the tool definitions of RUN, test them on held-out goldens, and write what helps as a patch.

    Your files are never changed. Exit codes: 0 accepted, 1 worse, 3 not proven or too few goldens.
    """
    from msgspec.structs import replace

    from rightcall.api.suite_run import plan_of_run
    from rightcall.improve.improvement import file_patch
    from rightcall.improve.proof.protocol import improve_plan
    from rightcall.providers.resolver import endpoint_of
    from rightcall.run.suite import load_suite

    output = options.output
    with open_store(options.store, must_exist=True) as store:
        stored = store.runs.get(run)
        suite = options.suite or Path(stored.run.versions.get("suite_file") or "suite.yaml")
        plan = plan_of_run(suite, stored.run, trust=options.trust)
        model = options.model
        writer = endpoint_of(model, catalog=plan.models) if model else None
        how = options.options(writer, lambda sentence: tell(sentence, err=True))
        try:
            improvement = run_interruptible(improve_plan(plan, store, stored.id, how))
        except KeyboardInterrupt:
            tell("no patch was written; the same command starts again", err=True)
            raise
    patch = file_patch(load_suite(suite), suite, improvement.edits) or improvement.patch
    improvement = replace(improvement, patch=patch)
    if options.as_json:
        print_json(improvement)
    else:
        from rightcall.show.improvement import print_improvement

        print_improvement(console(), improvement)
    if patch:
        write_file(
            output, PATCH_MARK + b"\n" + patch.encode()
        )  # programs that apply it skip what comes first
        unproven = "" if improvement.proven else " (UNPROVEN)"
        tell(f"wrote {output}{unproven}; your files are unchanged", err=options.as_json)
        if not options.as_json:
            print_next(f"git apply {output}", f"rightcall run {suite}{store_argument(options.store)}")
    raise click.exceptions.Exit(improvement.exit_code)
