"""`rightcall generate`: goldens and conversations from tools, documents, goldens or a description; review of drafts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rightcall.cli.command_options import FiniteRange
from rightcall.cli.options import base_url_option, json_option
from rightcall.cli.output import tell
from rightcall.wings.generate.commands.proposals import expected
from rightcall.wings.generate.commands.review import finalize, review
from rightcall.wings.generate.commands.summary import estimate_words, show_estimate, show_production

if TYPE_CHECKING:
    from rightcall.wings.generate.production import Production
    from rightcall.wings.generate.synthesizer import Synthesizer

PROGRESS = ".rightcall/generate.db"
"""Where unfinished work is kept: a store like that of runs, but not among them, so that `last` stays a run."""


SOURCES = (
    click.option(
        "--from",
        "sources",
        multiple=True,
        metavar="SOURCE",
        help="Documents (txt, md, html, pdf, docx), a folder of them, a file of goldens, or "
        "`scratch` (repeatable) [default: the tools]",
    ),
    click.option(
        "--tools",
        metavar="SOURCE",
        help="Tools of the agent: a file, module:attribute or mcp:COMMAND",
    ),
    click.option(
        "--n",
        "count",
        type=click.IntRange(1, 100_000),
        help="Number of goldens from tools or from scratch [default: 20]",
    ),
    click.option(
        "--per",
        type=click.IntRange(1, 100),
        default=2,
        show_default=True,
        help="Goldens per context or per golden",
    ),
    click.option(
        "--language",
        default="en",
        show_default=True,
        help="Language: en, vi or zh; with a model, any language",
    ),
)
"""What goldens are made of, and how many."""

MODELS = (
    click.option(
        "--model",
        help="Model that writes requests: provider:model or a name of models; without one, templates write them from"
        " tools, and default_generator of models all else",
    ),
    base_url_option,
    click.option("--solver", help="Model that verifies goldens [default: the model that writes]"),
    click.option("--seed", type=int, default=0, show_default=True, help="Random seed"),
    click.option(
        "--samples",
        type=click.IntRange(1, 99),
        default=3,
        show_default=True,
        help="Solvers per golden",
    ),
    click.option(
        "--agree",
        type=click.IntRange(1, 99),
        default=2,
        show_default=True,
        help="Solvers that must recover the expected calls",
    ),
    click.option(
        "--evolve",
        type=click.IntRange(0, 10),
        default=0,
        show_default=True,
        help="Evolutions per golden",
    ),
    click.option(
        "--quality",
        type=FiniteRange(0, 1),
        default=0.5,
        show_default=True,
        help="Minimum quality of inputs from documents, goldens or scratch",
    ),
    click.option("--scenario", help="Who asks and why; for --from scratch"),
    click.option("--task", help="What the agent does; for --from scratch"),
    click.option("--style", help="Style of the requests"),
)
"""Who writes and verifies them, and how good they must be."""

WORK = (
    click.option(
        "--concurrency",
        type=click.IntRange(1, 1_000),
        default=16,
        show_default=True,
        help="Maximum concurrent jobs",
    ),
    click.option(
        "--max-cost",
        type=FiniteRange(0, min_open=True),
        help="Stop when this many US dollars are spent",
    ),
    click.option("--max-tokens", type=click.IntRange(1), help="Stop when this many tokens are used"),
    click.option("--resume", metavar="ID", help="Resume an unfinished generation: an id or `last`"),
    click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        help="Output file [default: generated.jsonl]",
    ),
    click.option("--force", is_flag=True, help="Overwrite an existing file"),
    click.option("--draft", metavar="ALIAS", help="Add to the draft of a dataset in the store instead"),
    click.option("--store", help="Store of datasets [default: .rightcall/rightcall.db]"),
    click.option(
        "--dry-run", is_flag=True, help="Show the requests and an estimate of their cost; send nothing"
    ),
    json_option,
)
"""How the work is done, and where it is kept."""


def _options(command: Callable[..., None]) -> Callable[..., None]:
    for option in reversed((*SOURCES, *MODELS, *WORK)):
        command = option(command)
    return command


@click.group()
def generate() -> None:
    """Generate goldens and conversations as drafts, and review them."""


@generate.command()
@_options
def goldens(**typed: Any) -> None:
    """Generate single-turn goldens.

    From tools, each golden is planned first: calls with valid arguments, then a request that implies exactly those,
    then checks that try to refute it. Goldens that fail a check are dropped, with the reason.
    Without --model, templates write requests.
    """
    _generate(typed, conversations=False, turns=0)


@generate.command()
@_options
@click.option(
    "--turns",
    type=click.IntRange(1, 20),
    default=3,
    show_default=True,
    help="User turns of conversations from tools",
)
def conversations(turns: int, **typed: Any) -> None:
    """Generate conversational goldens: scripted user turns from tools, scenarios from everything else."""
    _generate(typed, conversations=True, turns=turns)


def _generate(typed: dict[str, Any], *, conversations: bool, turns: int) -> None:
    from rightcall.wings.generate.commands.sources import synthesizer_of, work_of
    from rightcall.wings.generate.estimate import estimate_generation

    target = _target(typed)
    maker = synthesizer_of(typed, conversations=conversations)
    count, characters, start = work_of(maker, typed, conversations=conversations, turns=turns)
    estimate = estimate_generation(maker, count, context_characters=characters)
    if typed["dry_run"]:
        show_estimate(estimate, typed)
        return
    if maker.model is not None and not typed["as_json"]:
        tell(estimate_words(estimate), err=True)
    production = _run(maker, start, count, typed)
    kept = _keep(production, target, typed)
    show_production(production, maker, kept, typed)
    raise click.exceptions.Exit(_exit_code(production))


def _run(
    maker: Synthesizer, start: Callable[[Synthesizer], Any], count: int, typed: dict[str, Any]
) -> Production:
    from contextlib import ExitStack
    from dataclasses import replace

    from rightcall.cli.interrupt import run_interruptible
    from rightcall.core.errors import InfrastructureError
    from rightcall.show.progress import ProgressState, RunProgress
    from rightcall.store.address import open_store
    from rightcall.wings.generate.production import SynthesisProgress

    run_id = [""]
    with ExitStack() as stack:
        # Work without a model is too quick to be worth storing.
        store = None
        if maker.model is not None or maker.solver is not None:
            store = stack.enter_context(open_store(PROGRESS))
        bar = stack.enter_context(RunProgress(count, quiet=typed["as_json"] or store is None, word="kept"))

        def watch(progress: SynthesisProgress) -> None:
            run_id[0] = progress.run_id
            state = ProgressState(
                progress.done,
                progress.kept,
                progress.errors,
                progress.usage,
                progress.retries,
                progress.at_once,
            )
            bar.update(state, new=1)

        try:
            production: Production = run_interruptible(
                start(replace(maker, store=store, resume=typed["resume"], watch=watch))
            )
        except (KeyboardInterrupt, InfrastructureError):
            if run_id[0]:
                tell(
                    f"finished goldens are stored; continue with the same command and --resume {run_id[0]}",
                    err=True,
                )
            raise
    return production


def _target(typed: dict[str, Any]) -> Path | None:
    """The file to write, or None for the draft of a dataset; checked before anything is spent."""
    from rightcall.core.errors import InputError

    if typed["draft"]:
        if typed["output"]:
            raise click.UsageError("--output and --draft cannot be combined")
        return None
    path: Path = typed["output"] or Path("generated.jsonl")
    if path.exists() and not typed["force"] and not typed["dry_run"]:
        raise InputError(str(path), "exists already", "name another file with -o, or replace it with --force")
    return path


def _keep(production: Production, target: Path | None, typed: dict[str, Any]) -> str:
    """Write what was kept, and say where it is."""
    from rightcall.datasets.goldens import save_goldens

    if not production.goldens:
        return ""
    if target is not None:
        save_goldens(production.goldens, target)
        return str(target)
    from rightcall.cli.drafts import add_to_draft
    from rightcall.store.address import open_store

    with open_store(typed["store"]) as store:
        version = add_to_draft(store, typed["draft"], production.goldens)
    return f"draft {version.version} of {version.alias}"


def _exit_code(production: Production) -> int:
    if production.errors:
        return 4
    return 3 if production.stopped or not production.goldens else 0


generate.add_command(expected)
generate.add_command(review)
generate.add_command(finalize)
