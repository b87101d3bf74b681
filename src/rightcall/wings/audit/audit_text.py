"""The sections of an audit in the terminal, as Markdown, and as SARIF for code scanning."""

from __future__ import annotations

from typing import Any, Literal

from rightcall.files.ci_report import Remark, sarif
from rightcall.improve.doubt import DOUBT_TITLES
from rightcall.show.markdown import code, markdown_table
from rightcall.show.screen import Screen
from rightcall.wings.audit.result import AuditResult
from rightcall.wings.audit.sections import AuditRow, AuditSection, audit_sections, notes

MOST_SHOWN = 20
PAGE = "docs/audit.md"
Level = Literal["error", "warning", "info"]
LEVELS: dict[tuple[str, bool], Level] = {
    ("doubt", True): "error", ("doubt", False): "warning", ("audit", True): "warning", ("audit", False): "info",
}  # fmt: skip


def print_audit(out: Screen, result: AuditResult, *, every: bool = False) -> None:
    """Print the headline, survivors by harm with what would catch each, doubts, and what was left out."""
    for section in audit_sections(result):
        _print_section(out, section, every=every)
    for note in notes(result):
        out.print(note, style="dim", soft_wrap=True)


def _print_section(out: Screen, section: AuditSection, *, every: bool) -> None:
    for number, line in enumerate(section.lead.splitlines()):
        out.print(line, style=None if number else "bold", soft_wrap=True)
    if section.title and section.name != "survivors":  # the headline says it
        out.print(section.title, style="dim", soft_wrap=True)
    shown = section.rows if every else section.rows[:MOST_SHOWN]
    for row in shown:
        color = "red" if row.loud else "yellow"
        template = f"[bold {color}]{{}}[/bold {color}]  {{}}  {{}}[dim]{{}}[/dim]"
        mark = f"  {row.mark}" if row.rule.startswith("audit/") else ""
        out.say(template, row.title, row.golden_id, row.sentence, mark, soft_wrap=True)
        for line in row.lines:
            out.print(f"    {line}", soft_wrap=True)
    if len(section.rows) > len(shown):
        out.print(f"… and {len(section.rows) - len(shown):,} more: --all", style="dim")


def audit_markdown(result: AuditResult) -> str:
    """The same for a pull request or a file, with every row, and the catches of each operator."""
    lines = ["## Would the suite notice?", ""]
    for section in audit_sections(result):
        lead = code(section.lead, 1000) if section.lead and section.name == "doubts" else section.lead
        lines += [f"{text}\n" for text in (lead, section.title and f"### {section.title}") if text]
        if section.rows:
            lines += markdown_table(("", "golden", "what", "change"), map(_cells, section.rows))
    if result.by_operator:
        rows = [(f"`{name}`", f"{c.caught:,}", f"{c.survived:,}") for name, c in result.by_operator.items()]
        lines += markdown_table(("operator", "caught", "survived"), rows, numbers=("caught", "survived"))
    lines += [f"{code(note, 1000)}\n" for note in notes(result)]
    return "\n".join(lines)


def _cells(row: AuditRow) -> tuple[str, str, str, str]:
    change = "<br>".join(map(code, row.lines))
    return row.title, code(row.golden_id, 80), code(row.sentence, 400), change


def audit_sarif(result: AuditResult, version: str = "") -> bytes:
    """Survivors and doubts as SARIF 2.1.0, at the line of the golden; each kind of bug, and each reason, is a rule."""
    found = [row for section in audit_sections(result) for row in section.rows]
    remarks = [_remark(row) for row in found if row.rule]
    return sarif(remarks, {remark.rule: _rule(remark.rule) for remark in remarks}, version)


def _rule(rule: str) -> dict[str, Any]:
    family, _, name = rule.partition("/")
    if family == "doubt":
        text = f"The golden may be wrong: {dict(DOUBT_TITLES)[name]}."  # type: ignore[index]
    else:
        text = f"A bug of the kind {name.replace('_', ' ')} passes the golden."
    return {"name": name, "shortDescription": {"text": text}, "helpUri": PAGE}


def _remark(row: AuditRow) -> Remark:
    file, _, line = row.where.rpartition(":")
    number = int(line) if line.isdigit() else 0
    return Remark(
        row.rule,
        LEVELS[row.rule.partition("/")[0], row.loud],
        f"{row.golden_id}: {row.sentence} ({row.title}). {'; '.join(row.lines)}",
        file if number else "",
        number,
        fingerprint=row.mark or f"{row.golden_id}:{row.rule}",
        origin="goldens",
    )
