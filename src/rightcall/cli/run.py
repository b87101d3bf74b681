"""`rightcall run`: run a suite."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rightcall.api.suite_run import SuiteRun
from rightcall.cli.command_options import GroupedCommand, takes_options
from rightcall.cli.driver_process import SUPERVISION
from rightcall.cli.interrupt import run_interruptible
from rightcall.cli.output import console, print_json, tell
from rightcall.core.event_loop import run_blocking
from rightcall.core.seam import load
from rightcall.core.text import pluralize
from rightcall.run.cost_estimate import CostEstimate
from rightcall.run.options import RunOptions
from rightcall.run.plan import Plan
from rightcall.store.address import open_store, store_address

if TYPE_CHECKING:
    from rightcall.cli.run_execution import Execution
    from rightcall.providers.endpoint import ModelEndpoint
    from rightcall.run.backend import WorkerPool
    from rightcall.run.live_run import RunOutcome
    from rightcall.run.suite import Suite


INFRASTRUCTURE = 4
REPEATED = (
    "observe", "metrics", "trials", "only", "limit", "concurrency", "faults", "attacks", "record", "store",
)  # fmt: skip
"""Options that affect what runs and where it is stored: they are part of the command that repeats a run."""


@click.command(cls=GroupedCommand)
@click.argument("suite", metavar="SUITE|GOLDENS", type=click.Path(path_type=Path))
@takes_options(RunOptions)
def run(suite: Path, options: RunOptions) -> None:
    """Run every golden of SUITE, or GOLDENS against any `--agent`; score the calls and store the results.

    Ctrl-C keeps finished results and prints the command to resume. Exit codes: 0 passed, 1 did not pass,
    3 inconclusive, 4 the provider or the store failed.
    """
    if options.resume and len(options.models) > 1:
        raise click.UsageError("--resume takes a single --model")
    asked = SuiteRun(suite, options, options.models, options.observe)
    if options.dry_run:
        print_estimates(asked, options.as_json)
        return
    from rightcall.core.event_loop import prefer_uvloop

    shared = workers_of(asked)
    prefer_uvloop()
    plans = asked.plans()
    if len(plans) > 1 or options.perturb:
        from rightcall.run.preparation import preflight_all

        run_blocking(preflight_all(plans))  # what is wrong with any model, before the first is asked
    if options.save_baseline is not None:
        from rightcall.run.baseline_file import refuse_other_suite

        refuse_other_suite(options.save_baseline, plans[-1].name)
    agains = _commands_again(suite, options, click.get_current_context())
    if shared is not None and (options.perturb or any(plan.agent.faults for plan in plans)):
        raise click.UsageError("a suite with workers cannot be run with --perturb or --faults")
    if options.perturb:
        run_perturbations(plans, suite.with_suffix(".paraphrases.jsonl"), options)
        return
    from rightcall.cli.run_execution import Execution

    how = Execution(options, shared)
    if any(plan.agent.faults for plan in plans):
        raise click.exceptions.Exit(run_broken(plans, agains, how, options.resume))
    with shared or nullcontext():
        outcomes = [
            how.run(plan, again, resume=options.resume) for plan, again in zip(plans, agains, strict=True)
        ]
    if options.save_baseline is not None:
        _save_baseline(options.save_baseline, outcomes[-1].run.id, asked.suite, options.store)
    if len(outcomes) > 1 and not options.as_json:
        _print_models(outcomes)
    code = max(outcome.verdict.exit_code for outcome in outcomes)
    raise click.exceptions.Exit(0 if options.exit_on == "infra" and code < INFRASTRUCTURE else code)


def workers_of(asked: SuiteRun) -> WorkerPool | None:
    """The workers of a run, as the suite says; None without any."""
    config = asked.suite.block("workers")
    if config is None:
        return None
    SUPERVISION.start()  # before the agent's code is loaded, which may start threads
    folder = asked.file.parent
    pool: WorkerPool = load("services", "workers")(
        config, folder=folder, dataset=folder / asked.suite.dataset
    )
    return pool


def _save_baseline(path: Path, run: str, suite: Suite, store: str | Path | None) -> None:
    from rightcall.api.suite_run import add_to_baseline

    add_to_baseline(path, run, store, suite=suite)
    tell(f"{path}: baseline saved", err=True)


def _commands_again(suite: Path, options: RunOptions, context: click.Context) -> list[str]:
    """For each model the command that repeats its run."""
    flags = {option.name: option.opts[0] for option in context.command.params}
    typed = {flags[name]: getattr(options, name) or None for name in REPEATED}
    return [command_line(suite, {"--agent": model, **typed}) for model in (options.models or (None,))]


def command_line(suite: Path, options: Mapping[str, object]) -> str:
    """The command to repeat this run: every option that affects what runs and where it is stored.

    A password in a store URL is left out.
    """
    words = ["rightcall", "run", str(suite)]
    for name, value in options.items():
        for word in value if isinstance(value, tuple) else (value,):
            if word is not None:
                words += [name, store_address(str(word)).typed if name == "--store" else str(word)]
    return shlex.join(words)


def _print_models(outcomes: list[RunOutcome]) -> None:
    from rightcall.show.terminal import print_model_table

    out = console()
    out.print()
    rows = [(outcome.run.agent, outcome.run.id, outcome.summary) for outcome in outcomes]
    print_model_table(out, rows)


def print_estimates(asked: SuiteRun, as_json: bool) -> None:
    """Print what each model of a suite would be asked and cost."""
    for plan, estimate in run_blocking(asked.estimates()):
        if as_json:
            print_json(estimate)
        else:
            _print_estimate(plan, estimate)


def _print_estimate(plan: Plan, estimate: CostEstimate) -> None:
    out = console()
    cost = "unknown price" if estimate.cost_usd is None else f"about ${estimate.cost_usd:.4f}"
    counts = f"{pluralize(estimate.goldens, 'golden')} × {pluralize(estimate.trials, 'trial')}"
    out.say("[bold]{}[/bold] on {}, {}", plan.name, plan.agent.name, counts)
    if estimate.conversations:
        users = f", {estimate.user_requests:,} requests to simulated users" if estimate.user_requests else ""
        out.print(f"{estimate.conversations:,} conversations of up to {estimate.turns:,} turns in all{users}")
    more = " or more" if plan.agent.mode == "loop" else ""
    if estimate.conversations:
        more = " (one per turn, another after each call)"
    out.print(f"{estimate.requests:,} requests{more}, about {estimate.input_tokens:,} input tokens, {cost}")
    for role in estimate.hosts:
        out.say("[dim]asks[/dim] {}", role.words)
    out.say("[dim]first request:[/dim]")
    print_json(estimate.first_request)
    out.say("[dim]nothing was sent or started[/dim]")


def run_perturbations(plans: list[Plan], texts: Path, options: RunOptions) -> None:
    """Run each plan clean and perturbed, and show what the perturbations did; `texts` is a file of paraphrases.

    The exit code is that of the worst comparison.
    """
    from rightcall.improve.robustness import run_perturbed
    from rightcall.show.comparison import print_comparison

    kinds = [kind.strip() for listed in options.perturb for kind in listed.split(",") if kind.strip()]
    worst = 0
    for plan in plans:
        paraphrases = {}
        if "paraphrase" in kinds:
            paraphrases = paraphrases_of(plan, texts, plan.models.default("generator"))
        with open_store(options.store) as store:
            work = run_perturbed(
                plan, store, kinds, paraphrases=paraphrases, announce=lambda line: tell(line, err=True)
            )
            comparisons = run_interruptible(work)
        if options.as_json:
            print_json({"agent": plan.agent.name, "perturbations": comparisons})
        else:
            tell(plan.agent.name)
            for kind, compared in comparisons.items():
                tell(f"\n{kind}, against the clean run")
                print_comparison(console(), compared)
        worst = max([worst, *(compared.comparison.exit_code for compared in comparisons.values())])
    raise click.exceptions.Exit(worst)


def paraphrases_of(plan: Plan, path: Path, model: ModelEndpoint | None) -> dict[str, tuple[str, ...]]:
    """Paraphrases from the file next to the suite; with a model, also of the goldens that have none there."""
    from rightcall.improve.paraphrases import paraphrase_goldens, read_paraphrases, write_paraphrases
    from rightcall.records.golden import Golden

    goldens = [golden for golden in plan.goldens() if isinstance(golden, Golden)]
    written = read_paraphrases(path, goldens)
    if model is None:
        return written
    paraphrases = run_interruptible(paraphrase_goldens(model, goldens, written, seed=plan.seed))
    write_paraphrases(path, goldens, paraphrases)
    count = sum(len(texts) for texts in paraphrases.values())
    lost = sum(not texts for texts in paraphrases.values())
    none = f"; {lost} goldens have none that keeps every value" if lost else ""
    tell(f"{path}: {count:,} paraphrases{none}", err=True)
    return paraphrases


def run_broken(plans: list[Plan], agains: list[str], how: Execution, resume: str | None = None) -> int:
    """Run each plan without and with its faults, print what the faults changed, and return the exit code.

    `resume` names either of the two runs.
    """
    from rightcall.api.suite_run import run_with_control
    from rightcall.show.improvement import print_fault_report

    worst = 0
    for plan, again in zip(plans, agains, strict=True):

        def run_one(plan: Plan, resume: str | None, again: str = again) -> RunOutcome:
            return how.run(plan, again, resume=resume)

        broken, report = run_with_control(plan, run_one, how.options.store, resume)
        resume = None
        if how.options.as_json:
            print_json(report)
        else:
            print_fault_report(console(), report)
        worst = max(worst, broken.verdict.exit_code, 1 if report.double_effects else 0)
    return worst
