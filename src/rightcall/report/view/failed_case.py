"""The first failed cases, for formats that cannot show them all."""

from __future__ import annotations

from rightcall.model.golden import AnyGolden
from rightcall.model.record import Record
from rightcall.model.run import CaseResult
from rightcall.report.view.case import Outcome, outcome_of, reason_of


class FailedCase(Record, frozen=True):
    """Which case, and why, in one line."""

    golden_id: str
    trial: int
    outcome: Outcome
    reason: str


class FailedCases:
    """Keeps the first `keep` and counts the others."""

    def __init__(self, keep: int) -> None:
        self._keep = keep
        self.cases: list[FailedCase] = []
        self.more = 0

    def add(self, golden: AnyGolden | None, result: CaseResult) -> None:
        """Take note of a case, unless it passed."""
        if result.passed and not result.error:
            return
        if len(self.cases) < self._keep:
            why = reason_of(result)
            self.cases.append(FailedCase(result.golden_id, result.trial, outcome_of(result), why))
        else:
            self.more += 1
