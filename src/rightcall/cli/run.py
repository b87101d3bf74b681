"""`rightcall run`: run a suite."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rightcall.cli.options import (
    FiniteRange,
    base_url_option,
    concurrency_option,
    failures_option,
    metric_option,
    store_option,
    trials_option,
    trust_option,
)
from rightcall.cli.output import console, tell

if TYPE_CHECKING:
    from rightcall.api.suite_run import SuiteRun
    from rightcall.cli.run_progress import LiveMode
    from rightcall.recording.settings import RecordMode
    from rightcall.run.backend import WorkerPool
    from rightcall.run.live_run import RunOutcome
    from rightcall.run.plan import Plan

INFRASTRUCTURE = 4
REPEATED = (
    "base_url", "metrics", "trials", "only", "limit", "concurrency", "faults", "record", "store_url",
    "on", "workers", "worker_cpus", "worker_gpus", "worker_memory",
)  # fmt: skip
"""Options that affect what runs and where it is stored: they are part of the command that repeats a run."""


@click.command()
@click.argument("suite", type=click.Path(path_type=Path))
@click.option(
    "--model",
    "models",
    multiple=True,
    help="Model to use: provider:model or a name of models (repeatable) [default: the suite's model]",
)
@base_url_option
@metric_option
@trials_option()
@click.option(
    "--only",
    multiple=True,
    help="Only this id (wildcards * and ?), tag or category (repeatable)",
)
@click.option("--limit", type=click.IntRange(1), help="Maximum number of goldens")
@concurrency_option
@click.option(
    "--faults",
    type=click.Path(path_type=Path),
    help="Inject these faults; also run a fault-free control",
)
@click.option(
    "--perturb",
    multiple=True,
    metavar="KIND[,KIND]",
    help="Measure the effect of harmless changes: order, names, parameters, distractors[=N], paraphrase, typos, "
    "drop[=TOOL], drop_other, bare[=TOOL], examples, system (repeatable)",
)
@click.option(
    "--paraphrase-model",
    metavar="MODEL",
    help="Model that writes paraphrases for --perturb paraphrase, kept in SUITE.paraphrases.jsonl"
    " [default: default_generator of models]",
)
@click.option("--resume", metavar="RUN", help="Resume an unfinished run: an id, a prefix or `last`")
@store_option
@click.option(
    "--dry-run",
    is_flag=True,
    help="Estimate requests, tokens and cost without sending anything",
)
@click.option(
    "--record",
    type=click.Choice(["none", "auto", "refresh", "replay"]),
    help="Record and replay model answers: auto asks the model only for what is not recorded, replay never asks it",
)
@click.option(
    "--save-baseline",
    type=click.Path(path_type=Path),
    help="Add the run to this baseline file; runs with equal inputs are pooled",
)
@click.option(
    "--id",
    "run_id",
    metavar="ID",
    help="Run id: start the run, resume it, or show it if it is finished",
)
@click.option("--workers", type=click.IntRange(1, 10_000), help="Worker processes, on Ray")
@click.option(
    "--on",
    metavar="ray[:ADDRESS]",
    help="Where workers run: ray (started here), ray:auto (this machine's cluster) or ray:HOST:PORT",
)
@click.option("--worker-cpus", type=FiniteRange(0), help="CPUs per worker [default: 1]")
@click.option("--worker-gpus", type=FiniteRange(0), help="GPUs per worker [default: 0]")
@click.option("--worker-memory", metavar="SIZE", help="Memory per worker, such as 2GiB")
@click.option(
    "--exit-on",
    type=click.Choice(["verdict", "infra"]),
    default="verdict",
    show_default=True,
    help="What decides the exit code; with infra, a finished run exits with 0 whatever its verdict",
)
@click.option("--include-unreviewed", is_flag=True, help="Also run unreviewed goldens made from traces")
@trust_option
@failures_option
@click.option("--live", type=click.Choice(["auto", "plain", "off"]), default="auto", show_default=True,
              help="Progress on stderr: a bar or occasional lines, one line per finished case, or none")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Output JSON: one line per case, then one for the run")
def run(
    suite: Path,
    models: tuple[str, ...],
    base_url: str | None,
    metrics: tuple[str, ...],
    trials: int | None,
    only: tuple[str, ...],
    limit: int | None,
    concurrency: int | None,
    faults: Path | None,
    perturb: tuple[str, ...],
    paraphrase_model: str | None,
    resume: str | None,
    store_url: str | None,
    dry_run: bool,
    trust: bool,
    record: RecordMode | None,
    save_baseline: Path | None,
    include_unreviewed: bool,
    run_id: str | None,
    workers: int | None,
    on: str | None,
    worker_cpus: float | None,
    worker_gpus: float | None,
    worker_memory: str | None,
    exit_on: str,
    failures: int,
    live: LiveMode,
    as_json: bool,
) -> None:
    """Run every golden of SUITE, score the calls and store the results.

    Ctrl-C keeps finished results and prints the command to resume. Exit codes: 0 passed, 1 did not pass,
    3 inconclusive, 4 the provider or the store failed.
    """
    from rightcall.api.suite_run import SuiteRun

    if (resume or run_id) and len(models) > 1:
        raise click.UsageError("--resume and --id take a single --model")
    if resume and run_id:
        raise click.UsageError("--id already resumes; remove --resume")
    asked = SuiteRun(
        suite,
        models,
        metrics,
        base_url=base_url,
        trials=trials,
        only=only,
        limit=limit,
        concurrency=concurrency,
        faults=faults,
        record=record,
        include_unreviewed=include_unreviewed,
        trust=trust,
    )
    if dry_run:
        from rightcall.cli.run_estimate import print_estimates

        print_estimates(asked, as_json)
        return
    from rightcall.core.event_loop import prefer_uvloop

    of_workers = {"count": workers, "cpus": worker_cpus, "gpus": worker_gpus, "memory": worker_memory}
    shared = workers_of(asked, on, {name: n for name, n in of_workers.items() if n is not None})
    prefer_uvloop()
    plans = asked.plans()
    if len(plans) > 1:
        _check_all(plans)
    agains = _commands_again(suite, models, click.get_current_context())
    if shared is not None and (perturb or any(plan.agent.faults for plan in plans)):
        raise click.UsageError("--workers cannot be combined with --perturb or --faults")
    if perturb:
        from rightcall.cli.run_robustness import run_perturbations

        texts = suite.with_suffix(".paraphrases.jsonl")
        run_perturbations(plans, perturb, store_url, as_json, texts, (paraphrase_model, base_url))
        return
    from rightcall.cli.run_execution import Execution

    how = Execution(store_url, as_json, failures, live, shared)
    if any(plan.agent.faults for plan in plans):
        from rightcall.cli.run_robustness import run_broken

        raise click.exceptions.Exit(run_broken(plans, agains, how, resume))
    with shared or nullcontext():
        outcomes = [
            how.run(plan, again, resume=resume, run_id=run_id)
            for plan, again in zip(plans, agains, strict=True)
        ]
    if save_baseline is not None:
        _save_baseline(save_baseline, outcomes[-1], store_url)
    if len(outcomes) > 1 and not as_json:
        _print_models(outcomes)
    code = max(outcome.verdict.exit_code for outcome in outcomes)
    raise click.exceptions.Exit(0 if exit_on == "infra" and code < INFRASTRUCTURE else code)


def workers_of(asked: SuiteRun, on: str | None, given: Mapping[str, Any]) -> WorkerPool | None:
    """The workers of a run: as the command line says, then as the suite does; None without any."""
    config = asked.workers()
    if on is None and not given and config is None:
        return None
    import msgspec

    from rightcall.cli.driver_process import SUPERVISION
    from rightcall.core.seam import load
    from rightcall.run.suite import WorkersConfig, load_suite

    SUPERVISION.start()  # before the agent's code is loaded, which may start threads
    folder = asked.file.parent
    settings = msgspec.structs.replace(config or WorkersConfig(), **given)
    dataset = folder / load_suite(asked.file).dataset
    pool: WorkerPool = load("services", "workers")(settings, on or "ray", folder=folder, dataset=dataset)
    return pool


def _check_all(plans: list[Plan]) -> None:
    """Find what is wrong with any model before the first is asked."""
    from rightcall.core.event_loop import finished
    from rightcall.run.preparation import preflight_all

    finished(preflight_all(plans))


def _commands_again(suite: Path, models: tuple[str, ...], context: click.Context) -> list[str]:
    """For each model the command that repeats its run."""
    names = {option.name: option.opts[0] for option in context.command.params}
    typed = {names[name]: context.params[name] for name in REPEATED}
    flags = " --include-unreviewed" if context.params["include_unreviewed"] else ""
    return [command_line(suite, {"--model": model, **typed}) + flags for model in (models or (None,))]


def command_line(suite: Path, options: Mapping[str, object]) -> str:
    """The command to repeat this run: every option that affects what runs and where it is stored.

    A password in a store URL is left out.
    """
    import shlex

    from rightcall.store.address import store_address

    words = ["rightcall", "run", str(suite)]
    for name, value in options.items():
        for each in value if isinstance(value, tuple) else (value,):
            if each is not None:
                words += [name, store_address(str(each)).typed if name == "--store" else str(each)]
    return shlex.join(words)


def _save_baseline(path: Path, outcome: RunOutcome, store_url: str | None) -> None:
    from rightcall.api.suite_run import add_to_baseline

    add_to_baseline(path, outcome.run.id, store_url)
    tell(f"{path}: baseline saved", err=True)


def _print_models(outcomes: list[RunOutcome]) -> None:
    """The runs of several models in one table."""
    from rightcall.show.terminal import print_model_table

    out = console()
    out.print()
    rows = [(outcome.run.agent, outcome.run.id, outcome.summary) for outcome in outcomes]
    print_model_table(out, rows)
