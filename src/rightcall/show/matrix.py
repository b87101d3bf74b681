"""Which case of a run passed which metric: a row for each case, a column for each metric."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rightcall.records.record import Record
from rightcall.show.screen import Screen, print_columns, screen_text
from rightcall.show.view.failures import case_names

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store

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
