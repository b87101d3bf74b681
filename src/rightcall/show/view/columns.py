"""The columns of every table of results, each declared once: what it is called, what it says, which outputs show it.

To add one: a line here, and the value where it arises. Outputs draw the columns they are given; only a `kind`
that is more than text is drawn specially.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from rightcall.core.text import percent
from rightcall.records.run import CaseResult
from rightcall.show.text import clip_text, count, decimal, duration, one_line
from rightcall.show.view.case import CaseView, reason_of
from rightcall.show.view.failures import case_dangers
from rightcall.show.view.summary import DIMENSIONS, GroupRow

Output = Literal["terminal", "markdown", "dashboard", "notebook"]


class Column(NamedTuple):
    """One column. `text` writes the cell of a row; `where` names the outputs that show it, in any order.

    `kind` says how pages draw it: a name of the row, a number, a number that is bad, a rate, names
    with counts. Columns that are no names are aligned to the right. `hint` explains the title.
    """

    title: str
    text: Callable[[Any], Any]
    where: str
    kind: Literal["name", "number", "mistakes", "rate", "names", "why"] = "number"
    hint: str = ""


def shown_in(columns: Sequence[Column], output: Output) -> list[Column]:
    """The columns that an output shows, in order."""
    return [column for column in columns if output in column.where.split()]


def summary_columns(requested: Sequence[str], output: Output) -> list[Column]:
    """The columns of a summary by category: counts, requested metrics, dimensions.

    Pages show requested metrics in a separate table.
    """
    digits = 2 if output == "terminal" else 3
    names = requested if output in ("terminal", "markdown") else ()
    scores = [_score(name, "others", digits) for name in names]
    scores += [
        _score(label, "dimensions", digits)
        for label in DIMENSIONS.values()
        if label != "latency"  # a share of cases in time, while time itself is shown
    ]
    return [*shown_in(GROUP_COLUMNS, output), *shown_in(scores, output)]


def _pass_count(row: GroupRow) -> str:
    return f"{row.passed:,}/{row.cases:,}" + (f" +{row.errors:,} errors" if row.errors else "")


GROUP_COLUMNS = (
    Column("category", lambda row: row.name, "terminal markdown dashboard notebook", "name"),
    Column("cases", lambda row: count(row.cases), "markdown dashboard"),
    Column("passed", _pass_count, "terminal notebook"),
    Column("rate", lambda row: percent(row.pass_rate, 1), "terminal notebook"),
    Column("passed", lambda row: f"{count(row.passed)} ({percent(row.pass_rate, 1)})", "markdown"),
    Column("passed", lambda row: percent(row.pass_rate, 1), "dashboard", "rate"),
)


def _score(name: str, part: Literal["others", "dimensions"], digits: int) -> Column:
    where = "terminal markdown dashboard"
    return Column(name, lambda row: decimal(getattr(row, part).get(name), digits), where)


EVERYWHERE = "markdown dashboard"
TOOL_COLUMNS = (
    Column("tool", lambda row: row.name, EVERYWHERE, "name"),
    Column("expected", lambda row: count(row.expected), EVERYWHERE),
    Column("called", lambda row: count(row.called), EVERYWHERE),
    Column("right", lambda row: count(row.right), EVERYWHERE),
    Column("wrong args", lambda row: count(row.wrong_arguments), EVERYWHERE, "mistakes",
           hint="the right tool with wrong arguments"),
    Column("missed", lambda row: count(row.missed), EVERYWHERE, "mistakes",
           hint="not called, or another tool in its place"),
    Column("surplus", lambda row: count(row.surplus), EVERYWHERE, "mistakes", hint="called but not expected"),
    Column("right of expected", lambda row: row.found, "dashboard", "rate"),
    Column("called instead", lambda row: row.mixed_up_with, "dashboard", "names"),
)  # fmt: skip


AGENT_COLUMNS = (
    Column("agent", lambda row: row.name, f"terminal {EVERYWHERE}", "name"),
    Column("cases", lambda row: count(row.cases), f"terminal {EVERYWHERE}"),
    Column("calls", lambda row: count(row.calls), f"terminal {EVERYWHERE}"),
    Column("wrong", lambda row: count(row.wrong), f"terminal {EVERYWHERE}", "mistakes",
           hint="calls that a failure names"),
    Column("tool failed", lambda row: count(row.failed), EVERYWHERE, "mistakes", hint="calls whose tool failed"),
    Column("handed to", lambda row: count(row.handed_to), f"terminal {EVERYWHERE}", "number",
           hint="hand-offs to the agent"),
    Column("answers", lambda row: count(row.answers), EVERYWHERE),
    Column("tokens", lambda row: "–" if row.tokens is None else count(row.tokens), f"terminal {EVERYWHERE}"),
    Column("over budget", lambda row: count(row.over), EVERYWHERE, "mistakes", hint="cases over a budget of the agent"),
)  # fmt: skip
"""What each agent of a team did."""


GOLDEN_COLUMNS = (
    Column("golden", lambda row: row.name, "markdown dashboard notebook", "name"),
    Column("passed", lambda row: f"{row.passed}/{row.judged}", "notebook"),
    Column("why", lambda row: row.why, "markdown dashboard notebook", "why"),
    Column("category", lambda row: row.category, "dashboard"),
    Column("score", lambda row: decimal(row.score), "dashboard"),
    Column("time", lambda row: duration(row.latency_ms), "dashboard"),
)
"""One row for each golden with all its trials; every list marks danger and outcome besides."""


def _calls(result: CaseResult) -> str:
    calls = result.trajectory.calls if result.trajectory else ()
    return msgspec.json.encode([{"name": call.name, "arguments": call.arguments} for call in calls]).decode()


FRAME_COLUMNS: dict[str, Callable[[CaseResult], Any]] = {
    "golden_id": lambda result: result.golden_id,
    "trial": lambda result: result.trial,
    "passed": lambda result: result.passed if result.judged else None,
    "score": lambda result: result.score if result.checked else None,
    "category": lambda result: result.category,
    "error": lambda result: result.error or None,
    "latency_ms": lambda result: result.latency_ms,
    "input_tokens": lambda result: result.usage.input_tokens,
    "output_tokens": lambda result: result.usage.output_tokens,
    "cost_usd": lambda result: result.usage.cost_usd,
    "reason": lambda result: reason_of(result) or None,
    "codes": lambda result: [failure.code for failure in result.codes],
    "tags": lambda result: list(result.tags),
    "calls": _calls,
    "output": lambda result: result.trajectory.output if result.trajectory else None,
    "danger": lambda result: list(case_dangers(result)),
}
"""A row for each trial in data frames; metrics follow, each in its own column."""


def _codes(view: CaseView) -> list[str]:
    failures = view.failures if view.outcome in ("failed", "error") else ()
    return list(dict.fromkeys(line.code for line in failures))


INDEX_COLUMNS: dict[str, Callable[[CaseView], Any]] = {
    "id": lambda view: view.golden_id,
    "trial": lambda view: view.trial,
    "outcome": lambda view: view.outcome,
    "category": lambda view: view.category,
    "score": lambda view: None if view.outcome == "unchecked" else round(view.score, 4),
    "codes": _codes,
    "latency": lambda view: None if view.latency_ms is None else round(view.latency_ms, 1),
    "input": lambda view: one_line(view.input, 120),
    "reason": lambda view: clip_text(view.reason, 200),
    "danger": lambda view: list(view.danger),
}
"""What the list of cases in report.html shows, sorts and filters by; the page reads the fields by name."""
