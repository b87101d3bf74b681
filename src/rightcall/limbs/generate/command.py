"""`rightcall generate`: goldens and conversations from tools, documents, goldens or a description; review of drafts."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import click

from rightcall.cli.command_options import OUTPUT, CommandGroup, DeclaredCommand, takes_options
from rightcall.cli.drafts import add_to_draft, is_file
from rightcall.cli.interrupt import run_interruptible
from rightcall.cli.output import console, print_json, print_next, tell
from rightcall.core.errors import InfrastructureError
from rightcall.core.options import JsonOption, Option
from rightcall.core.text import pluralize
from rightcall.limbs.generate.config import GenerateOptions
from rightcall.limbs.generate.review import review
from rightcall.records.golden import AnyGolden, expectations_of
from rightcall.records.tool import Tool
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.datasets.review import ExpectedDrafts
    from rightcall.limbs.generate.production import Production
    from rightcall.limbs.generate.sources import Start
    from rightcall.limbs.generate.synthesizer import Synthesizer
    from rightcall.show.screen import Screen

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
    Conversations are made from tools alone; the turns of their users are scripted.
    """
    from rightcall.limbs.generate.sources import synthesizer_of, work_of
    from rightcall.providers.resolver import endpoint_of

    maker = synthesizer_of(options)
    count, start = work_of(maker, options)
    if isinstance(maker.model, str) and not options.as_json:
        tell(f"asks: writer {endpoint_of(maker.model).words}", err=True)
    production = _run(maker, start, count, options)
    kept = keep_drafts(production.goldens, options.output, options.store)
    show_production(production, maker, kept, options)
    raise click.exceptions.Exit(_exit_code(production))


def _run(maker: Synthesizer, start: Start, count: int, options: GenerateOptions) -> Production:
    from contextlib import ExitStack
    from dataclasses import replace

    from rightcall.limbs.generate.production import SynthesisProgress
    from rightcall.show.progress import ProgressState, RunProgress

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
        str, Option("Output file, or the name of a dataset in the store", flags=OUTPUT, writes="document")
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
    from rightcall.limbs.generate.run_proposals import draft_expectations

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


def keep_drafts(goldens: Sequence[AnyGolden], output: str, store: str | None) -> str:
    """Write goldens to a file, or to the draft of a dataset, and say where they are; empty when there are none."""
    from rightcall.datasets.goldens import save_goldens

    if not goldens:
        return ""
    if is_file(output):
        save_goldens(goldens, output)
        return output
    with open_store(store) as opened:
        version = add_to_draft(opened, output, goldens)
    return f"draft {version.version} of {version.alias}"


def show_drafts(out: Screen, kept: str, output: str) -> None:
    """Where the drafts are, and how to review them."""
    if kept:
        out.say("drafts: {}", kept)
        print_next(f"rightcall generate review {shlex.quote(output)}")


def show_production(production: Production, maker: Synthesizer, kept: str, options: GenerateOptions) -> None:
    refused = production.refused
    uncovered = tools_without_calls(production.goldens, maker.tools)
    if options.as_json:
        print_json({
            "kept": len(production.goldens), "written_to": kept, "dropped": production.dropped,
            "errors": production.errors, "stopped": production.stopped, "usage": production.usage,
            "run": production.run_id, "uncovered": uncovered, "refused": refused,
        })  # fmt: skip
        return
    out = console()
    out.say("[bold]{:,}[/bold] kept, {:,} dropped", len(production.goldens), len(production.dropped))
    for reason, number in _reasons(production).items():
        out.say("[dim]  {:>4} {}[/dim]", number, reason)
    if maker.tools:
        out.say("covered: {} of {} tools", len(maker.tools) - len(uncovered), len(maker.tools))
        if untested := [name for name in uncovered if name not in refused]:
            out.say("[dim]  not covered by any golden: {}[/dim]", ", ".join(untested[:12]))
        _show_refusals(refused, out)
    usage = production.usage
    if usage.tokens:
        out.say("{:,} tokens{}", usage.tokens, f", ${usage.cost_usd:.4f}" if usage.cost_usd else "")
    for error in production.errors[:3]:
        tell(f"error: {error.id}: {error.reason}", err=True)
    if production.stopped or production.errors:
        why = production.stopped or f"{len(production.errors):,} jobs failed because a model did not answer"
        tell(
            f"not finished: {why}; continue with the same command and --resume {production.run_id}", err=True
        )
    show_drafts(out, kept, options.output)


def _show_refusals(refused: dict[str, str], out: Screen, most: int = 12) -> None:
    """For which tools no call was planned, and why."""
    if refused:
        out.say("not generated for {}:", pluralize(len(refused), "tool"))
    for name, reason in list(refused.items())[:most]:
        out.say("[dim]  {}: {}[/dim]", name, reason)
    if len(refused) > most:
        out.say("[dim]  … and {} more: --json[/dim]", len(refused) - most)


def _reasons(production: Production, most: int = 6) -> dict[str, int]:
    """Why goldens were dropped, most common first, without variable parts."""
    variable = r"(?:(?<= repeats)|(?<= says)|(?<= characters)| =) .*|\d+|[“\"(].*"
    reasons = (re.sub(variable, " …", draft.reason)[:80] for draft in production.dropped)
    return dict(Counter(reasons).most_common(most))


def tools_without_calls(goldens: Iterable[AnyGolden], tools: Iterable[Tool]) -> list[str]:
    """The tools that no golden expects."""
    called = {str(call.tool) for call in chain.from_iterable(map(expectations_of, goldens))}
    return [tool.name for tool in tools if tool.name not in called]
