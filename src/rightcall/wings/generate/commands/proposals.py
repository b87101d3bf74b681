"""`rightcall generate expected`: expected calls proposed from a run, as drafts to review."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import click

from rightcall.cli.command_options import OUTPUT, DeclaredCommand
from rightcall.cli.output import console, print_json
from rightcall.core.options import ForceOption, JsonOption, Option
from rightcall.core.text import pluralize
from rightcall.store.address import open_store
from rightcall.wings.generate.commands.summary import keep_drafts, require_free_target, show_drafts

if TYPE_CHECKING:
    from rightcall.datasets.review import ExpectedDrafts

MOST_SHOWN = 10


@click.command(cls=DeclaredCommand)
@click.argument("run")
def expected(
    run: str,
    output: Annotated[Path | None, Option("Output file [default: expected.jsonl]", flags=OUTPUT)] = None,
    draft: Annotated[
        str | None, Option("Add to the draft of this dataset in the store instead", metavar="ALIAS")
    ] = None,
    force: ForceOption = False,
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

    target = output or Path("expected.jsonl")
    require_free_target(target, output, draft, force=force)
    with open_store(store, must_exist=True) as opened:
        proposals = draft_expectations(opened, run)
    kept = keep_drafts(proposals.goldens, target, draft, store)
    if as_json:
        print_json({
            "run": proposals.run, "proposed": len(proposals.goldens), "written_to": kept, "split": proposals.split,
            "checked": proposals.checked, "without_answer": proposals.without_answer,
        })  # fmt: skip
    else:
        _print(proposals, kept, draft)
    if not proposals.goldens:
        raise click.exceptions.Exit(3)


def _print(proposals: ExpectedDrafts, kept: str, draft: str | None) -> None:
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
    show_drafts(out, kept, draft)
