"""`rightcall run --dry-run`: requests, tokens and cost of a suite, estimated without sending anything."""

from __future__ import annotations

from rightcall.api.suite_run import SuiteRun
from rightcall.cli.output import console, print_json
from rightcall.core.event_loop import run_blocking
from rightcall.core.text import pluralize
from rightcall.run.cost_estimate import CostEstimate
from rightcall.run.plan import Plan


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
    if plan.search is not None:
        budget = plan.settings["attacks"]["adaptive"]
        out.print(f"then an adaptive search with up to {budget:,} further attempts, not counted above")
    for role in estimate.hosts:
        out.say("[dim]asks[/dim] {}", role.words)
    out.say("[dim]first request:[/dim]")
    print_json(estimate.first_request)
    if estimate.not_started:
        out.say("[dim]nothing was started; a run would first:[/dim]")
        for words in estimate.not_started:
            out.print(f"  {words}")
    out.say("[dim]nothing was sent[/dim]")
