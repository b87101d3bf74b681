"""Every number that is shown, worked out once: terminal, JSON and pages all show these."""

from __future__ import annotations

from rightcall.model.record import Record
from rightcall.model.run import GroupSummary, Summary

DIMENSIONS = {
    "call_precision": "precision",
    "call_recall": "recall",
    "parameter_accuracy": "parameters",
    "content": "content",
    "latency": "latency",
    "overall": "score",
}
"""The five dimensions and the score, with the words for a table's head."""


class GroupRow(Record, frozen=True):
    """One row of the summary: a category, or all of them."""

    name: str
    cases: int
    passed: int
    errors: int
    pass_rate: float
    dimensions: dict[str, float]
    others: dict[str, float]


class CodeRow(Record, frozen=True):
    """How many failed cases have this code."""

    code: str
    cases: int
    share: float


class SummaryView(Record, frozen=True):
    """A summary ready to be shown."""

    rows: tuple[GroupRow, ...]
    codes: tuple[CodeRow, ...]
    input_tokens: int
    output_tokens: int
    cost_usd: float | None

    @property
    def total(self) -> GroupRow:
        return self.rows[-1]


def summary_view(summary: Summary) -> SummaryView:
    """Categories in their usual order, then the row of all."""
    rows = [_row(name, group) for name, group in summary.categories.items()]
    failed = summary.overall.cases - summary.overall.passed
    return SummaryView(
        rows=(*rows, _row("all", summary.overall)),
        codes=tuple(CodeRow(code, n, n / failed if failed else 0.0) for code, n in summary.codes.items()),
        input_tokens=summary.usage.input_tokens,
        output_tokens=summary.usage.output_tokens,
        cost_usd=summary.usage.cost_usd,
    )


def _row(name: str, group: GroupSummary) -> GroupRow:
    return GroupRow(
        name=name,
        cases=group.cases,
        passed=group.passed,
        errors=group.errors,
        pass_rate=group.pass_rate,
        dimensions={label: group.means[key] for key, label in DIMENSIONS.items() if key in group.means},
        others={key: value for key, value in group.means.items() if key not in DIMENSIONS},
    )
