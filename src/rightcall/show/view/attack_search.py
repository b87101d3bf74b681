"""The adaptive search of a run as it is shown everywhere: one sentence, one table, apart from the fixed plan."""

from __future__ import annotations

from rightcall.core.text import pluralize
from rightcall.decide.search_numbers import SearchNumbers, SearchRow
from rightcall.model.record import Record

SEARCH_COLUMNS = ("task", "goal", "broken", "attempts", "carrier · template · place · wrap")
MOST_ROWS = 50


class SearchView(Record, frozen=True):
    """Everything that is shown of a search; broken tasks come first."""

    sentence: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ()
    more_rows: int = 0


def search_view(numbers: SearchNumbers | None) -> SearchView:
    """The view of a search; None is one that has not ended."""
    if numbers is None:
        return SearchView("The search has not ended; nothing is known of it.", SEARCH_COLUMNS)
    rows = sorted(numbers.rows, key=lambda row: (not row.broken, row.task, row.goal))
    return SearchView(
        search_sentence(numbers),
        SEARCH_COLUMNS,
        tuple(_cells(row) for row in rows[:MOST_ROWS]),
        max(0, len(rows) - MOST_ROWS),
    )


def search_sentence(numbers: SearchNumbers) -> str:
    """The one sentence about a search; it never sounds better than what was seen."""
    rate = numbers.asr_adaptive
    used = f"{pluralize(numbers.attempts, 'attempt')} of a budget of {numbers.budget:,}"
    if rate.n:
        pairs = pluralize(rate.n, "pair")
        sentence = f"Adaptive search broke {rate.count:,} of {pairs} of task and goal with {used}"
    else:
        sentence = f"No attack was delivered by adaptive search with {used}; nothing is known"
    untested = len(numbers.rows) - rate.n
    sentence += f"; {untested:,} not delivered" if untested and rate.n else ""
    sentence += f"; {pluralize(numbers.errors, 'error')}" if numbers.errors else ""
    sentence += f"; {pluralize(numbers.left_out, 'task')} not reached" if numbers.left_out else ""
    sentence += f"; ended early: {numbers.stopped}" if numbers.stopped else ""
    return f"{sentence}. In no rate, bound or gate."


def _cells(row: SearchRow) -> tuple[str, ...]:
    broken = "yes" if row.broken else "no" if row.delivered else "not delivered"
    return (row.task, row.goal, broken, f"{row.attempts:,}", row.arm or "–")
