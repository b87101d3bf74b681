"""`rightcall run`: run a suite."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rightcall.cli.command_options import GroupedCommand, takes_options
from rightcall.cli.completion import completer
from rightcall.cli.output import console, tell
from rightcall.run.options import RunOptions

if TYPE_CHECKING:
    from rightcall.api.suite_run import SuiteRun
    from rightcall.run.backend import WorkerPool
    from rightcall.run.live_run import RunOutcome

INFRASTRUCTURE = 4
REPEATED = (
    "base_url", "metrics", "trials", "only", "limit", "concurrency", "faults", "attacks", "record", "store",
    "on", "workers", "worker_cpus", "worker_gpus", "worker_memory",
)  # fmt: skip
"""Options that affect what runs and where it is stored: they are part of the command that repeats a run."""


@click.command(cls=GroupedCommand)
@click.argument("suite", type=click.Path(path_type=Path), shell_complete=completer("suite"))
@takes_options(RunOptions)
def run(suite: Path, options: RunOptions) -> None:
    """Run every golden of SUITE, score the calls and store the results.

    Ctrl-C keeps finished results and prints the command to resume. Exit codes: 0 passed, 1 did not pass,
    3 inconclusive, 4 the provider or the store failed.
    """
    from rightcall.api.suite_run import SuiteRun

    if (options.resume or options.run_id) and len(options.models) > 1:
        raise click.UsageError("--resume and --id take a single --model")
    if options.resume and options.run_id:
        raise click.UsageError("--id already resumes; remove --resume")
    asked = SuiteRun(suite, options, options.models)
    if options.dry_run:
        from rightcall.cli.run_estimate import print_estimates

        print_estimates(asked, options.as_json)
        return
    from rightcall.core.event_loop import prefer_uvloop

    shared = workers_of(asked, options)
    prefer_uvloop()
    plans = asked.plans()
    if len(plans) > 1:
        from rightcall.core.event_loop import run_blocking
        from rightcall.run.preparation import preflight_all

        run_blocking(preflight_all(plans))  # what is wrong with any model, before the first is asked
    agains = _commands_again(suite, options, click.get_current_context())
    if shared is not None and (options.perturb or any(plan.agent.faults for plan in plans)):
        raise click.UsageError("--workers cannot be combined with --perturb or --faults")
    if options.perturb:
        from rightcall.cli.run_robustness import run_perturbations

        run_perturbations(plans, suite.with_suffix(".paraphrases.jsonl"), options)
        return
    from rightcall.cli.run_execution import Execution

    how = Execution(options, shared)
    if any(plan.agent.faults for plan in plans):
        from rightcall.cli.run_robustness import run_broken

        raise click.exceptions.Exit(run_broken(plans, agains, how, options.resume))
    with shared or nullcontext():
        outcomes = [
            how.run(plan, again, resume=options.resume, run_id=options.run_id)
            for plan, again in zip(plans, agains, strict=True)
        ]
    if options.save_baseline is not None:
        from rightcall.api.suite_run import add_to_baseline

        add_to_baseline(options.save_baseline, outcomes[-1].run.id, options.store)
        tell(f"{options.save_baseline}: baseline saved", err=True)
    if len(outcomes) > 1 and not options.as_json:
        _print_models(outcomes)
    code = max(outcome.verdict.exit_code for outcome in outcomes)
    raise click.exceptions.Exit(0 if options.exit_on == "infra" and code < INFRASTRUCTURE else code)


def workers_of(asked: SuiteRun, options: RunOptions) -> WorkerPool | None:
    """The workers of a run: as the command line says, then as the suite does; None without any."""
    typed = {
        "count": options.workers,
        "cpus": options.worker_cpus,
        "gpus": options.worker_gpus,
        "memory": options.worker_memory,
    }
    typed = {name: value for name, value in typed.items() if value is not None}
    config, on = asked.workers(), options.on
    if on is None and not typed and config is None:
        return None
    import msgspec

    from rightcall.cli.driver_process import SUPERVISION
    from rightcall.core.seam import load
    from rightcall.run.suite import WorkersConfig, load_suite

    SUPERVISION.start()  # before the agent's code is loaded, which may start threads
    folder = asked.file.parent
    settings = msgspec.structs.replace(config or WorkersConfig(), **typed)
    dataset = folder / load_suite(asked.file).dataset
    pool: WorkerPool = load("services", "workers")(settings, on or "ray", folder=folder, dataset=dataset)
    return pool


def _commands_again(suite: Path, options: RunOptions, context: click.Context) -> list[str]:
    """For each model the command that repeats its run."""
    flags = {option.name: option.opts[0] for option in context.command.params}
    typed = {flags[name]: getattr(options, name) for name in REPEATED}
    more = " --include-unreviewed" if options.include_unreviewed else ""
    return [command_line(suite, {"--model": model, **typed}) + more for model in (options.models or (None,))]


def command_line(suite: Path, options: Mapping[str, object]) -> str:
    """The command to repeat this run: every option that affects what runs and where it is stored.

    A password in a store URL is left out.
    """
    import shlex

    from rightcall.store.address import store_address

    words = ["rightcall", "run", str(suite)]
    for name, value in options.items():
        for word in value if isinstance(value, tuple) else (value,):
            if word is not None:
                words += [name, store_address(str(word)).typed if name == "--store" else str(word)]
    return shlex.join(words)


def _print_models(outcomes: list[RunOutcome]) -> None:
    """The runs of several models in one table."""
    from rightcall.show.terminal import print_model_table

    out = console()
    out.print()
    rows = [(outcome.run.agent, outcome.run.id, outcome.summary) for outcome in outcomes]
    print_model_table(out, rows)
