"""A stored run in full: its screen, numbers by category, what each agent of a team did, and where it came from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from rightcall.metrics.dimensions import AGENTS_KNOWN
from rightcall.metrics.tally import Tally
from rightcall.records.record import Record
from rightcall.run.decisions import evidence_sentences
from rightcall.show.run_screen import NextStep, print_run_screen, print_steps, run_screen, shell_word
from rightcall.show.safety import print_run_safety
from rightcall.show.screen import Screen, print_columns, screen_text
from rightcall.show.terminal import clean, print_agents, print_table
from rightcall.show.text import count, duration
from rightcall.show.view.failures import case_names
from rightcall.show.view.spread import SpreadTally
from rightcall.show.view.summary import summary_view
from rightcall.show.view.tools import agent_rows
from rightcall.store.base import StoredRun

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store


MOST_MEASURED = 100_000
"""Results of which latencies are read."""


def show_run(out: Screen, store: Store, stored: StoredRun, *, kinds: int, where: str = "") -> None:
    """Print a stored run: its screen, a table by category, agents, attacks, and facts; then what to type next."""
    # An unfinished run has no summary: what its results add up to so far is shown.
    summary = stored.run.summary or Tally().add_all(store.runs.results(stored.id)).summary()
    screen = run_screen(
        store,
        stored.run,
        summary,
        word=stored.verdict,
        kinds=kinds,
        where=where,
    )
    if stored.finished:
        print_run_screen(out, screen)
    else:
        planned = f" of {stored.planned:,}" if stored.planned else ""
        out.say("[yellow]unfinished[/yellow]: {:,}{} results, last update {}", stored.results, planned,
                stored.updated_at)  # fmt: skip
    out.print()
    view = summary_view(summary)
    print_table(out, view)
    _print_latencies(out, store, stored)
    for note in (*view.notes, *evidence_sentences(store, stored)):
        out.print(note)
    print_agents(out, agent_rows(store, stored.id) if AGENTS_KNOWN in summary.overall.means else ())
    if summary.about_safety:
        print_run_safety(out, store, stored.id)
    out.print()
    for label, value in facts(stored):
        out.say("[dim]{:<8}[/dim] {}", label, clean(value))
    steps = [NextStep(f"rightcall runs report {stored.id}{where}", "as a page")]
    if screen.failures.first:
        case = f"rightcall runs show {stored.id} {shell_word(screen.failures.first)}{where}"
        steps.insert(0, NextStep(case, "one case in full"))
    if stored.finished:
        print_steps(out, steps[:2])
    else:
        suite = stored.run.versions.get("suite_file", "SUITE")
        print_steps(
            out, [NextStep(f"rightcall run {shell_word(suite)} --resume {stored.id}{where}", "go on")]
        )


def _print_latencies(out: Screen, store: Store, stored: StoredRun) -> None:
    """Median and 95th percentile of the latency of each category, as measured among concurrent cases."""
    if stored.results > MOST_MEASURED:
        return
    tallies: defaultdict[str, SpreadTally] = defaultdict(SpreadTally)
    for result in store.runs.results(stored.id):
        if result.judged:
            tallies[result.category].add(result.latency_ms)
    rows = []
    for category, tally in tallies.items():
        if (spread := tally.spread()) is not None:
            rows.append((category, duration(spread.quantiles["p50"]), duration(spread.quantiles["p95"])))
    if rows:
        out.print()
        print_columns(
            out,
            ("time among concurrent cases", "median", "95% below"),
            rows,
            texts=("time among concurrent cases",),
        )


def facts(stored: StoredRun) -> Iterable[tuple[str, str]]:
    """Where a run came from and what it used."""
    run = stored.run
    usage = stored.usage
    cost = "" if usage.cost_usd is None else f", {usage.cost_usd:.4f} USD"
    git = " ".join(run.versions[part] for part in ("git_branch", "git_commit") if part in run.versions)
    per_golden = f" ({count(run.trials)} per golden)" if run.trials > 1 else ""
    unchecked = f", {stored.unchecked:,} unchecked" if stored.unchecked else ""
    facts_by_label = {
        "suite": f"{run.name} on {run.agent}",
        "run": run.id,
        "started": _time(run.started_at),
        "finished": _time(run.finished_at or ""),
        "results": f"{stored.results:,}{per_golden}, {stored.errors:,} errors{unchecked}",
        "tokens": f"{usage.input_tokens:,} in, {usage.output_tokens:,} out{cost}"
        if usage.input_tokens or usage.output_tokens
        else "",
        "group": run.group if run.group != run.name else "",
        "tags": ", ".join(stored.tags),
        "git": git,
    }
    return [(label, value) for label, value in facts_by_label.items() if value]


def _time(stored: str) -> str:
    """A stored time as `2026-01-02 03:04:05 UTC`."""
    return f"{stored[:19].replace('T', ' ')} UTC" if stored else ""


MOST_ROWS = 200


class RunMatrix(Record, frozen=True):
    """The requested metrics of a run and, for each case, whether it passed each and its value; None: not measured."""

    metrics: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[bool, float] | None, ...]], ...]

    def __str__(self) -> str:
        return screen_text(partial(print_matrix, matrix=self))

    __repr__ = __str__


def run_matrix(store: Store, run: str) -> RunMatrix:
    """The matrix of a stored run; without requested metrics its one column is whether the case passed."""
    stored = store.runs.get(run)
    metrics = stored.run.summary.named if stored.run.summary is not None else ()
    name = case_names(store, stored.id)
    rows = []
    for result in store.runs.results(stored.id):
        scores = (result.metrics.get(metric) for metric in metrics or ("overall",))
        cells = tuple(
            None if score is None or score.error else (score.passed, score.value) for score in scores
        )
        title = name(result.golden_id) + (f" trial {result.trial}" if stored.run.trials > 1 else "")
        rows.append((title, cells))
    return RunMatrix(metrics or ("passed",), tuple(rows))


def print_matrix(out: Screen, matrix: RunMatrix) -> None:
    """The table, and how many cases passed each metric."""
    titles = ("case", *matrix.metrics)
    rows = [(case, *map(_cell, cells)) for case, cells in matrix.rows[:MOST_ROWS]]
    columns = list(zip(*(cells for _, cells in matrix.rows), strict=True))
    counts = []
    for column in columns:
        measured = [cell for cell in column if cell is not None]
        counts.append(f"{sum(passed for passed, _ in measured):,} of {len(measured):,}")
    print_columns(out, titles, [*rows, ("passed", *counts)] if counts else rows, texts=("case",))
    if len(matrix.rows) > MOST_ROWS:
        out.print(f"and {len(matrix.rows) - MOST_ROWS:,} more cases")


def _cell(cell: tuple[bool, float] | None) -> str:
    return "–" if cell is None else f"{'✓' if cell[0] else '✗'} {cell[1]:.2f}"
