"""A report for pull requests: a table, the most frequent failures, and the cases folded away.

Text of models and datasets is put in code spans only, where it cannot be HTML, a link or a mention.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import IO, TYPE_CHECKING

from rightcall.core.text import percent, pluralize
from rightcall.show.text import count, dollars, duration, one_line
from rightcall.show.view.attack_hits import hit_lines
from rightcall.show.view.columns import (
    AGENT_COLUMNS,
    GOLDEN_COLUMNS,
    TOOL_COLUMNS,
    Column,
    shown_in,
    summary_columns,
)
from rightcall.show.view.failures import Example, FailureGroup, danger_text
from rightcall.show.view.grouped_trials import GoldenRow, failed_goldens
from rightcall.show.view.run import RunView, run_view
from rightcall.show.view.safety import SafetyView
from rightcall.show.view.safety_sections import SafetySection

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store

SIGNS = {"PASS": "✅", "FAIL": "❌", "ERROR": "⚠️", "INCONCLUSIVE": "❔"}
MOST_CASES = 50
MOST_CODES = 10
MOST_TOOLS = 15


def write_markdown(store: Store, run: str, out: IO[bytes]) -> RunView:
    """Write the report of a run; returns the view it shows."""
    view = run_view(store, run)
    out.write(markdown(view, *failed_goldens(store, run, MOST_CASES)).encode())
    return view


def markdown(view: RunView, failed: Sequence[GoldenRow], more: int) -> str:
    """The whole text: danger above everything but the verdict."""
    parts = (
        _head(view),
        _danger(view, failed),
        _summary(view),
        _safety(view.safety),
        _failures(view),
        _cases(failed, more),
        _agents(view),
        _tools(view),
    )
    return "\n".join(chain.from_iterable(parts))


def code(text: str, limit: int = 200) -> str:
    """Foreign text in a code span, fit for the cell of a table.

    A bar would end the cell even inside the span, so it becomes a broken bar.
    """
    line = one_line(text, limit).replace("|", "¦")
    if not line.strip():
        return "–"
    fence = "`" * (max((len(run) for run in re.findall("`+", line)), default=0) + 1)
    pad = " " if line[0] == "`" or line[-1] == "`" else ""
    return f"{fence}{pad}{line}{pad}{fence}"


_LINKS = re.compile(r"(@|\b(?:https?|ftp|mailto|xmpp):|\bwww(?=\.))", re.IGNORECASE)
"""What GitHub makes a mention or a link of without any markup."""


def plain_sentence(text: str) -> str:
    """One of our own sentences, which may quote names: markup, links and mentions in it are made inert."""
    flat = one_line(text, 600).replace("&", "&amp;")  # otherwise &#64;name would be a mention
    for sign in "\\`*_[]<>|#":
        flat = flat.replace(sign, f"\\{sign}" if sign not in "<>" else {"<": "&lt;", ">": "&gt;"}[sign])
    return _LINKS.sub("\\1\u200b", flat)


def _head(view: RunView) -> Iterator[str]:
    total = view.summary.total
    sign = f"{SIGNS.get(view.verdict, '')} {view.verdict}".strip() or "unfinished"
    yield f"## {sign} · {code(view.run.name, 80)} on {code(view.run.agent, 80)}"
    yield ""
    if not view.finished:
        finished_cases = total.cases + total.errors + view.summary.unchecked
        yield f"The run is not finished: {count(finished_cases)} of {count(view.planned)} cases."
    errors = f", {count(total.errors)} without an answer" if total.errors else ""
    unchecked = f", {count(view.summary.unchecked)} unchecked" if view.summary.unchecked else ""
    yield (
        f"**{percent(total.pass_rate, 1)}** passed: {count(total.passed)} of {count(total.cases)} cases"
        f"{f' (range {total.range})' if total.range else ''}{errors}{unchecked}"
    )
    yield ""
    for warning in view.summary.warnings:
        yield f"⚠️ {code(warning, 400)}"
        yield ""
    facts = []
    if view.latency:
        q = view.latency.quantiles
        facts.append(f"median {duration(q['p50'])}, 95% within {duration(q['p95'])}")
    if view.summary.cost_usd:
        facts.append(f"cost {dollars(view.summary.cost_usd)}")
    yield " · ".join((*facts, f"run `{view.run.id}`"))
    yield ""


def _summary(view: RunView) -> Iterator[str]:
    names = {name: code(name, 40) for name in view.summary.columns}
    columns = [
        column._replace(title=names.get(column.title, column.title))
        for column in summary_columns(view.summary.columns, "markdown")
    ]
    yield from _table(columns, ([column.text(row) for column in columns] for row in view.summary.shown))
    for note in view.summary.notes:
        yield plain_sentence(note)
        yield ""
    for sentence in view.people:
        yield plain_sentence(sentence)
        yield ""


def _failures(view: RunView) -> Iterator[str]:
    if not view.failures:
        return
    yield "### Why cases failed"
    yield ""
    rows = (
        (
            f"{_group_danger(group)}{group.title} (`{group.code}`)",
            count(group.cases),
            _example(group.examples[0]),
        )
        for group in view.failures[:MOST_CODES]
    )
    yield from markdown_table(("failure", "cases", "for example"), rows, numbers=("cases",))


def _example(example: Example) -> str:
    return f"{code(example.name, 160)} {code(example.sentence)}"


def _group_danger(group: FailureGroup) -> str:
    often = f" in {count(group.dangerous)}" if group.dangerous < group.cases else ""
    return f"**{danger_text([group.danger])}{often}** " if group.danger else ""


def _danger(view: RunView, failed: Sequence[GoldenRow]) -> Iterator[str]:
    """What cannot be taken back, unfolded."""
    if view.danger:
        yield f"### 🛑 {view.danger}"
        yield ""
        yield from _golden_table([row for row in failed if row.danger])


def _cases(failed: Sequence[GoldenRow], more: int) -> Iterator[str]:
    rest = [row for row in failed if not row.danger]
    if not rest and not more:
        return
    word = "golden" if len(rest) == len(failed) else "other golden"
    yield f"<details><summary>{pluralize(len(rest) + more, word)} that did not pass</summary>"
    yield ""
    yield from _golden_table(rest)
    if more:
        yield f"… and {count(more)} more"
        yield ""
    yield "</details>"
    yield ""


def _golden_table(rows: Sequence[GoldenRow]) -> Iterator[str]:
    yield from _table(shown_in(GOLDEN_COLUMNS, "markdown"), map(_golden_cells, rows))


def _golden_cells(row: GoldenRow) -> tuple[str, str]:
    error = "error: " if row.outcome == "error" else ""
    danger = f"**{row.danger_text}** " if row.danger else ""
    trials = f"{row.trials_text}: " if row.trials_text else ""
    return code(row.name, 160), f"{danger}{error}{trials}{code(row.reason, 300)}"


def _agents(view: RunView) -> Iterator[str]:
    """What each agent of a team did."""
    if view.agents:
        yield from _rows_by_name(AGENT_COLUMNS, view.agents)


def _tools(view: RunView) -> Iterator[str]:
    if view.tools:
        yield f"<details><summary>{count(len(view.tools))} tools</summary>"
        yield ""
        yield from _rows_by_name(TOOL_COLUMNS, view.tools)
        yield "</details>"
        yield ""


def _rows_by_name(columns: Sequence[Column], rows: Sequence[object]) -> Iterator[str]:
    """A table whose first cells are foreign names."""
    columns = shown_in(columns, "markdown")
    cells = ([column.text(row) for column in columns] for row in rows[:MOST_TOOLS])
    yield from _table(columns, ((code(name, 80), *numbers) for name, *numbers in cells))


def _table(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    numbers = [column.title for column in columns if column.kind not in ("name", "why")]
    yield from markdown_table([column.title for column in columns], rows, numbers=numbers)


def markdown_table(
    titles: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Collection[str] = ()
) -> Iterator[str]:
    """A table whose columns titled by `numbers` are aligned to the right, and an empty line."""
    yield f"| {' | '.join(titles)} |"
    yield f"| {' | '.join('---:' if title in numbers else '---' for title in titles)} |"
    yield from (f"| {' | '.join(cells)} |" for cells in rows)
    yield ""


def _safety(view: SafetyView | None) -> Iterator[str]:
    if view is None:
        return
    yield "### Safety"
    yield ""
    yield plain_sentence(view.sentence)
    yield ""
    for section in view.sections:
        yield from _safety_section(section)
    for hit in view.hits:
        yield f"- **obeyed** {code(hit.title, 300)}"
        for label, text in hit_lines(hit):
            yield f"  - {label}: {code(text, 600)}"
    if view.more_hits:
        yield f"- … and {view.more_hits:,} more"
    yield ""


def _safety_section(section: SafetySection) -> Iterator[str]:
    yield f"#### {section.title}"
    yield ""
    for sentence in section.sentences:
        yield plain_sentence(sentence)
        yield ""
    if section.rows:
        foreign = [column in section.texts for column in section.columns]
        numbers = [column for column in section.columns[1:] if column not in section.texts]
        rows = (
            [code(cell) if text else cell for cell, text in zip(row, foreign, strict=True)]
            for row in section.rows
        )
        yield from markdown_table(section.columns, rows, numbers=numbers)
        yield ""
