"""The goldens of a run, each with all its trials: what lists of failures show."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from statistics import fmean
from typing import TYPE_CHECKING, Literal

import msgspec

from rightcall.model.golden import is_generated
from rightcall.model.record import Record
from rightcall.model.run import CaseResult
from rightcall.show.view.case import reason_of
from rightcall.show.view.case_names import case_names

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store

GoldenOutcome = Literal["passed", "failed", "flaky", "error", "unchecked"]


class GoldenRow(Record, frozen=True):
    """All trials of one golden. `flaky` means that some passed and some failed; `reason` is that of the first
    trial that did not pass; `score` and `latency_ms` are means over the judged trials (the latter also over unchecked
    trials, if no other was made); `title` is the request of a golden whose id was generated."""

    golden_id: str
    outcome: GoldenOutcome
    passed: int
    judged: int
    errors: int
    reason: str = ""
    codes: tuple[str, ...] = ()
    category: str = ""
    score: float | None = None
    latency_ms: float | None = None
    title: str = ""
    unchecked: int = 0

    @property
    def name(self) -> str:
        """The id, and the title if there is one."""
        return f"{self.golden_id} {self.title}".rstrip()


def golden_rows(results: Iterable[CaseResult]) -> Iterator[GoldenRow]:
    """A row for each golden of results that are ordered by golden, as the store gives them."""
    for golden_id, trials in groupby(results, key=lambda result: result.golden_id):
        yield golden_row(golden_id, list(trials))


def golden_row(golden_id: str, trials: Iterable[CaseResult]) -> GoldenRow:
    """All trials of one golden in one row."""
    all_trials = list(trials)
    judged = [trial for trial in all_trials if trial.judged]
    failed = [trial for trial in judged if not trial.passed]
    unchecked = [trial for trial in all_trials if not trial.checked]
    broken = [trial for trial in all_trials if trial.checked and trial.error]
    shown = next(iter(failed or broken or unchecked), None)
    outcome: GoldenOutcome = "passed"
    if failed:
        outcome = "flaky" if len(failed) < len(judged) else "failed"
    elif broken:
        outcome = "error"
    elif unchecked and not judged:
        outcome = "unchecked"
    return GoldenRow(
        golden_id,
        outcome,
        len(judged) - len(failed),
        len(judged),
        len(broken),
        "" if shown is None else reason_of(shown),
        tuple(dict.fromkeys(failure.code for trial in failed for failure in trial.codes)),
        all_trials[0].category if all_trials else "",
        _mean(trial.score for trial in judged),
        _mean(trial.latency_ms for trial in judged or unchecked if trial.latency_ms is not None),
        unchecked=len(unchecked),
    )


def with_titles(rows: Iterable[GoldenRow], store: Store, run: str) -> list[GoldenRow]:
    """The rows with the titles of the goldens whose ids were generated."""
    name = case_names(store, run)
    return [
        msgspec.structs.replace(row, title=name(row.golden_id).removeprefix(row.golden_id).strip())
        if is_generated(row.golden_id)
        else row
        for row in rows
    ]


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return fmean(numbers) if numbers else None


def failures_first(rows: Iterable[GoldenRow], keep: int) -> tuple[list[GoldenRow], int]:
    """At most `keep` rows that did not pass, those that never passed first, and how many more there are."""
    order = {"failed": 0, "flaky": 1, "error": 2}
    kept: list[GoldenRow] = []
    more = 0
    for row in rows:
        if row.outcome in ("passed", "unchecked"):
            continue
        kept.append(row)
        if len(kept) > 2 * keep + 100:  # memory stays flat, whatever fails
            kept = sorted(kept, key=lambda row: order[row.outcome])[:keep]
            more += keep + 101
    kept.sort(key=lambda row: order[row.outcome])
    return kept[:keep], more + max(0, len(kept) - keep)
