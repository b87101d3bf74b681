"""`rightcall run`: run a suite."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rightcall.cli.output import console, print_json, print_next, tell

if TYPE_CHECKING:
    from rightcall.suite import Plan, RunOutcome

WORTH_A_WARNING_MS = 50
"""How much of a latency must have been this machine's own to deserve a word."""


@click.command()
@click.argument("suite", type=click.Path(path_type=Path))
@click.option("--model", "models", multiple=True, help="Another model; several make a comparison.")
@click.option("--trials", type=click.IntRange(1, 100_000), help="How often each golden is tried.")
@click.option("--only", multiple=True, help="Ids (with * and ?), tags or categories; may be repeated.")
@click.option("--limit", type=click.IntRange(1), help="At most so many goldens.")
@click.option("--concurrency", type=click.IntRange(1, 10_000), help="The most cases at once.")
@click.option(
    "--faults",
    type=click.Path(path_type=Path),
    help="Break tools as this plan says, beside a twin run without.",
)
@click.option("--resume", metavar="RUN", help="Go on with an unfinished run: its id, a prefix, or 'last'.")
@click.option("--store", "store_url", help="Where results are kept; .rightcall/rightcall.db unless said.")
@click.option("--dry-run", is_flag=True, help="Say what would be sent, and how much of it; send nothing.")
@click.option(
    "--trust", is_flag=True, help="Let a suite from outside this project start and import what it names."
)
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
    trust: bool,
    failures: int,
    as_json: bool,
) -> None:
    """Run SUITE: ask the agent every golden, score every call, keep every result.

    Ctrl-C stores what finished and says how to go on. Exit codes: 0 passed, 1 did not pass, 3 inconclusive, 4 the
    provider or the store failed.
    """
    from rightcall.suite import (
        Selection,
        actions,
        gate_warnings,
        load_suite,
        mode_warnings,
        plan_suite,
        require_trust,
    )

    if resume and len(models) > 1:
        raise click.UsageError("--resume goes with one model at a time")
    loaded = load_suite(suite)
    if not dry_run:
        for model in models or (None,):
            require_trust(loaded, suite, model=model, trust=trust)
    plans = [
        plan_suite(
            loaded,
            suite.parent,
            model=model,
            trials=trials,
            concurrency=concurrency,
            selection=Selection(only, limit),
            faults=str(faults.resolve()) if faults else None,
            start_nothing=dry_run,
        )
        for model in (models or (None,))
    ]
    if dry_run:
        for plan, model in zip(plans, models or (None,), strict=True):
            _print_estimate(plan, [action.words for action in actions(loaded, suite.parent, model)], as_json)
        return
    notes = [
        note for plan in plans for note in (*gate_warnings(plan), *mode_warnings(plan.agent, plan.goldens()))
    ]
    for warning in dict.fromkeys(notes):
        tell(f"warning: {warning}", err=True)
    typed: dict[str, object] = {
        "--trials": trials,
        "--only": only,
        "--limit": limit,
        "--concurrency": concurrency,
    }
    typed |= {"--faults": faults, "--store": store_url}
    agains = [command_line(suite, {"--model": model, **typed}) for model in (models or (None,))]
    if any(plan.agent.faults for plan in plans):
        raise click.exceptions.Exit(run_broken(plans, store_url, agains, as_json, failures, resume))
    outcomes = [
        execute(plan, store_url, resume=resume, as_json=as_json, failures=failures, again=again)
        for plan, again in zip(plans, agains, strict=True)
    ]
    if len(outcomes) > 1 and not as_json:
        from rightcall.report import comparison_table

        rows = [(outcome.run.agent, outcome.run.id, outcome.summary) for outcome in outcomes]
        console().print("\n", comparison_table(rows))
    raise click.exceptions.Exit(max(outcome.verdict.exit_code for outcome in outcomes))


def command_line(suite: Path, options: Mapping[str, object]) -> str:
    """The command that was typed, to be typed again: everything that decides what is run and where it is kept.

    A password in the address of a store is left out.
    """
    import shlex

    from rightcall.store import store_address

    words = ["rightcall", "run", str(suite)]
    for name, value in options.items():
        for each in value if isinstance(value, tuple) else (value,):
            if each is not None:
                words += [name, store_address(str(each)).typed if name == "--store" else str(each)]
    return shlex.join(words)


def execute(
    plan: Plan, store_url: str | None, *, resume: str | None, as_json: bool, failures: int, again: str
) -> RunOutcome:
    """Run one plan and show it; on Ctrl-C say how to go on."""
    import shlex

    from rightcall.cli.run_progress import Watching, run_to_end
    from rightcall.report import print_summary, write_outcome
    from rightcall.store import store_address

    watching = Watching(keep=failures, as_json=as_json)
    outcome = run_to_end(plan, store_url, resume, watching, again)
    if outcome.lag_ms >= WORTH_A_WARNING_MS:
        tell(
            f"warning: this machine was busy: up to {outcome.lag_ms:,.0f} ms of a latency are its own, and budgets "
            "within that are not judged; lower --concurrency for exact latencies",
            err=True,
        )
    if as_json:
        write_outcome(outcome.run.id, outcome.verdict.word, outcome.summary, sys.stdout.buffer)
        return outcome
    out = console()
    out.say("\n[bold]{}[/bold] on {}  [dim]run {}[/dim]", plan.name, plan.agent.name, outcome.run.id)
    where = f" --store {shlex.quote(store_address(store_url).typed)}" if store_url else ""
    hints = [f"rightcall runs show {outcome.run.id}{where}"]
    if outcome.stopped:
        hints.insert(0, f"{again} --resume {outcome.run.id}")
    print_summary(outcome.summary, watching.failed, console=out)
    color = {"PASS": "green", "FAIL": "red"}.get(outcome.verdict.word, "yellow")
    word, sentence = outcome.verdict.word, outcome.verdict.sentence
    out.say(f"\n[bold {color}]{{}}[/bold {color}] {{}}", word, sentence.removeprefix(word).lstrip(": "))
    if outcome.verdict.hint:
        out.say("[dim]{}[/dim]", outcome.verdict.hint)
    print_next(*hints)
    return outcome


def run_broken(
    plans: list[Plan],
    store_url: str | None,
    agains: list[str],
    as_json: bool,
    failures: int,
    resume: str | None = None,
) -> int:
    """Each plan twice, without its faults and with them, and what the faults changed; gives the exit code.

    `resume` is either of the two runs; when it is the one with faults, the other was finished before.
    """
    from dataclasses import replace

    from rightcall.analysis import fault_report
    from rightcall.executor import Session
    from rightcall.report import print_fault_report
    from rightcall.store import open_store

    worst = 0
    for plan, again in zip(plans, agains, strict=True):
        assert plan.agent.faults is not None
        calm = replace(
            plan, agent=replace(plan.agent, faults=None), name=f"{plan.name} (no faults)", gate=None
        )
        shown: dict[str, Any] = {"as_json": as_json, "failures": failures, "again": again}
        twin = calm_twin(store_url, resume, calm.name) if resume else None
        if twin is None:
            twin = execute(calm, store_url, resume=resume, **shown).run.id
            resume = None
        broken = execute(plan, store_url, resume=resume, **shown)
        with open_store(store_url) as store:
            labels, tools = plan.agent.faults.labels(), Session(plan.agent).tools
            report = fault_report(store, twin, broken.run.id, labels, tools)
        if as_json:
            print_json(report)
        else:
            print_fault_report(console(), report)
        worst = max(worst, broken.verdict.exit_code, 1 if report.double_effects else 0)
    return worst


def calm_twin(store_url: str | None, resume: str, name: str) -> str | None:
    """The finished run without faults that belongs to a run with faults; None when `resume` is itself without."""
    from rightcall.errors import InputError
    from rightcall.store import RunFilter, open_store

    with open_store(store_url, must_exist=True) as store:
        run = store.run(resume).run
        if "faults" not in run.fingerprints:
            return None
        before = store.runs(RunFilter(name=name, state="finished", until=run.started_at), limit=1)
    if not before:
        raise InputError(f"run {run.id}", f"its twin '{name}' is not in the store", "start a new run instead")
    return before[0].id


def _print_estimate(plan: Plan, not_started: list[str], as_json: bool) -> None:
    import asyncio

    from rightcall.suite import estimate

    found = asyncio.run(estimate(plan, not_started))
    if as_json:
        print_json(found)
        return
    out = console()
    cost = "no price is known" if found.cost_usd is None else f"about ${found.cost_usd:.4f}"
    counts = f"{found.goldens:,} goldens × {found.trials} trials"
    out.say("[bold]{}[/bold] on {}: {}", plan.name, plan.agent.name, counts)
    out.print(f"{found.requests:,} requests{' at least' if plan.agent.mode == 'loop' else ''}, "
              f"about {found.input_tokens:,} input tokens, {cost}")  # fmt: skip
    out.say("[dim]the first request would be:[/dim]")
    print_json(found.first_request)
    if not_started:
        out.say("[dim]nothing was started; a run would first[/dim]")
        for words in not_started:
            out.print(f"  {words}")
    out.say("[dim]nothing was sent[/dim]")
