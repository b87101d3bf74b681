"""`rightcall run`: run a suite."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rightcall.cli.output import console

if TYPE_CHECKING:
    from rightcall.suite.plan import Plan
    from rightcall.suite.runner import RunOutcome


@click.command()
@click.argument("suite", type=click.Path(path_type=Path))
@click.option("--model", "models", multiple=True, help="Another model; several make a comparison.")
@click.option("--trials", type=click.IntRange(1), help="How often each golden is tried.")
@click.option("--only", multiple=True, help="Ids (with * and ?), tags or categories; may be repeated.")
@click.option("--limit", type=click.IntRange(1), help="At most so many goldens.")
@click.option("--concurrency", type=click.IntRange(1), help="The most cases at once.")
@click.option(
    "--faults",
    type=click.Path(path_type=Path),
    help="Break tools as this plan says, beside a twin run without.",
)
@click.option("--resume", metavar="RUN", help="Go on with an unfinished run: its id, a prefix, or 'last'.")
@click.option("--store", "store_url", help="Where results are kept; .rightcall/rightcall.db unless said.")
@click.option("--dry-run", is_flag=True, help="Say what would be sent, and how much of it; send nothing.")
@click.option("--failures", type=click.IntRange(0), default=20, show_default=True, help="How many to show.")
@click.option(
    "--json", "as_json", is_flag=True, help="One JSON object a line for each case, then one for the run."
)
def run(
    suite: Path,
    models: tuple[str, ...],
    trials: int | None,
    only: tuple[str, ...],
    limit: int | None,
    concurrency: int | None,
    faults: Path | None,
    resume: str | None,
    store_url: str | None,
    dry_run: bool,
    failures: int,
    as_json: bool,
) -> None:
    """Run SUITE: ask the agent every golden, score every call, keep every result.

    Ctrl-C stores what finished and says how to go on. Exit codes: 0 passed, 1 did not pass, 3 inconclusive, 4 the
    provider or the store failed.
    """
    from rightcall.suite.plan import gate_warnings, plan_suite
    from rightcall.suite.selection import Selection
    from rightcall.suite.suite import load_suite

    if resume and len(models) > 1:
        raise click.UsageError("--resume goes with one model at a time")
    loaded = load_suite(suite)
    plans = [
        plan_suite(
            loaded,
            suite.parent,
            model=model,
            trials=trials,
            concurrency=concurrency,
            selection=Selection(only, limit),
            faults=str(faults.resolve()) if faults else None,
        )
        for model in (models or (None,))
    ]
    if dry_run:
        for plan in plans:
            _print_estimate(plan, as_json)
        return
    for warning in dict.fromkeys(note for plan in plans for note in gate_warnings(plan)):
        click.echo(f"warning: {warning}", err=True)
    if any(plan.agent.faults for plan in plans):
        raise click.exceptions.Exit(run_broken(plans, store_url, suite, as_json, failures))
    outcomes = [
        execute(
            plan, store_url, resume=resume, as_json=as_json, failures=failures, again=f"rightcall run {suite}"
        )
        for plan in plans
    ]
    if len(outcomes) > 1 and not as_json:
        from rightcall.report.terminal import comparison_table

        rows = [(outcome.run.agent, outcome.run.id, outcome.summary) for outcome in outcomes]
        console().print("\n", comparison_table(rows))
    raise click.exceptions.Exit(max(outcome.verdict.exit_code for outcome in outcomes))


def execute(
    plan: Plan, store_url: str | None, *, resume: str | None, as_json: bool, failures: int, again: str
) -> RunOutcome:
    """Run one plan and show it; on Ctrl-C say how to go on."""
    from rich.markup import escape

    from rightcall.cli.running import Watching, run_to_end
    from rightcall.report.rows import write_outcome
    from rightcall.report.terminal import print_summary

    watching = Watching(keep=failures, as_json=as_json)
    outcome = run_to_end(plan, store_url, resume, watching, again)
    for notice in outcome.notices:
        click.echo(f"warning: {notice}", err=True)
    if as_json:
        write_outcome(outcome.run.id, outcome.verdict.word, outcome.summary, sys.stdout.buffer)
        return outcome
    out = console()
    out.print(f"\n[bold]{plan.name}[/bold] on {plan.agent.name}  [dim]run {outcome.run.id}[/dim]")
    hints = [f"rightcall runs show {outcome.run.id}"]
    if outcome.stopped:
        hints.insert(0, f"{again} --resume {outcome.run.id}")
    print_summary(outcome.summary, watching.failed, console=out)
    color = {"PASS": "green", "FAIL": "red"}.get(outcome.verdict.word, "yellow")
    word, sentence = outcome.verdict.word, outcome.verdict.sentence
    out.print(f"\n[bold {color}]{word}[/bold {color}]", escape(sentence.removeprefix(word).lstrip(": ")))
    if outcome.verdict.hint:
        out.print(f"[dim]{escape(outcome.verdict.hint)}[/dim]")
    out.print("[dim]next:[/dim]\n  " + "\n  ".join(hints), soft_wrap=True)
    return outcome


def run_broken(plans: list[Plan], store_url: str | None, suite: Path, as_json: bool, failures: int) -> int:
    """Each plan twice, without its faults and with them, and what the faults changed; gives the exit code."""
    from dataclasses import replace

    from rightcall.cli.output import print_json
    from rightcall.executor import Session
    from rightcall.report.faults import print_fault_report
    from rightcall.store import open_store
    from rightcall.suite.breaking import fault_report

    worst = 0
    for plan in plans:
        assert plan.agent.faults is not None
        calm = replace(
            plan, agent=replace(plan.agent, faults=None), name=f"{plan.name} (no faults)", gate=None
        )
        again = f"rightcall run {suite}"
        ran = [
            execute(one, store_url, resume=None, as_json=as_json, failures=failures, again=again)
            for one in (calm, plan)
        ]
        with open_store(store_url) as store:
            labels, tools = plan.agent.faults.labels(), Session(plan.agent).tools
            report = fault_report(store, ran[0].run.id, ran[1].run.id, labels, tools)
        if as_json:
            print_json(report)
        else:
            print_fault_report(console(), report)
        worst = max(worst, ran[1].verdict.exit_code, 1 if report.double_effects else 0)
    return worst


def _print_estimate(plan: Plan, as_json: bool) -> None:
    import asyncio

    from rightcall.cli.output import print_json
    from rightcall.suite.estimate import estimate

    found = asyncio.run(estimate(plan))
    if as_json:
        print_json(found)
        return
    out = console()
    cost = "no price is known" if found.cost_usd is None else f"about ${found.cost_usd:.4f}"
    out.print(
        f"[bold]{plan.name}[/bold] on {plan.agent.name}: {found.goldens:,} goldens × {found.trials} trials"
    )
    out.print(f"{found.requests:,} requests{' at least' if plan.agent.mode == 'loop' else ''}, "
              f"about {found.input_tokens:,} input tokens, {cost}")  # fmt: skip
    out.print("[dim]the first request would be:[/dim]")
    out.print_json(data=found.first_request)
    out.print("[dim]nothing was sent[/dim]")
