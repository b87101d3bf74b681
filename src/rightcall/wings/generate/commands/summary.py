"""The output of `rightcall generate`: the estimate before, and what was kept, dropped and covered after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rightcall.cli.output import console, print_json, print_next, tell
from rightcall.core.text import counted

if TYPE_CHECKING:
    from rightcall.wings.generate.estimate import GenerationEstimate
    from rightcall.wings.generate.production import Production
    from rightcall.wings.generate.synthesizer import Synthesizer


def show_made(made: Production, maker: Synthesizer, kept: str, typed: dict[str, Any]) -> None:
    from rightcall.wings.generate.coverage_count import coverage

    covered = coverage(made.goldens, {tool.name: tool for tool in maker.tools})
    if typed["as_json"]:
        print_json({"kept": len(made.goldens), "written_to": kept, "dropped": made.dropped, "errors": made.errors,
                    "stopped": made.stopped, "usage": made.usage, "run": made.run_id, "coverage": covered})  # fmt: skip
        return
    out = console()
    out.say("[bold]{:,}[/bold] kept, {:,} dropped", len(made.goldens), len(made.dropped))
    for reason, number in _reasons(made).items():
        out.say("[dim]  {:>4} {}[/dim]", number, reason)
    if maker.tools:
        out.say(
            "covered: {} of {} tools, {} of {} parameters, {} of {} choices",
            sum(map(bool, covered.calls_by_tool.values())), len(maker.tools), covered.parameters_covered,
            covered.parameters, covered.choices_covered, covered.choices,
        )  # fmt: skip
        if covered.untested:
            out.say("[dim]  not covered by any golden: {}[/dim]", ", ".join(covered.untested[:12]))
    tokens = made.usage.tokens
    if tokens:
        out.say("{:,} tokens{}", tokens, f", ${made.usage.cost_usd:.4f}" if made.usage.cost_usd else "")
    for error in made.errors[:3]:
        tell(f"error: {error.id}: {error.reason}", err=True)
    if made.stopped or made.errors:
        why = made.stopped or f"{len(made.errors):,} jobs failed because a model did not answer"
        tell(f"not finished: {why}; continue with the same command and --resume {made.run_id}", err=True)
    if kept:
        out.say("drafts: {}", kept)
        name = typed["draft"] or str(typed["output"] or "generated.jsonl")
        print_next(f"rightcall generate review {name}")


def _reasons(made: Production, most: int = 6) -> dict[str, int]:
    """Why goldens were dropped, most common first, without variable parts."""
    import re
    from collections import Counter

    found = Counter(
        re.sub(r" (?:=|repeats|says|characters) .*|\d+|[“\"(].*", " …", one.reason)[:80]
        for one in made.dropped
    )
    return dict(found.most_common(most))


def estimate_words(found: GenerationEstimate) -> str:
    price = (
        "no price is known"
        if found.cost_usd is None
        else f"${found.cost_usd:.4f} to ${found.cost_usd_most:.4f}"
    )
    return (
        f"{counted(found.goldens, 'golden')}: {found.requests_least:,} to {found.requests_most:,} requests, "
        f"about {found.input_tokens:,} input tokens or more, {price}"
        + "".join(f"\nasks: {words}" for words in found.asks)
    )


def show_estimate(found: GenerationEstimate, typed: dict[str, Any]) -> None:
    if typed["as_json"]:
        print_json(found)
        return
    out = console()
    out.print(
        estimate_words(found)
        if found.requests_most
        else f"{counted(found.goldens, 'golden')} from templates; no model requests"
    )
    out.say("[dim]nothing was sent[/dim]")
