"""A stored run for the terminal: its verdict and why, then what did not pass, trials grouped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rightcall.model.run import Summary
from rightcall.show.numbers import count
from rightcall.show.screen import Screen
from rightcall.show.terminal import clean, more_goldens, print_summary
from rightcall.show.view.grouped_trials import GoldenRow
from rightcall.show.view.summary import verdict_sentence
from rightcall.store.base import StoredRun

COLORS = {"PASS": "green", "FAIL": "red"}


def print_run(
    out: Screen, stored: StoredRun, summary: Summary, failed: Sequence[GoldenRow], more: int
) -> None:
    """Print a run: verdict, table, failures, and where it came from."""
    run = stored.run
    out.say("[bold]{}[/bold] on {}  [dim]run {}[/dim]", run.name, run.agent, run.id)
    print_verdict(out, stored, summary)
    out.print()
    print_summary(summary, failed, more_goldens(more), console=out)
    out.print()
    for label, value in facts(stored):
        out.say("[dim]{:<8}[/dim] {}", label, clean(value))


def print_verdict(out: Screen, stored: StoredRun, summary: Summary) -> None:
    """Print the verdict as a sentence; for a run in progress, print how far it is."""
    if not stored.finished:
        planned = f" of {stored.planned:,}" if stored.planned else ""
        out.say("[yellow]unfinished[/yellow]: {:,}{} results, last update {}", stored.results, planned,
                stored.updated_at)  # fmt: skip
        return
    word, color = stored.verdict or "finished", COLORS.get(stored.verdict, "yellow")
    out.say(f"[bold {color}]{{}}[/bold {color}] {{}}", word, verdict_sentence(stored.verdict, summary))


def facts(stored: StoredRun) -> Iterable[tuple[str, str]]:
    """Where a run came from and what it used."""
    run, usage = stored.run, stored.usage
    cost = "" if usage.cost_usd is None else f", {usage.cost_usd:.4f} USD"
    git = " ".join(run.versions[part] for part in ("git_branch", "git_commit") if part in run.versions)
    per_golden = f" ({count(run.trials)} per golden)" if run.trials > 1 else ""
    unchecked = f", {stored.unchecked:,} unchecked" if stored.unchecked else ""
    facts_by_label = {
        "started": run.started_at,
        "finished": run.finished_at or "",
        "results": f"{stored.results:,}{per_golden}, {stored.errors:,} errors{unchecked}",
        "tokens": f"{usage.input_tokens:,} in, {usage.output_tokens:,} out{cost}"
        if usage.input_tokens or usage.output_tokens
        else "",
        "group": run.group if run.group != run.name else "",
        "tags": ", ".join(stored.tags),
        "git": git,
    }
    return [(label, value) for label, value in facts_by_label.items() if value]
