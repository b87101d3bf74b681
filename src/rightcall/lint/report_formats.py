"""The report for programs: JSON, SARIF for code scanning, workflow commands of GitHub."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from rightcall.files.ci_report import SARIF_LEVELS, Remark, annotation, safe_text, sarif
from rightcall.lint.report import Diagnostic, LintReport
from rightcall.lint.rule import FAMILIES, find_rule


def json_text(report: LintReport) -> str:
    """One object; `format` says its version."""
    value = document(report)
    try:
        data = msgspec.json.encode(value)
    except UnicodeEncodeError:  # an unpaired surrogate, which JSON cannot represent
        data = msgspec.json.encode(safe_text(msgspec.to_builtins(value)))
    return msgspec.json.format(data, indent=2).decode() + "\n"


def document(report: LintReport) -> dict[str, Any]:
    """The same as values that msgspec encodes."""
    return {
        "format": "rightcall/lint/1",
        "summary": {
            **report.counts(),
            "tools": len(report.tools),
            "tokens": report.tokens,
            "known": report.known,
            "ignored": report.ignored,
            "by_rule": report.by_rule(),
        },
        "diagnostics": report.diagnostics,
        "tools": report.tools,
        "pairs": report.pairs,
    }


_PAGES = "docs/lint/rules"


def sarif_text(report: LintReport, version: str = "") -> str:
    """SARIF with the rules that found something."""
    rules = {diagnostic.code: _rule(diagnostic.code) for diagnostic in report.diagnostics}
    return sarif(list(map(remark_of, report.diagnostics)), rules, version).decode()


def github_text(report: LintReport) -> str:
    """One workflow command per line."""
    return "".join(f"{annotation(remark_of(diagnostic))}\n" for diagnostic in report.diagnostics)


def remark_of(diagnostic: Diagnostic) -> Remark:
    """A diagnostic as CI servers show it, whichever command writes it."""
    server = re.sub(r"[^A-Za-z0-9._-]+", "-", diagnostic.origin.removeprefix("mcp:")).strip("-.")
    source = f"{diagnostic.origin}: " if diagnostic.origin else ""
    hint = f"; {diagnostic.hint}" if diagnostic.hint else ""
    return Remark(
        rule=diagnostic.code,
        level=diagnostic.severity,
        message=f"{source}{diagnostic.tool}: {diagnostic.message}{hint}",
        file=diagnostic.file,
        line=diagnostic.line,
        column=diagnostic.column,
        name=diagnostic.rule,
        fingerprint=diagnostic.fingerprint,
        pointer=diagnostic.pointer,
        origin=f"mcp/{server or 'server'}" if diagnostic.origin else "tools",
    )


def _rule(code: str) -> dict[str, Any]:
    rule = find_rule(code)
    explanation = " ".join(rule.explanation.split())
    return {
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "fullDescription": {"text": explanation},
        "help": {"text": f"{explanation} `rightcall list rules {rule.code}` says more."},
        "helpUri": f"{_PAGES}/{rule.name}.md",
        "defaultConfiguration": {"level": SARIF_LEVELS[rule.severity]},
        "properties": {"tags": [FAMILIES[rule.family]]},
    }
