"""`rightcall run --dry-run`: requests, tokens and cost of a suite, estimated without sending anything."""

from __future__ import annotations

from rightcall.api.suite_run import SuiteRun
from rightcall.cli.output import console, print_json
from rightcall.core.event_loop import finished
from rightcall.core.text import counted
from rightcall.run.cost_estimate import CostEstimate
from rightcall.run.plan import Plan


def print_estimates(asked: SuiteRun, as_json: bool) -> None:
    """Print what each model of a suite would be asked and cost."""
    for plan, found in finished(asked.estimates()):
        if as_json:
            print_json(found)
        else:
            _print_estimate(plan, found)


def _print_estimate(plan: Plan, found: CostEstimate) -> None:
    out = console()
    cost = "unknown price" if found.cost_usd is None else f"about ${found.cost_usd:.4f}"
    counts = f"{counted(found.goldens, 'golden')} × {counted(found.trials, 'trial')}"
    out.say("[bold]{}[/bold] on {}, {}", plan.name, plan.agent.name, counts)
    if found.conversations:
        users = f", {found.user_requests:,} requests to simulated users" if found.user_requests else ""
        out.print(f"{found.conversations:,} conversations of up to {found.turns:,} turns in all{users}")
    more = " or more" if plan.agent.mode == "loop" else ""
    if found.conversations:
        more = " (one per turn, another after each call)"
    out.print(f"{found.requests:,} requests{more}, about {found.input_tokens:,} input tokens, {cost}")
    for role in found.hosts:
        out.say("[dim]asks[/dim] {}", role.words)
    out.say("[dim]first request:[/dim]")
    print_json(found.first_request)
    if found.not_started:
        out.say("[dim]nothing was started; a run would first:[/dim]")
        for words in found.not_started:
            out.print(f"  {words}")
    out.say("[dim]nothing was sent[/dim]")
