"""`rightcall generate`: goldens and conversations from tools, documents, goldens or a description; review of drafts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import click

from rightcall.cli.command_options import OUTPUT, CommandGroup, DeclaredCommand, takes_options
from rightcall.cli.interrupt import run_interruptible
from rightcall.cli.output import console, print_json, tell
from rightcall.core.errors import InfrastructureError
from rightcall.core.options import JsonOption, Option
from rightcall.core.text import pluralize
from rightcall.store.address import open_store
from rightcall.wings.generate.commands.options import GenerateOptions
from rightcall.wings.generate.commands.review import review
from rightcall.wings.generate.commands.summary import (
    estimate_words,
    keep_drafts,
    require_free_target,
    show_drafts,
    show_estimate,
    show_production,
)

if TYPE_CHECKING:
    from rightcall.datasets.review import ExpectedDrafts
    from rightcall.wings.generate.commands.sources import Start
    from rightcall.wings.generate.production import Production
    from rightcall.wings.generate.synthesizer import Synthesizer


PROGRESS = ".rightcall/generate.db"
"""Where unfinished work is kept: a store like that of runs, but not among them, so that `last` stays a run."""


@click.group(cls=CommandGroup)
def generate() -> None:
    """Generate goldens and conversations as drafts, and review them."""


@generate.command()
@takes_options(GenerateOptions)
def goldens(options: GenerateOptions) -> None:
    """Generate goldens of one turn; with --turns conversations.

    From tools, each golden is planned first: calls with valid arguments, then a request that implies exactly those,
    then checks that try to refute it. Goldens that fail a check are dropped, with the reason.
    With --skills, each skill gets four requests that should load it and four adjacent ones that should not.
    Conversations from tools have scripted turns, those from everything else a scenario.
    """
    from rightcall.wings.generate.commands.sources import synthesizer_of, work_of
    from rightcall.wings.generate.estimate import estimate_generation

    if not options.dry_run:
        require_free_target(options.output)
    maker = synthesizer_of(options)
    count, characters, start = work_of(maker, options)
    estimate = estimate_generation(maker, count, context_characters=characters)
    if options.dry_run:
        show_estimate(estimate, options)
        return
    if not options.as_json:
        tell(estimate_words(estimate), err=True)
    production = _run(maker, start, count, options)
    kept = keep_drafts(production.goldens, options.output, options.store)
    show_production(production, maker, kept, options)
    raise click.exceptions.Exit(_exit_code(production))


def _run(maker: Synthesizer, start: Start, count: int, options: GenerateOptions) -> Production:
    from contextlib import ExitStack
    from dataclasses import replace

    from rightcall.show.progress import ProgressState, RunProgress
    from rightcall.wings.generate.production import SynthesisProgress

    run_id = ""
    with ExitStack() as stack:
        store = stack.enter_context(open_store(PROGRESS))
        bar = stack.enter_context(RunProgress(count, quiet=options.as_json, word="kept"))

        def watch(progress: SynthesisProgress) -> None:
            nonlocal run_id
            run_id = progress.run_id
            counts = (progress.done, progress.kept, progress.errors, progress.usage)
            bar.update(ProgressState(*counts, progress.retries, progress.at_once), new=1)

        try:
            return run_interruptible(start(replace(maker, store=store, resume=options.resume, watch=watch)))
        except (KeyboardInterrupt, InfrastructureError):
            if run_id:
                how = f"continue with the same command and --resume {run_id}"
                tell(f"finished goldens are stored; {how}", err=True)
            raise


def _exit_code(production: Production) -> int:
    if production.errors:
        return 4
    return 3 if production.stopped or not production.goldens else 0


MOST_SHOWN = 10


@click.command(cls=DeclaredCommand)
@click.argument("run")
def expected(
    run: str,
    output: Annotated[
        str, Option("Output file, or the name of a dataset in the store", flags=OUTPUT)
    ] = "expected.jsonl",
    store: Annotated[
        str | None, Option("Store of runs and datasets [default: .rightcall/rightcall.db]")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Propose expected calls for goldens that state no check, from what the agent did in RUN.

    A proposal is what more than half of a golden's trials did. It is a draft: runs refuse it until it is accepted
    with `rightcall generate review`. Exit code 3 if nothing can be proposed.
    """
    from rightcall.wings.generate.run_proposals import draft_expectations

    require_free_target(output)
    with open_store(store, must_exist=True) as opened:
        proposals = draft_expectations(opened, run)
    kept = keep_drafts(proposals.goldens, output, store)
    if as_json:
        print_json({
            "run": proposals.run, "proposed": len(proposals.goldens), "written_to": kept, "split": proposals.split,
            "checked": proposals.checked, "without_answer": proposals.without_answer,
        })  # fmt: skip
    else:
        _print(proposals, kept, output)
    if not proposals.goldens:
        raise click.exceptions.Exit(3)


def _print(proposals: ExpectedDrafts, kept: str, output: str) -> None:
    out = console()
    out.say("expected calls proposed for [bold]{}[/bold]", pluralize(len(proposals.goldens), "golden"))
    for split in proposals.split[:MOST_SHOWN]:
        out.say("[yellow]~[/yellow] [bold]{}[/bold] {}", split.golden_id, split.reason)
        for words, times in split.behaviours[:3]:
            out.say("    [dim]{}×[/dim] {}", times, words[:300])
    if len(proposals.split) > MOST_SHOWN:
        out.say("[dim]… and {:,} more on which trials disagree[/dim]", len(proposals.split) - MOST_SHOWN)
    if proposals.checked:
        out.say("[dim]{} already state a check[/dim]", pluralize(proposals.checked, "golden"))
    if proposals.without_answer:
        out.say("[dim]{} got no answer[/dim]", pluralize(len(proposals.without_answer), "golden"))
    show_drafts(out, kept, output)


generate.add_command(expected)
generate.add_command(review)
