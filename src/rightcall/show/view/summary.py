"""The summary of a run, by category and overall."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from rightcall.core.text import percent, pluralize
from rightcall.metrics.dimensions import AGENTS_KNOWN, SPOTLESS
from rightcall.records.failure import FATAL
from rightcall.records.record import Record
from rightcall.records.run import FailedTool, GroupSummary, JudgeSummary, Role, Summary, no_checks_text
from rightcall.records.trajectory import Usage
from rightcall.show.view.spread import UserRow, reliability_notes, user_rows

if TYPE_CHECKING:
    from rightcall.store.base import StoredRun


def role_notes(summary: Summary) -> Iterator[str]:
    """What agent, simulated user and judge used, where there is more than an agent."""
    if summary.roles:
        yield "used by role: " + "; ".join(
            f"{role} {_usage_text(usage)}" for role, usage in summary.roles.items()
        )


def _usage_text(usage: Usage) -> str:
    cost = f", ${usage.cost_usd:.4f}" if usage.cost_usd is not None else ""
    return f"{usage.tokens:,} tokens{cost}"


def judge_notes(summary: Summary) -> Iterator[str]:
    """What each judge said, how often it agreed with itself, and how often it said nothing."""
    for name, judge in summary.judges.items():
        parts = []
        if judge.rate is not None:
            parts.append(f"the judge passes {percent(judge.rate)} of {pluralize(judge.verdicts, 'case')}")
        if judge.self_consistency is not None:
            parts.append(f"its votes agree in {percent(judge.self_consistency)} (self-consistency)")
        if judge.no_verdict:
            parts.append(f"no verdict on {pluralize(judge.no_verdict, 'case')}")
        yield f"{name} is judged by a model: {'; '.join(parts)}"


class ShownRate(Record, frozen=True):
    """`count` of `n`, the share, and its range if a gate decided by one. Without any n the value is None."""

    count: int
    n: int
    value: float | None
    low: float | None = None
    high: float | None = None
    range: str = ""


def rate(count: int, n: int) -> ShownRate:
    return ShownRate(count, max(0, n), count / n if n > 0 else None)


DIMENSIONS = {
    "call_precision": "precision",
    "call_recall": "recall",
    "parameter_accuracy": "params",
    "content": "content",
    "latency": "latency",
    "overall": "score",
}
"""The five dimensions and the score, with the words for a table's head."""


OTHER_NUMBERS = (frozenset(SPOTLESS) - DIMENSIONS.keys()) | {AGENTS_KNOWN}
"""Measured for every case, but shown in a column only on request."""


class GroupRow(Record, frozen=True):
    """One row of the summary: a category, or all of them. `low`, `high` and `range` are of the pass rate that a gate
    decided.

    Without cases there is no rate: None, not 0.
    """

    name: str
    cases: int
    passed: int
    errors: int
    pass_rate: float | None
    goldens: int
    dimensions: dict[str, float]
    others: dict[str, float]
    low: float | None = None
    high: float | None = None
    range: str = ""


class CodeRow(Record, frozen=True):
    """The number of failed cases with this code, and their share of all failed cases."""

    code: str
    cases: int
    share: float


class SummaryView(Record, frozen=True):
    """A summary for display. `columns` are the metrics shown in addition to the dimensions, `warnings` stand below the
    verdict.

    `notes` are sentences on how far its rates can be relied on: pass^k, rates by
    simulated user, cases that were not checked (`unchecked`), what judges said (`judges`); and what each role
    used (`roles`).
    """

    rows: tuple[GroupRow, ...]
    codes: tuple[CodeRow, ...]
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    columns: tuple[str, ...] = ()
    pass_k: tuple[float, ...] = ()
    users: tuple[UserRow, ...] = ()
    notes: tuple[str, ...] = ()
    unchecked: int = 0
    roles: dict[Role, Usage] = {}
    judges: dict[str, JudgeSummary] = {}
    warnings: tuple[str, ...] = ()
    failed_tools: tuple[FailedTool, ...] = ()

    @property
    def total(self) -> GroupRow:
        return self.rows[-1]

    @property
    def shown(self) -> tuple[GroupRow, ...]:
        """The rows to show: with a single category, the total row is enough."""
        return self.rows if len(self.rows) > 2 else self.rows[-1:]


def summary_view(summary: Summary) -> SummaryView:
    """Categories in their usual order, then the row of all."""
    trials = summary.trials
    rows = [_row(name, group, trials) for name, group in summary.categories.items()]
    failed = summary.overall.cases - summary.overall.passed
    return SummaryView(
        rows=(*rows, _row("all", summary.overall, trials)),
        codes=tuple(
            CodeRow(code, n, n / failed if failed else 0.0)
            for code, n in sorted(summary.codes.items(), key=lambda item: item[0] not in FATAL)
        ),
        input_tokens=summary.usage.input_tokens or 0,
        output_tokens=summary.usage.output_tokens or 0,
        cost_usd=summary.usage.cost_usd,
        columns=tuple(dict.fromkeys(name for name in _metric_names(summary) if name not in DIMENSIONS)),
        pass_k=summary.pass_k,
        users=user_rows(summary),
        notes=(
            *reliability_notes(summary),
            *unchecked_notes(summary),
            *agent_notes(summary),
            *judge_notes(summary),
            *role_notes(summary),
        ),
        unchecked=summary.unchecked,
        roles=summary.roles,
        judges=summary.judges,
        warnings=summary.warnings,
        failed_tools=summary.failed_tools,
    )


def unchecked_notes(summary: Summary) -> Iterator[str]:
    """What became of cases whose goldens state no check."""
    if summary.undelivered:
        attempts = pluralize(summary.undelivered, "attempt")
        yield f"{attempts} not delivered: the agent did not read what was planted, so excluded from rates"
    if summary.undelivered_twins:
        twins = pluralize(summary.undelivered_twins, "benign twin")
        yield f"{twins} not delivered: the agent did not read the remark that was planted, so excluded from rates"
    in_attacks = summary.undelivered + summary.undelivered_twins
    if without_check := summary.unchecked - in_attacks:
        cases = no_checks_text(without_check, summary.unchecked_errors)
        yield f"{cases}: no check in the golden and no deciding metric, so excluded from rates"


def agent_notes(summary: Summary) -> Iterator[str]:
    """How many agents that goldens ask about were not known, so that they were not judged."""
    known = summary.overall.means.get(AGENTS_KNOWN, 1.0)
    if known < 1.0:
        yield f"agent unknown in {percent(1.0 - known)} of the calls whose agent goldens name: name your agents"


def run_rate(stored: StoredRun) -> ShownRate:
    """The pass rate of a run: that of its summary, or computed from its counts while it has none."""
    judged = stored.judged
    known = stored.run.summary.overall.rate if stored.run.summary else None
    if known is None or not judged:
        return rate(stored.passed, judged)
    return ShownRate(stored.passed, judged, known.value, low=known.low, high=known.high, range=known.range)


Tone = Literal["good", "bad", "warn", "live", "quiet"]
SILENCE = 120.0
"""Seconds without a write after which an unfinished run counts as stopped."""

VERDICTS: dict[str, Tone] = {"PASS": "good", "FAIL": "bad", "INCONCLUSIVE": "warn", "ERROR": "warn"}


class Badge(NamedTuple):
    """The word of the badge and its tone."""

    word: str
    tone: Tone

    @property
    def live(self) -> bool:
        """Whether the run is being written right now."""
        return self.tone == "live"


def state_of(run: StoredRun, now: datetime | None = None) -> Badge:
    """The verdict of a finished run; otherwise whether it is still being written."""
    if run.finished:
        return Badge(run.verdict.lower() or "finished", VERDICTS.get(run.verdict, "quiet"))
    try:
        silent = ((now or datetime.now(UTC)) - datetime.fromisoformat(run.updated_at)).total_seconds()
    except (ValueError, TypeError):
        silent = SILENCE + 1
    return Badge("running", "live") if silent < SILENCE else Badge("stopped", "warn")


def verdict_reason(summary: Summary | None) -> str:
    """Why the verdict is what it is; how many cases passed where no gate decided."""
    if summary is None:
        return ""
    overall = summary.overall
    return summary.reason or f"{overall.passed:,} of {overall.cases:,} cases passed"


def _metric_names(summary: Summary) -> Iterator[str]:
    yield from summary.named
    yield from (name for name in summary.overall.means if name not in OTHER_NUMBERS)


def _row(name: str, group: GroupSummary, trials: int) -> GroupRow:
    known = group.rate
    return GroupRow(
        name=name,
        cases=group.cases,
        passed=group.passed,
        errors=group.errors,
        pass_rate=group.pass_rate if group.cases else None,
        goldens=known.goldens if known else -(-group.cases // trials),
        dimensions={label: group.means[key] for key, label in DIMENSIONS.items() if key in group.means},
        others={key: value for key, value in group.means.items() if key not in DIMENSIONS},
        low=known.low if known else None,
        high=known.high if known else None,
        range=known.range if known else "",
    )
